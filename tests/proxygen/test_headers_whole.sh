#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Every function of whole public headers: named by a pattern, forwarded, compiled without a warning;
# a program with all of a library interposed does what it did.
. "$(dirname "$0")/../headers/headers.sh"

# The compilers look at the code below: here it need not become a library.
printf '#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\n: > "$2"\n' > quick && chmod +x quick
multiarch=$(gcc -print-multiarch)

turn=0
# whole LEAST LEFT_OUT HEADER PATTERN [FLAGS...]: at least LEAST functions, but at most LEFT_OUT that
# cannot be served, each with a line.
whole() {
    local least=$1 most_left=$2 header=$3 pattern=$4 served left name start=$SECONDS
    shift 4
    name=$(basename "$header" .h)
    CC=$PWD/quick timeout 120 proxygen --interpose "$header" --functions "$pattern" "$@" -o "w.$name" 2> said ||
        { fail "$name: $(grep -v '^ ' said | tail -n 1)"; return; }
    left=$(grep -c ': left out: ' said)
    served=$(grep -c ' __asm__("' "w.$name/${name}_interpose.c")
    [ "$served" -ge "$least" ] && [ "$left" -le "$most_left" ] ||
        fail "$name: $served functions, $left left out: $(grep 'left out' said)"
    # The compilers take turns, and in a soak each looks at all. gcc takes seconds for a thousand functions, clang
    # for the 4,500 that are all alike.
    turn=$((turn + 1))
    if [ -n "${SOAK-}" ]; then
        compilers="gcc clang"
    elif [ "$name" = many ]; then
        compilers=
    elif [ $((turn % 2)) = 0 ] && [ "$served" -lt 1000 ]; then
        compilers=gcc
    else
        compilers=clang
    fi
    for compiler in $compilers; do
        $compiler -std=gnu11 -fsyntax-only -Wall -Wextra -Werror -I"$root" "$@" "w.$name/${name}_interpose.c" 2> said ||
            fail "$name: $compiler: $(grep -m 1 error said)"
    done
    printf '%-10s %5d functions, %d left out, %d s\n' "$name" "$served" "$left" $((SECONDS - start))
}

whole 80 1 /usr/include/zlib.h '*'
whole 20 0 /usr/include/bzlib.h '*'
whole 100 0 /usr/include/lzma.h 'lzma_*'
whole 40 0 /usr/include/lz4.h '*'
whole 60 0 /usr/include/zstd.h '*'
whole 140 1 /usr/include/"$multiarch"/cblas.h '*'
whole 1300 0 /usr/include/lapack.h '*'
whole 200 0 /usr/include/fftw3.h '*'
whole 100 0 /usr/include/gsl/gsl_sf_bessel.h '*'
whole 270 8 /usr/include/sqlite3.h '*'
whole 70 5 /usr/include/jansson.h '*'
whole 60 0 /usr/include/expat.h '*'
whole 240 3 /usr/include/png.h '*'
whole 580 1 /usr/include/hdf5/serial/hdf5.h 'H5*' -I/usr/include/hdf5/serial
whole 70 5 /usr/include/"$multiarch"/curl/curl.h 'curl_*'
whole 700 1 /usr/include/openssl/evp.h '*'
whole 20 0 /usr/include/"$multiarch"/ffi.h '*'
whole 30 4 /usr/include/libxml2/libxml/parser.h 'xml*Parse*' -I/usr/include/libxml2
whole 50 4 /usr/include/string.h '*'
whole 120 7 /usr/include/unistd.h '*'

# As many as GTK has; that it takes time is for terminals.
seq 1 4500 | sed 's/.*/int many_&(int n);/' > many.h
whole 4500 0 many.h '*' -I.
CC=$PWD/quick proxygen --interpose many.h --functions 'many_1*' -I. -o m > said 2>&1 || fail "many: $(cat said)"
grep -q compiling said && fail "many: words for a terminal"
CC=$PWD/quick script -qec "proxygen --interpose many.h --functions 'many_1??' -I. -o m" /dev/null > said ||
    fail "many: $(cat said)"
grep -q compiling said && fail "many: 100 functions are few: $(cat said)"
CC=$PWD/quick script -qec "proxygen --interpose many.h --functions 'many_1*' -I. -o m" /dev/null > said ||
    fail "many: $(cat said)"
