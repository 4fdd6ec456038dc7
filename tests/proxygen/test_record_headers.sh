#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# record --library: headers that do not compile alone, options of compilers, links of other names, and
# BLAS and LAPACK without any header.
. "$(dirname "$0")/../lib/lib.sh"
skip_sanitized "a sanitizer cannot be preloaded"
export XDG_CACHE_HOME=$dir/cache
compile_quickly

# --- A header that needs stdio.h and sys/types.h before it
mkdir -p lib include
cat > include/needy.h <<'C'
struct needy { FILE *file; };
size_t needy_sum(const unsigned char *bytes, size_t length);
int needy_close(struct needy *needy, off_t offset);
C
cat > needy.c <<'C'
#include <stdio.h>
#include <sys/types.h>
#include "include/needy.h"
size_t needy_sum(const unsigned char *bytes, size_t length) { size_t s = 0; while (length--) s += *bytes++; return s; }
int needy_close(struct needy *needy, off_t offset) { return needy->file != NULL && offset; }
C
cat > user.c <<'C'
#include <stdio.h>
#include <sys/types.h>
#include "include/needy.h"
int main(void)
{
    static unsigned char bytes[1000];
    struct needy needy = {stdout};
    size_t sum = 0;
    for (size_t n = 10; n < 1000; n += 10) sum += needy_sum(bytes, n);
    printf("%zu %d\n", sum, needy_close(&needy, 3));
    return 4;
}
C
gcc -O1 -fPIC -shared -Wl,-soname,libneedy.so -o lib/libneedy.so needy.c || exit 1
gcc -O1 -o user user.c -Llib -lneedy -Wl,-rpath,"$dir/lib" || exit 1
run 4 mastermind record --library needy -o needy.mm -- ./user
holds out "0 1"
holds err "experiment needy.mm: 2 methods, 100 rows, 0 dropped"
mastermind model needy.mm > out 2>&1
grep -q "10 <= length <= 990" out || fail "the length is no parameter"

# --- A header that is elsewhere, and needs a macro
mkdir -p away
{ echo '#ifndef WIDTH'; echo '#error WIDTH must be defined'; echo '#endif'; echo '#include "types.h"'
    echo 'word needy_sum(const unsigned char *bytes, word length);'; } > away/sum.h
echo 'typedef __SIZE_TYPE__ word;' > away/types.h
rm -rf include
run 3 mastermind record --library needy -o no.mm -- ./user
holds err "libneedy.so is not recorded: no header of it was found"
run 3 mastermind record --library needy -I away -o no.mm -- ./user
run 4 mastermind record --library needy -I away -DWIDTH=8 -o away.mm -- ./user
holds err "experiment away.mm: 1 method, 99 rows, 0 dropped"
run 4 mastermind record --library needy -Iaway -D WIDTH=8 --only needy_sum -o again.mm -- ./user
holds err "experiment again.mm: 1 method, 99 rows, 0 dropped"
echo '#define WIDTH 8' > width.h
run 4 mastermind record --library needy -include "$dir/width.h" -I away -o included.mm -- ./user
holds err "experiment included.mm: 1 method, 99 rows, 0 dropped"
run 0 mastermind record --list -I away -D WIDTH=8 -- ./user
holds out "needy: needy_sum"
expect 2 "unknown option '-Q'" mastermind record --list -Q -- ./user

# --- Libraries of Debian whose link has another name, or whose header needs stdio.h
# there LIBRARY FUNCTION HEADER: with the library and its header, that function can be recorded
there() {
    [ -e "/usr/include/$3" ] || return 0
    printf 'void %s(void); void *volatile p = (void *)%s; int main(void) { return !p; }\n' "$2" "$2" > there.c
    gcc -w -fno-builtin -o there there.c "-l$1" 2> err || return 0
    run 0 mastermind record --list -- ./there
    grep -q ": $2$" out || fail "$1: $2 cannot be recorded"
}
there jpeg jpeg_write_scanlines jpeglib.h
there yaml yaml_parser_parse yaml.h
there event event_base_dispatch event2/event.h
there gmp __gmpz_mul x86_64-linux-gnu/gmp.h

