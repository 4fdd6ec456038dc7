#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A program's own functions (-finstrument-functions) and regions (mm_region.h, mm_region.f90), in C,
# C++ and Fortran: rows, parameters and times are those that the program itself counts.
. "$(dirname "$0")/../lib/lib.sh"
skip_sanitized "no sanitizer bears what stands in front of it"
headers=$root/mastermind/preload

# --- C: recursion, threads, longjmp, regions in functions and functions in regions
cat > work.c <<'C'
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "mm_region.h"
#define QUIET __attribute__((no_instrument_function))
static volatile double x = 1;
static jmp_buf back;
QUIET static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + 1e-9 * t.tv_nsec; }
QUIET static void spin(int n) { for (int i = 0; i < n; i++) x = x * 1.0000001; }
static int tree(int depth) { spin(20); return depth ? tree(depth - 1) + tree(depth - 1) + 1 : 1; }
static void solve(int n) { spin(n * 100); }
static void leap(void) { longjmp(back, 1); }
static void *worker(void *unused)
{
    for (int i = 0; i < 20; i++) {
        mm_region_begin("threads", mm_param(i));
        solve(10);
        mm_region_end();
    }
    return unused;
}
int main(void)
{
    double solves[50];
    pthread_t other;
    for (int k = 0; k < 50; k++) {
        int n = 1000 * (1 + k % 5);
        double size = .5 * n;
        mm_region_begin("step", mm_param(n), mm_param_as("half", size), mm_mode(k % 2));
        mm_region_begin("inner");
        double t = now();
        solve(n);
        solves[k] = now() - t;
        mm_region_end();
        mm_region_end();
    }
    mm_region_end(); /* one too many */
    tree(6);
    for (int k = 0; k < 3; k++)
        if (!setjmp(back))
            leap();
    pthread_create(&other, NULL, worker, NULL);
    worker(NULL);
    pthread_join(other, NULL);
    for (int k = 0; k < 50; k++)
        printf("%.0f\n", 1e9 * solves[k]);
    return 5;
}
C
for compiler in gcc clang; do
    $compiler -std=c11 -pedantic -Wall -Wextra -Werror -O1 -D_GNU_SOURCE -pthread -finstrument-functions -I"$headers" -o work_$compiler work.c ||
        fail "$compiler -pedantic"
done
run 5 ./work_gcc # nobody records
quiet
equal "libraries that a mark needs" 0 "$(ldd work_gcc | grep -c mm_)"
rows_of() { # COMPILER
    local compiler=$1
    rm -rf $compiler.mm
    run 5 mastermind record --functions 'solve,tree,le*' -o $compiler.mm -- ./work_$compiler
    cp out told
    holds err 'is not known' # two threads
    mastermind records $compiler.mm > rows.csv || fail "records"
    python3 - $compiler told <<'P' || fail "rows of $compiler"
import csv, statistics, sys
rows = list(csv.DictReader(open("rows.csv")))
by = {}
for r in rows:
    by.setdefault((r["port"], r["method"]), []).append(r)
count = {k: len(v) for k, v in by.items()}
assert count == {("region", "step"): 50, ("region", "inner"): 50, ("region", "threads"): 40, ("function", "solve"): 90,
                 ("function", "tree"): 127, ("function", "leap"): 3}, count
for k, r in enumerate(by["region", "step"]):
    n = 1000 * (1 + k % 5)
    assert int(r["p.n"]) == n and float(r["p.half"]) == .5 * n and int(r["p.k % 2"]) == k % 2, r
assert all(r["status"] == "done" for k, v in by.items() if k != ("function", "leap") for r in v)
number = {(r["thread"], r["invocation"]): r for r in rows}
for r in by["region", "inner"]:
    assert number[r["thread"], r["caller"]]["method"] == "step", r
for r in by["function", "solve"]:
    assert number[r["thread"], r["caller"]]["method"] in ("inner", "threads"), r
assert sum(1 for r in by["function", "tree"] if r["caller"]) == 126
assert {r["p.i"] for r in by["region", "threads"]} == {str(i) for i in range(20)}
# its clock also has what the host takes between it and ours
took = [float(r["wall_ns"]) for r in by["function", "solve"] if number[r["thread"], r["caller"]]["method"] == "inner"]
told = [float(line) for line in open(sys.argv[2])]
assert len(took) == len(told) and all(a <= 1.001 * b + 1000 for a, b in zip(took, told)), list(zip(took, told))
assert statistics.median(a / b for a, b in zip(took, told)) > .97, list(zip(took, told))
P
}
for compiler in gcc clang; do
    at_best rows_of $compiler