grep -q 'proxygen: compiling 1111 functions, about 22 s' said || fail "many: no words: $(tail -n 1 said)"

# Types that have a va_list in them.
cat > lists.h << 'END'
#include <stdarg.h>
typedef int (*printer)(int level, const char *format, va_list args);
typedef void (*twice)(void (*)(va_list), va_list *);
struct out { int (*write)(struct out *self, int n, va_list args); va_list kept; int len; };
printer set_printer(printer p);
int with(int n, va_list args);
int by_address(va_list *args, int n);
int (*set_plain(int (*p)(const char *, va_list)))(const char *, va_list);
twice set_twice(twice t);
int run(const struct out *o, struct out by_value);
END
whole 6 0 lists.h '*' -I.

# tables_of NAMES HEADER [FLAGS...]: every member that can be is forwarded, for C and for C++.
tables_of() {
    local names=$1 header=$2 name
    shift 2
    name=$(basename "$header" .h)
    rm -rf tables
    timeout 60 proxygen --table "$names" "$header" "$@" -o tables 2> said || { fail "$names: $(tail -n 1 said)"; return; }
    for compiler in gcc clang; do
        $compiler -std=gnu11 -fsyntax-only -Wall -Wextra -Werror -I"$root" "$@" "tables/${name}_tables.c" 2> said ||
            fail "$names: $compiler: $(grep -m 1 error said)"
    done
    printf '#include "%s_tables.h"\nint main() { return %s_wrap(nullptr, "x") != nullptr; }\n' "$name" "${names##*,}" > use.cc
    for compiler in g++ clang++; do
        $compiler -std=c++17 -fsyntax-only -Wall -Wextra -Werror -Itables "$@" use.cc 2> said ||
            fail "$names: $compiler: $(grep -m 1 error said)"
    done
}
tables_of cookie_io_functions_t /usr/include/stdio.h -D_GNU_SOURCE
tables_of xmlSAXHandler /usr/include/libxml2/libxml/parser.h -I/usr/include/libxml2
tables_of H5Z_class2_t,H5FD_class_t /usr/include/hdf5/serial/hdf5.h -I/usr/include/hdf5/serial
tables_of gsl_odeiv2_step_type /usr/include/gsl/gsl_odeiv2.h
tables_of sqlite3_mutex_methods,sqlite3_module,sqlite3_pcache_methods2 /usr/include/sqlite3.h

# What a pattern cannot be.
refuse() { # FUNCTIONS WORDS
    proxygen --interpose /usr/include/zlib.h --functions "$1" -o refused 2> said
    [ $? = 3 ] && grep -q -- "$2" said || fail "$1: $(cat said)"
    [ -e refused ] && rm -r refused && fail "$1: something was left behind"
}
refuse 'x*' "no function of the header and its includes matches 'x\*'"
refuse 'deflateInit' "it expands to a call of 'deflateInit_'"
refuse 'compress2,compress2*,zlibVersoin' "did you mean 'zlibVersion'?"
refuse '[' "no function"
proxygen --interpose /usr/include/zlib.h --functions 'compress*,compress2' --suggest > said 2>&1
grep -q "'compress2' is requested twice" said || fail "$(cat said)"
proxygen --interpose /usr/include/zlib.h --functions 'compress2,compress*' --suggest > said 2>&1
[ "$(grep -c '^function' said)" = 3 ] || fail "$(cat said)"

needs_preload
# All of zlib in front of a program that uses it.
gcc -O1 -o zlib "$here/zlib.c" -lz || fail "no program"
./zlib > plain
timeout 60 proxygen --interpose /usr/include/zlib.h --functions '*' -o all 2> /dev/null || fail "all of zlib"
timeout 60 mastermind record --proxy all -o z.mm -- ./zlib > told 2> said || fail "$(cat said)"
cmp plain told || fail "another output with all of zlib interposed"
for name in compress2:30 uncompress:26 crc32:11; do
    calls=$(mastermind records z.mm | awk -F, -v name="${name%:*}" '$7 == name && $4 == ""' | wc -l)
    [ "$calls" -ge 1 ] || fail "${name%:*}: $calls calls"
done

finish
