#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# `mastermind record --library`: libraries, packages and headers of programs, proxies that are made
# once, the report behind the run, and times that add up, against clocks of the program's own.
. "$(dirname "$0")/../lib/lib.sh"
skip_sanitized "no sanitizer bears what stands in front of it"
export XDG_CACHE_HOME=$dir/cache
optimizing=$PATH
compile_quickly
quick=$PATH PATH=$optimizing # proxies of libraries whose time counts are optimized

# --- A program of zlib's that knows what zlib took of it
cat > pack.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <zlib.h>
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + 1e-9 * t.tv_nsec; }
int main(void)
{
    double began = now(), library = 0, each[30];
    int calls = 0;
    volatile double x = 1;
    for (int n = 20000; n <= 200000; n += 20000)
        for (int k = 0; k < 3; k++) {
            unsigned char *s = malloc(n), *d = malloc(2 * n + 100);
            uLongf m = 2 * n + 100;
            for (int i = 0; i < n; i++)
                s[i] = "etaoin shrdlu"[rand() % 13];
            for (int i = 0; i < 1000000; i++)
                x = x * 1.0000001;
            double t = now();
            compress2(d, &m, s, n, 6);
            each[calls] = now() - t;
            library += each[calls++];
            free(s);
            free(d);
        }
    printf("%.9f %.9f\n", library, now() - began);
    for (int i = 0; i < calls; i++)
        printf("%.0f\n", 1e9 * each[i]);
    return 7;
}
C
$CC -O1 -o pack pack.c -lz || exit 1
$CC -O1 -no-pie -fno-pie -o pack_fixed pack.c -lz || exit 1

run 0 mastermind record --list -- ./pack
holds out 'z             zlib.h'
holds out 'z: compress2'
run 0 mastermind record --list --json -- ./pack_fixed
cp out list.json
fits record-list list.json
python3 - list.json <<'P' || fail "--list --json"
import json, sys
l = json.load(open(sys.argv[1]))["libraries"]
assert [u["soname"] for u in l] == ["libz.so.1"], l
assert [(h["path"], h["functions"]) for h in l[0]["headers"]] == [("/usr/include/zlib.h", ["compress2"])], l
P

run 7 mastermind record --library z -- ./pack
holds err 'libz.c.compress2'
holds err 'the rest: the program itself'
[ -d pack-1.mm ] || fail "no pack-1.mm"
made=$(stat -c %y "$XDG_CACHE_HOME"/mastermind/proxies/z-*)
run 7 mastermind record --library 'z*' --no-report -o second.mm -- ./pack_fixed
equal "report with --no-report" 0 "$(grep -c 'the rest' err)"
equal "proxies made once" "$made" "$(stat -c %y "$XDG_CACHE_HOME"/mastermind/proxies/z-* | head -1)"
# The functions of lzma.h are in headers that it includes; pack is not linked with liblzma
PATH=$quick run 7 mastermind record --library lzma -- ./pack
holds err '0 calls of lzma_'
cat > seldom.c <<'C'
#include <zlib.h>
int main(int count, char **words)
{
    char d[1000];
    uLongf m = sizeof d;
    (void)words;
    return count > 2 ? (int)crc32(0, 0, 0) : count > 1 ? 0 : compress2((Bytef *)d, &m, (Bytef *)d, 8, 6);
}
C
$CC -O1 -o seldom seldom.c -lz || exit 1
run 0 mastermind record --library z -- ./seldom
equal "causes of calls that were not seen" 1 "$(grep -c '0 calls of crc32' err)"
run 0 mastermind record --library z --no-report -- ./seldom
holds err 'mastermind: 0 calls of crc32 seen'
run 0 mastermind record --library z -o none.mm -- ./seldom x
holds err 'no experiment none.mm was made'
times() {
    rm -rf times.mm
    run 7 mastermind record --library z --no-report -o times.mm -- ./pack
    cp out told
    mastermind records times.mm > rows.csv
    run 0 mastermind report times.mm --json
    cp out report.json
    fits report report.json
    python3 - report.json told <<'P' || fail "times do not add up, or are not those of the program's own clock"
import csv, json, sys
t = json.load(open(sys.argv[1]))["time"]
lines = open(sys.argv[2]).read().split("\n")
library, whole = (1e9 * float(w) for w in lines[0].split())
own = sum(i["own_ns"] for i in t["instances"])
assert own + t["mpi_ns"] + t["host_ns"] + t["measuring_ns"] + t["rest_ns"] == t["elapsed_ns"], t
assert t["rest_ns"] >= 0 and t["elapsed_ns"] >= whole, (t, whole)
# its clock has what opening the recorder took of the first call, and what the host took between it and ours
rows = list(csv.DictReader(open("rows.csv")))
took = [float(r["wall_ns"]) for r in rows if r["method"] == "compress2"]
told = [float(line) for line in lines[1:] if line]
# (a loud host takes the core where the recorder reads clocks: a quarter of the calls suffices)
shares = sorted(a / b for a, b in zip(took, told))
assert len(took) == len(told) == 30 and shares[22] > .97 and shares[-1] < 1.01, list(zip(took, told))
assert .999 * sum(float(r["exclusive_ns"]) - float(r["host_exclusive_ns"]) for r in rows) - 1e4 < own < 1.001 * library, (own, library)
# what the host took of the program is in its own clock, too
assert t["rest_ns"] + t["host_ns"] > .9 * (whole - library) - t["measuring_ns"], (t, whole, library)
P
}
at_best times