done
run 5 mastermind record -o regions.mm -- ./work_gcc
equal "methods without --functions" 3 "$(mastermind report regions.mm --json | grep -c '"instance": "work_gcc",$' | awk '{print ($1 > 3) ? 3 : $1}')"
run 5 mastermind record --functions 'nothing*' --no-report -o none.mm -- ./work_gcc

# --- What opening a function takes is not the exclusive time of its caller
cat > first.c <<'C'
#include <stdio.h>
#include <time.h>
#define QUIET __attribute__((no_instrument_function))
QUIET static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + 1e-9 * t.tv_nsec; }
static double spun;
QUIET static void spin(void) { double t = now(), d; while ((d = now() - t) < 200e-6) ; spun += d; }
#define PART(n) static void part##n(void) { __asm__(""); }
#define PARTS(_) _(0) _(1) _(2) _(3) _(4) _(5) _(6) _(7) _(8) _(9) _(10) _(11) _(12) _(13) _(14) _(15) _(16) _(17) _(18) _(19)
PARTS(PART)
#define CALL(n) spin(); part##n();
static void outer(void) { PARTS(CALL) }
int main(void) { outer(); printf("%.9f\n", spun); return 0; }
C
gcc -O1 -finstrument-functions -o first first.c || exit 1
first_calls() {
    rm -rf first.mm
    run 0 mastermind record --functions 'outer,part*' --no-report -o first.mm -- ./first
    cp out told
    mastermind report first.mm --json > report.json
    python3 - report.json told <<'P' || fail "exclusive time of a function that makes twenty first calls"
import json, sys
report = json.load(open(sys.argv[1]))
own = sum(i["own_ns"] for i in report["time"]["instances"]) + report["host_ns"] # it spins by the wall clock
spun = 1e9 * float(open(sys.argv[2]).read())
assert spun < own < 1.2 * spun + 200e3, (own, spun)
P
}
at_best first_calls

# --- C++: scopes, exceptions, templates
cat > work.cc <<'C'
#include <stdexcept>
#include "mm_region.h"
static volatile double x = 1;
static void part(int n, float f)
{
    mm_region_scope("part", mm_param(n), mm_param(f), mm_mode_as("odd", n % 2));
    for (int i = 0; i < 1000; i++) x = x * 1.0000001;
    if (n % 4 == 3) throw std::runtime_error("x");
}
namespace space { template <class T> struct grid { __attribute__((noinline)) void sweep(T a) { for (int i = 0; i < 1000; i++) x = x + a; } }; }
int main()
{
    space::grid<double> g;
    int caught = 0;
    for (int k = 0; k < 40; k++) {
        try { part(k, .25f * k); } catch (const std::exception &) { caught++; }
        g.sweep(k);
    }
    return caught == 10 ? 0 : 1;
}
C
for standard in c++11 c++17; do
    $CXX -std=$standard -pedantic -Wall -Wextra -Werror -O1 -finstrument-functions -I"$headers" -o work_cc work.cc || fail "$standard"
done
run 0 mastermind record --functions 'part,space::*' --no-report -o cc.mm -- ./work_cc
mastermind records cc.mm > rows.csv
python3 - <<'P' || fail "rows of C++"
import csv
rows = list(csv.DictReader(open("rows.csv")))
count = {}
for r in rows:
    count[r["method"], r["status"]] = count.get((r["method"], r["status"]), 0) + 1
    if r["port"] == "region":
        n = int(r["p.n"])
        assert float(r["p.f"]) == .25 * n and int(r["p.odd"]) == n % 2
# the scope ends by the exception, and so does the function's hook
assert count == {("part", "done"): 80, ("space::grid<double>::sweep", "done"): 40}, count
P

# --- Fortran
if command -v gfortran > /dev/null; then
    cat > work.f90 <<'F'
program work
    use mm_region
    integer :: k
    integer(8) :: long
    real(8) :: s
    s = 0
    do k = 1, 30
        long = 10_8**10 + k
        call mm_region_begin("loop", "k", k, "long", long, "half", .5d0 * k, "single", .25 * k)
        call mm_region_begin("bare")
        s = s + sqrt(real(k, 8))
        call mm_region_end()
        call mm_region_end()
    end do
    if (s < 0) print *, s
end program
F
    gfortran -O1 -Wall -Werror -o work_f "$headers/mm_region.f90" work.f90 || fail "gfortran"
    run 0 ./work_f
    run 0 mastermind record -o f.mm -- ./work_f
    mastermind records f.mm > rows.csv
    python3 - <<'P' || fail "rows of Fortran"
import csv
rows = [r for r in csv.DictReader(open("rows.csv")) if r["method"] == "loop"]
assert len(rows) == 30
for k, r in enumerate(rows, 1):
    assert int(r["p.k"]) == k and int(r["p.long"]) == 10**10 + k and float(r["p.half"]) == .5 * k and float(r["p.single"]) == .25 * k, r
P
fi
finish