# --- Headers that are not installed: one line for all
if [ -e /usr/lib/x86_64-linux-gnu/libpcre2-8.so.0 ] && [ -e /usr/lib/x86_64-linux-gnu/libmpfr.so.6 ] &&
    ! [ -e /usr/include/pcre2.h ] && ! [ -e /usr/include/mpfr.h ] && apt-cache show libmpfr-dev libpcre2-dev > out 2> err; then
    echo 'void pcre2_match_8(void), mpfr_mul(void); void *volatile p[] = {(void *)pcre2_match_8, (void *)mpfr_mul};
int main(void) { return !p[0]; }' > lacking.c
    gcc -w -o lacking lacking.c -l:libpcre2-8.so.0 -l:libmpfr.so.6 || exit 1
    run 3 mastermind record --library pcre2-8,mpfr -o no.mm -- ./lacking
    equal "lines of missing packages" 1 "$(grep -c "not installed" err)"
    grep -q "libpcre2-dev libmpfr-dev have them\|libmpfr-dev libpcre2-dev have them" err || fail "packages are not named"
fi

# --- BLAS and LAPACK, from Fortran and from C, without a prototype
if gfortran -v 2> err && ld -lblas -llapack --noinhibit-exec -o ld.out 2> err; then
    cat > la.f90 <<'F'
program la
  implicit none
  double precision :: a(100,100), b(100,100), c(100,100)
  double precision, external :: ddot
  integer :: i, n, info, pivots(100)
  a = 0
  b = 1
  do i = 1, 40
    n = 20 + 2 * i
    call dgemm('N', 'T', n, n, n, 1d0, b, 100, b, 100, 0d0, c, 100)
    a(1:n,1:n) = 0
    a(1,1) = ddot(n, b, 1, b, 1)
    call dpotrf('L', 1, a, 100, info)
    call dgetrf(1, 1, a, 100, pivots, info)
  end do
  print '(f10.3,i3)', a(1,1), info
end program
F
    gfortran -O1 -o la la.f90 -llapack -lblas || exit 1
    ./la > plain
    run 0 mastermind record --library blas,lapack --only 'd*_' -o la.mm -- ./la
    cmp -s plain out || fail "Fortran: another output"
    mastermind report la.mm --json > la.json
    python3 - <<'P' || fail "Fortran: calls"
import json
calls = {m["method"]: m["calls"] for m in json.load(open("la.json"))["methods"]}
assert all(calls.get(name, 0) >= 40 for name in ("dgemm_", "ddot_", "dpotrf_", "dgetrf_")), calls
P
    mastermind model la.mm > out 2>&1
    grep -q "transa 78, transb 84" out && grep -q "work" out || fail "dgemm_ has no sizes or letters"
    cat > la.c <<'C'
#include <stdio.h>
void dgemm_();
double ddot_();
int main(void)
{
    static double a[2500], b[2500], c[2500];
    double one = 1, zero = 0;
    int step = 1;
    for (int i = 0; i < 2500; i++) a[i] = b[i] = i % 7;
    for (int n = 1; n < 50; n++) {
        dgemm_("N", "N", &n, &n, &n, &one, a, &n, b, &n, &zero, c, &n);
        c[0] += ddot_(&n, a, &step, c, &step);
    }
    printf("%g\n", c[0]);
    return 9;
}
C
    gcc -w -O1 -o lac la.c -lblas || exit 1
    ./lac > plain
    run 9 mastermind record --library blas -o lac.mm -- ./lac
    cmp -s plain out || fail "C without a prototype: another output"
    holds err "experiment lac.mm: 2 methods, 98 rows, 0 dropped"
fi
finish