# --- Libraries outside of packages: with a header beside them, and without
mkdir -p opt/include opt/lib
printf 'int tally_count(int count);\nint tally_half(int count);\nint tally_sum(int count, ...);\n' > opt/include/tally.h
printf '#include "tally.h"\nint tally_count(int c) { return c; }\nint tally_half(int c) { return c / 2; }\nint tally_secret(int c) { return c; }\nint tally_sum(int c, ...) { return c; }\n' > tally.c
$CC -shared -fPIC -Iopt/include -Wl,-soname,libtally.so.2 -o opt/lib/libtally.so.2 tally.c || exit 1
ln -s libtally.so.2 opt/lib/libtally.so
printf '#include "tally.h"\nint tally_secret(int);\nint main(void) { return tally_count(4) + tally_half(4) + tally_secret(1) + tally_sum(0, 1) - 7; }\n' > use.c
$CC -Iopt/include -o use use.c -Lopt/lib -ltally -Wl,-rpath,"$dir/opt/lib" || exit 1
run 0 mastermind record --library tally -- ./use
holds err 'libtally.c.tally_half'
holds err '1 function of libtally.so.2 not recorded: no header declares tally_secret'
holds err '1 function of libtally.so.2 not recorded: variadic, so that arguments cannot be passed on: tally_sum'
mv opt/include away
run 3 mastermind record --library tally -- ./use
holds err 'libtally.so.2 is not recorded: no header of it was found'
run 3 mastermind record --library '*' -- ./use
holds err 'no library of'
mv away opt/include

# --- Scripts, and libraries that only the run opens
printf '#!/usr/bin/env python3\nimport zlib\nzlib.compress(b"abc" * 9000)\n' > letters.py
chmod +x letters.py
run 0 mastermind record --library z -- ./letters.py
holds err 'libz.c.deflate'
[ -d letters.py-1.mm ] || fail "no letters.py-1.mm"

# --- Marks of one's own
printf '%s\n' 'header zlib.h' 'function compress2' '  param bytes = sourceLen' > z.perf
run 7 mastermind record --library z --sidecar z.perf --no-report -o marked.mm -- ./pack
run 0 mastermind records marked.mm
holds out 'bytes'

# --- Marks without hands: numbers whose names tell nothing are tried; what explains the cost is kept
mkdir -p own/include own/lib
printf 'void own_f(int alpha, int beta, int gamma);\nvoid own_g(int fd, long blob, int knob);\nvoid own_h(int zap);\n' > own/include/own.h
cat > own.c <<'C'
#include "own.h"
static volatile double x = 1;
static void spin(long n) { for (long i = 0; i < n; i++) x = x * 1.0000001; }
void own_f(int alpha, int beta, int gamma) { (void)beta; (void)gamma; spin(alpha * 100L); }
void own_g(int fd, long blob, int knob) { (void)fd; spin(500 + blob * (knob == 2 ? 80 : 10)); }
void own_h(int zap) { (void)zap; spin(3000); }
C
cat > callown.c <<'C'
#include <stdlib.h>
#include "own.h"
int main(void)
{
    for (int i = 0; i < 400; i++) {
        own_f(5 + rand() % 300, rand() % 1000, 7);
        own_g(3 + i % 5, rand() % 200, 1 + rand() % 2);
        own_h(rand() % 99);
    }
    return 0;
}
C
$CC -O1 -shared -fPIC -Iown/include -Wl,-soname,libown.so.1 -o own/lib/libown.so.1 own.c || exit 1
ln -s libown.so.1 own/lib/libown.so
$CC -Iown/include -o callown callown.c -Lown/lib -lown -Wl,-rpath,"$dir/own/lib" || exit 1
own_laws() {
    rm -rf trial.mm kept.mm
    run 0 mastermind record --library own --suggest --no-report -o trial.mm -- ./callown
    sed -n '/^header/,$p' err > own.perf
    equal "marks that are kept" "param alpha param blob mode knob" \
        "$(sed -n 's/^    \(param\|mode\)  *\([a-z]*\) .*/\1 \2/p' own.perf | tr '\n' ' ' | sed 's/ $//')"
    holds own.perf 'was always 7'
    run 0 mastermind record --library own --sidecar own.perf --no-report -o kept.mm -- ./callown
    run 0 mastermind model kept.mm --json
    python3 - <<'P' || fail "laws by the marks that were kept"
import json
methods = {m["method"]: m["models"] for m in json.load(open("out"))["methods"]}
slope = {}
for name, key in (("own_f", "alpha"), ("own_g", "blob")):
    for model in methods[name]:
        terms = [t for t in model["terms"] if t["kind"] == "product" and t["factors"][0]["parameter"] == key]
        assert len(terms) == 1 and terms[0]["factors"][0]["exponent"] == 1 and not terms[0]["factors"][0]["logs"], model["formula"]
        slope[name, model["modes"].get("knob")] = terms[0]["factor_ns"]
# ten, eighty and a hundred turns of the same loop for each unit
assert abs(slope["own_g", 2] / slope["own_g", 1] - 8) < .8, slope
assert abs(slope["own_f", None] / slope["own_g", 1] - 10) < 1, slope
P
}
at_best own_laws
run 2 mastermind record --suggest -- ./callown

