#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A program's own functions by their patchable entries: the program does what it does without, the
# calls are those that it counts, and their parameters are what it passed.
. "$(dirname "$0")/../lib/lib.sh"
skip_sanitized "no sanitizer bears what stands in front of it"
[ "$(uname -m)" = x86_64 ] || skip "this is no x86-64"
[ -e /usr/include/elfutils/libdw.h ] || skip "this build is without libdw"
export XDG_CACHE_HOME=$dir/cache
patchable="-g -fpatchable-function-entry=5"

# --- Functions of random signatures
cat > compare.py <<'P'
import csv, sys
rows = [r for r in csv.DictReader(open("rows.csv")) if r["port"] == "function"]
calls = [line.split() for line in open("calls")]
rows.sort(key=lambda r: int(r["invocation"]))
assert [r["method"] for r in rows] == [c[0] for c in calls], "other calls"
told = [(r.get("p." + w.split("=")[0], ""), w) for r, c in zip(rows, calls) for w in c[1:]]
wrong = [(t, w) for t, w in told if t and int(t) != int(w.split("=")[1])]
assert not wrong, wrong[:5]
share = sum(1 for t, w in told if t) / len(told)
assert share > float(sys.argv[1]), share
P
seed=1
for compiler in gcc clang; do
    for level in "-O0 .1" "-O2 -fno-ipa-icf .4" "-O3 -fcf-protection=full -fpatchable-function-entry=16,3 .4" "-O2 -no-pie -fno-pie .4"; do
        share=${level##* } options=${level% *}
        [ $compiler = gcc ] || options=${options/-fno-ipa-icf/}
        [ $compiler = clang ] || options="$options -fno-ipa-icf"
        python3 "$root/tests/own/signatures.py" $((seed++)) $([ -n "${SOAK-}" ] && echo 60 || echo 15) > signatures.c
        # shellcheck disable=SC2086
        $compiler -w $patchable $options -o signatures signatures.c || exit 1
        ./signatures > plain
        rm -rf s.mm calls
        run 0 mastermind record --functions 'f[0-9]*' --no-report -o s.mm -- ./signatures
        cmp -s plain out || fail "$compiler $options: the program computes something else"
        mastermind records s.mm > rows.csv
        python3 compare.py "$share" || fail "$compiler $options, seed $((seed - 1))"
    done
done

# --- Laws without a mark, and times of the program's own clock
cat > law.c <<'C'
#include <stdio.h>
#include <time.h>
static volatile double x = 1;
static double spent;
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + 1e-9 * t.tv_nsec; }
enum order { ROWS, COLUMNS };
__attribute__((noinline)) void sweep(int n, enum order order, const double *field)
{
    double t = now();
    for (long i = 0; i < (long)n * n * (order == COLUMNS ? 3 : 1); i++)
        x = x * 1.0000001 + field[0];
    spent += now() - t;
}
int main(void)
{
    double field[1] = {0};
    for (int k = 0; k < 120; k++)
        sweep(30 + 30 * (k / 2 % 6), k % 2, field);
    printf("%.9f\n", spent);
    return 3;
}
C
# shellcheck disable=SC2086
gcc -O2 $patchable -o law law.c || exit 1
run 3 mastermind record --functions sweep -o law.mm -- ./law
cp out told
holds err 'law.function.sweep'
mastermind report law.mm --json > report.json
mastermind model law.mm --json > model.json
python3 - told <<'P' || fail "law of a function without a mark"
import json, sys
report = json.load(open("report.json"))
own = sum(i["own_ns"] for i in report["time"]["instances"]) + report["host_ns"] # the program's clock has the host's
told = 1e9 * float(open(sys.argv[1]).read())
assert .99 * told < own < 1.15 * told, (own, told) # the host may take some between the two clocks


def cost(model, n):
    total = model.get("constant_ns") or 0
    for term in model["terms"]:
        assert term["kind"] == "product" and [f["parameter"] for f in term["factors"]] == ["n"], model["formula"]
        total += term["factor_ns"] * n ** term["factors"][0]["exponent"]
    return total