# --- Some of a library's functions
run 0 mastermind record --library own --only 'own_*' --except '*_g,own_h' --no-report -o only.mm -- ./callown
equal "--only and --except" "own_f" "$(mastermind records only.mm | tail -n +2 | cut -d, -f7 | sort -u | tr '\n' ' ' | sed 's/ $//')"
run 3 mastermind record --library own --only nothing --no-report -- ./callown
run 0 mastermind record --only own_f -- ./callown # it chooses among regions, too, and there is none

# --- Calls of some nanoseconds: the clock in each is not the library's time, and measuring is at most all
mkdir -p tiny/include tiny/lib
printf 'int tiny_count(int n);\n' > tiny/include/tiny.h
printf 'int tiny_count(int n) { for (volatile int i = 0; i < n; i++) ; return n; }\n' > tiny.c
cat > calltiny.c <<'C'
#include <stdio.h>
#include <time.h>
#include "tiny.h"
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return 1e9 * t.tv_sec + t.tv_nsec; }
int main(void)
{
    double t = now();
    for (int i = 0; i < CALLS; i++)
        tiny_count(20);
    printf("%.0f\n", now() - t);
    return 0;
}
C
$CC -O2 -shared -fPIC -Wl,-soname,libtiny.so.1 -o tiny/lib/libtiny.so.1 tiny.c || exit 1
ln -s libtiny.so.1 tiny/lib/libtiny.so
calls=${SOAK:+1000000}
$CC -O2 -DCALLS="${calls:-100000}" -Itiny/include -o calltiny calltiny.c -Ltiny/lib -ltiny -Wl,-rpath,"$dir/tiny/lib" || exit 1
short_calls() {
    for i in 1 2 3 4 5; do # by turns, the fastest of each: the host is not quiet
        ./calltiny >> alone
        rm -rf tiny.mm
        run 0 mastermind record --library tiny --no-report -o tiny.mm -- ./calltiny
        mastermind report tiny.mm --json > report-$i.json
    done
    python3 - <<'P' || fail "time of a library of short calls"
import json
alone = min(float(line) for line in open("alone"))
own = min(sum(i["own_ns"] for i in json.load(open(f"report-{k}.json"))["time"]["instances"]) for k in range(1, 6))
assert own < 4 * alone, (own, alone) # recording slows what is so short
about = json.load(open("tiny.mm/experiment.json"))
cost = {k: v for k, v in about["cost"].items() if k != "process_ns"}
assert sum(cost.values()) <= about["cost"]["process_ns"], about["cost"]
over = about["overhead"]
assert {m["entry"] for m in json.load(open("tiny.mm/rank-0000/methods.json"))["methods"]} == {"interposer"}
for cost in [*over["rows"].values(), *over["aggregates"].values()]:
    assert 0 < cost["loop_within_ns"] < cost["loop_ns"] <= cost["cold_ns"], over
last = json.load(open("report-5.json"))
assert sum(row["exclusive_ns"] for row in last["methods"]) == sum(i["own_ns"] for i in last["time"]["instances"])
assert last["call_least_ns"] <= last["call_ns"] <= last["call_most_ns"], last
P
}
at_best short_calls

# --- Ends, and wrong words
run 3 mastermind record --library nosuch -- ./pack
holds err "uses no library 'nosuch'"
run 3 mastermind record --library 'nosuch*' -- ./pack
run 127 mastermind record --library z -- ./nothing_here
run 127 mastermind record --list -- ./nothing_here
run 2 mastermind record --json --library z -- ./pack
run 2 mastermind record --sidecar z.perf -- ./pack

run 126 mastermind record --list -- /etc/passwd
printf '#include <signal.h>\n#include <zlib.h>\nint main(void) { return raise(zlibVersion() ? SIGTERM : 0); }\n' > end.c
$CC -o end end.c -lz || exit 1
run 143 mastermind record --library z -- ./end
holds err 'libz.c.zlibVersion'
head -c 3000 pack > cut && chmod +x cut
run 3 mastermind record --library z -- ./cut
finish