at = {}
for model in json.load(open("model.json"))["methods"][0]["models"]:
    assert 3.6 < cost(model, 180) / cost(model, 90) < 4.4, model["formula"]
    at[model["modes"]["order"]] = cost(model, 180)
assert abs(at[1] / at[0] - 3) < .4, at
P

# --- C++: exceptions, overloads, references, members; the stack of the program is still readable
cat > work.cc <<'C'
#include <cstdio>
#include <execinfo.h>
#include <stdexcept>
#define OWN __attribute__((noinline))
static volatile double x = 1;
static int deepest;
struct clean { ~clean() { x = x + 1; } };
OWN void part(int n) { clean c; x = x + n; if (n % 4 == 3) throw std::runtime_error("x"); }
OWN void part(double, const int &size) { clean c; part(size); x = x + 1; }
OWN void depth() { void *frames[64]; int n = backtrace(frames, 64); if (n > deepest) deepest = n; }
namespace space { template <class T> struct grid { T a; OWN void sweep(unsigned short m) { depth(); for (int i = 0; i < m; i++) x = x + a; } }; }
int main()
{
    space::grid<double> g{2};
    int caught = 0;
    depth();
    int here = deepest;
    for (int k = 0; k < 40; k++) {
        try { part(.5, k); } catch (const std::exception &) { caught++; }
        g.sweep(k);
    }
    std::printf("%d %d\n", caught, deepest > here);
    return caught == 10 && deepest > here ? 0 : 1;
}
C
for level in -O0 -O2; do
    # shellcheck disable=SC2086
    $CXX $level $patchable -o work work.cc || exit 1
    ./work > plain || fail "$level: the program alone"
    rm -rf cc.mm
    run 0 mastermind record --functions 'part,space::*,depth' --no-report -o cc.mm -- ./work
    cmp -s plain out || fail "$level: another result"
    mastermind records cc.mm > rows.csv
    python3 - <<'P' || fail "rows of C++ $level"
import csv, collections
rows = list(csv.DictReader(open("rows.csv")))
rows.sort(key=lambda r: int(r["invocation"]))
count = collections.Counter((r["method"].split("#")[0], r["status"]) for r in rows)
assert count == {("part", "done"): 60, ("part", "unwound"): 20, ("space::grid<double>::sweep", "done"): 40, ("depth", "done"): 41}, count
assert [int(r["p.m"]) for r in rows if "sweep" in r["method"]] == list(range(40))
number = {r["invocation"]: r for r in rows}
inner = [r for r in rows if r["method"].startswith("part") and r["caller"]]
assert [int(r["p.n"]) for r in inner] == list(range(40))
outer = [r for r in rows if r["method"].startswith("part") and not r["caller"]]
assert len({r["method"] for r in outer}) == 1 and outer[0]["method"] != inner[0]["method"]
assert [int(r["p.size"]) for r in outer] == list(range(40))
for r in inner: # those left by an exception end before what comes next begins
    o = number[r["caller"]]
    assert float(r["start_ns"]) + float(r["wall_ns"]) <= float(o["start_ns"]) + float(o["wall_ns"]) + 1
for a, b in zip(outer, outer[1:]):
    assert float(a["start_ns"]) + float(a["wall_ns"]) <= float(b["start_ns"])
P
done

# --- Threads that end in the middle, longjmp, calls of a library of its own, opened with the program
cat > lib.c <<'C'
int lib_twice(int n) { return 2 * n; }
C
cat > ends.c <<'C'
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
int lib_twice(int n);
static jmp_buf back;
static __thread int depth;
static volatile int cleaned;
__attribute__((noinline)) static void leap(int n) { if (n) leap(n - 1); longjmp(back, 1 + n); }
static void clean(void *unused) { (void)unused; cleaned++; }
__attribute__((noinline)) static void quit(int n)
{
    pthread_cleanup_push(clean, NULL);
    depth++;
    if (n)
        quit(n - 1);
    pthread_exit(NULL);
    pthread_cleanup_pop(0);
}
static void *worker(void *unused) { quit(3); return unused; }
static void *counter(void *sum) { for (int k = 0; k < 1000; k++) *(long *)sum += lib_twice(k); return NULL; }
int main(void)
{
    pthread_t t[4];
    long sums[3] = {0};
    for (int k = 0; k < 5; k++)
        if (!setjmp(back))
            leap(3);
    for (int k = 0; k < 4; k++)
        pthread_create(&t[k], NULL, k ? counter : worker, k ? &sums[k - 1] : NULL);
    for (int k = 0; k < 4; k++)
        pthread_join(t[k], NULL);
    printf("%ld %ld %ld %d\n", sums[0], sums[1], sums[2], cleaned);
    return 0;
}
C
# shellcheck disable=SC2086
gcc -O1 -shared -fPIC $patchable -o liblib.so lib.c && gcc -O1 $patchable -pthread -o ends ends.c ./liblib.so || exit 1
run 0 ./ends
cp out plain
run 0 mastermind record --functions 'leap,quit,lib_*' --no-report -o ends.mm -- ./ends
cmp -s plain out || fail "threads: another result: $(cat out)"
mastermind records ends.mm > rows.csv
python3 - <<'P' || fail "rows of threads, longjmp and a library"
import csv, collections
rows = list(csv.DictReader(open("rows.csv")))
count = collections.Counter((r["method"], r["status"]) for r in rows)
assert count["lib_twice", "done"] == 3000, count
# the last that longjmp has left are open: nothing comes after them that would tell
assert count["leap", "unwound"] + count["leap", "longjmp"] + count["leap", "open"] == 20, count
assert sum(n for (method, status), n in count.items() if method == "quit" and status != "done") == 4, count
assert sum(count.values()) == 3024, count
assert sorted(int(r["p.n"]) for r in rows if r["method"] == "leap") == sorted([0, 1, 2, 3] * 5)
P

# --- Stacks that end at a page that cannot be read
cat > stacks.c <<'C'
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>
#include <ucontext.h>
static ucontext_t home, other;
static int sum;
__attribute__((noinline)) static void inner(int n) { sum += n; }
static void run(int a, int b, int c, int d, int e, int f, int g, int h)
{
    for (int k = 0; k < 3; k++) {
        inner(a + b + c + d + e + f + 10 * g + 100 * h);
        swapcontext(&other, &home);
    }
}
int main(void)
{
    char *memory = mmap(NULL, 5 << 14, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(memory + (4 << 14), 1 << 14, PROT_NONE);
    for (int k = 0; k < 4; k++) {
        getcontext(&other);
        other.uc_stack.ss_sp = memory + (3 << 14);
        other.uc_stack.ss_size = (1 << 14) - 16 * k;
        other.uc_link = &home;
        makecontext(&other, (void (*)(void))run, 8, 1, 2, 3, 4, 5, 6, 7, k);
        for (int t = 0; t < 4; t++)
            swapcontext(&home, &other);
    }
    munmap(memory + (4 << 14), 1 << 14);
    printf("%d\n", sum);
    return 0;
}
C
for level in -O0 -O2; do
    # shellcheck disable=SC2086
    gcc $level $patchable -o stacks stacks.c || exit 1
    ./stacks > plain || fail "stacks alone"
    rm -rf stacks.mm
    run 0 mastermind record --functions 'run,inner' --no-report -o stacks.mm -- ./stacks
    cmp -s plain out || fail "stacks $level: another result: $(cat out)"
    equal "calls on short stacks $level" 12 "$(mastermind records stacks.mm | grep -c ',inner,')"
done

# --- Fortran: numbers come by address
if command -v gfortran > /dev/null; then
    cat > work.f90 <<'F'
module solver
contains
    subroutine sweep(n, x, many, name, extra)
        integer, intent(in) :: n
        real(8), intent(inout) :: x(n)
        integer(8), value :: many
        character(*), intent(in) :: name
        integer, optional :: extra
        x = x + many + len(name)
        if (present(extra)) x = x + extra
    end subroutine
end module
program work
    use solver
    real(8) :: x(50)
    integer :: k
    x = 0
    do k = 1, 30
        if (mod(k, 2) == 0) then
            call sweep(k, x, 10_8**10 + k, "abc", -k)
        else
            call sweep(k, x, 10_8**10 + k, "abcd")
        end if
    end do
    print *, sum(x)
end program
F
    for level in -O0 -O1; do
        # shellcheck disable=SC2086
        gfortran $level -fno-inline $patchable -o work_f work.f90 || fail "gfortran"
        ./work_f > plain
        rm -rf f.mm
        run 0 mastermind record --functions sweep --no-report -o f.mm -- ./work_f
        cmp -s plain out || fail "Fortran $level: another result"
        mastermind records f.mm > rows.csv
        python3 - <<'P' || fail "rows of Fortran $level"
import csv
rows = list(csv.DictReader(open("rows.csv")))
assert len(rows) == 30
for k, r in enumerate(rows, 1):
    assert int(r["p.n"]) == k, r
    if r.get("p.many"): # a compiler may pass an optional one that is absent as NULL
        assert int(r["p.many"]) == 10**10 + k, r
    if r.get("p.extra"):
        assert k % 2 == 0 and int(r["p.extra"]) == -k, r
P
    done
fi

# --- A variable number of arguments; no debug information; what cannot be recorded is named
cat > little.c <<'C'
#include <stdarg.h>
__attribute__((noinline)) int vary(int n, ...) { va_list a; va_start(a, n); n = va_arg(a, int); va_end(a); return n; }
__attribute__((noinline)) int fixed(int n) { __asm__(""); return n; }
int main(void) { return vary(1, 5) + fixed(2) - 7; }
C
# shellcheck disable=SC2086
gcc -O1 $patchable -o little little.c || exit 1
run 0 mastermind record --functions 'vary,fixed' --no-report -o little.mm -- ./little
mastermind records little.mm > rows.csv
python3 - <<'P' || fail "rows of a function with a variable number of arguments"
import csv
assert {r["method"]: int(r["p.n"]) for r in csv.DictReader(open("rows.csv"))} == {"vary": 1, "fixed": 2}
P
run 0 mastermind record --functions 'none_*' --no-report -o nothing.mm -- ./little
holds err "none of its functions that can be recorded matches 'none_*'"
gcc -O1 -fpatchable-function-entry=5 -o little little.c || exit 1
run 0 mastermind record --functions fixed --no-report -o bare.mm -- ./little
equal "methods without debug information" fixed "$(mastermind records bare.mm | tail -n +2 | cut -d, -f7)"
gcc -O1 -g -o little little.c || exit 1
run 0 mastermind record --functions fixed --no-report -o neither.mm -- ./little
holds err 'fixed is not recorded: it has fewer than 5 bytes of code'
holds err "none of its functions that can be recorded matches 'fixed'"

# --- More functions in a library than in the program, whose table is read first: calls of all are counted
python3 - <<'P'
count = 3000
with open("many.c", "w") as file:
    for i in range(count):
        file.write(f'__attribute__((noinline)) int part{i}(int x) {{ __asm__ volatile("" : "+r"(x)); return x * {i + 3} + 1; }}\n')
    file.write("int all(int x) {\n" + "".join(f"x += part{i}(x);\n" for i in range(count)) + "return x; }\n")
P
cat > few.c <<'C'
#include <stdio.h>
int all(int x);
int main(void) { printf("%d\n", all(1)); return 4; }
C
gcc -O0 -shared -fPIC -o libmany.so many.c && gcc -O1 -o few few.c ./libmany.so || exit 1
run 4 ./few
cp out plain
run 4 mastermind record --functions '*,libmany.so/*' --storage rows --no-report -o many.mm -- ./few
cmp -s out plain || fail "another output of few"
holds err '3,002 rows, 0 dropped'
finish
