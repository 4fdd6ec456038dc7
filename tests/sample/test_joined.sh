#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Samples and rows of one run: the report has the time outside of recorded calls by function, both agree about recorded
# calls, and where they do not, a line says so.
. "$(dirname "$0")/../lib/lib.sh"
skip_sanitized "sanitizers change where the time goes"
[ "$(uname -m)" = x86_64 ] && [ -e /usr/include/Zydis/Zydis.h ] || skip "no functions are recorded here"

cat > parts.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static volatile double sink;
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
#define WORK(name, step)                                                               \
    static __attribute__((noinline)) void name(int n)                                  \
    {                                                                                  \
        double s = 1;                                                                  \
        for (int i = 0; i < n; i++)                                                    \
            s = s * step + 1. / (s + i);                                               \
        sink = s;                                                                      \
    }
WORK(inner, .995) WORK(plain, .998) WORK(little, .997)
static __attribute__((noinline)) void recorded(int n)
{
    inner(n);
    sink += 1;
}
static void *thread(void *n)
{
    for (int i = 0; i < 300; i++)
        recorded(*(int *)n);
    return NULL;
}
int main(int argc, char **argv)
{
    double spent[3] = {0}, begin;
    int n = 60000;
    for (int i = 0; i < LOOPS; i++) {
        begin = now(); recorded(60000); spent[0] += now() - begin;
        begin = now(); plain(30000); spent[1] += now() - begin;
        begin = now(); little(10000); spent[2] += now() - begin;
    }
    printf("recorded %g\nplain %g\nlittle %g\n", spent[0], spent[1], spent[2]);
    if (argc > 1) {
        pthread_t threads[2];
        for (int i = 0; i < 2; i++)
            pthread_create(&threads[i], NULL, thread, &n);
        for (int i = 0; i < 2; i++)
            pthread_join(threads[i], NULL);
    }
    return argc - argc;
}
C
loops=${SOAK:+1500}
$CC -O2 -g -DLOOPS="${loops:-800}" -pthread -o parts parts.c || fail "cannot compile"
run 0 mastermind ./parts
grep -q '^no samples: ' err && skip "no samples here: $(cat err)"

cat > check.py <<'P'
import json, subprocess, sys
alone = {name: float(value) for name, value in (line.split() for line in open("out"))}
document = json.loads(subprocess.run(["mastermind", "report", sys.argv[1], "--json"], check=True, capture_output=True).stdout)
time = document["time"]
rest = {line.get("function", line["file"]): line for line in time["rest"]}
for name in ("plain", "little"):
    true, ours = alone[name], 1e-9 * rest[name]["ns"]
    assert abs(ours - true) < 5 * (true * .001) ** .5 + .05 * true, (name, true, ours)
    assert rest[name]["line"].startswith("parts.c:"), rest[name]
assert "inner" not in rest, rest  # it is inside of a recorded call
assert "unlike" not in time, time["unlike"]
assert 0 < time["samples"]["cost_ns"] < .02 * time["cpu_ns"], time
assert time["samples"]["count"] > 500 * sum(alone.values()), time
if "rest_ns" in time:
    parts = sum(i["own_ns"] for i in time["instances"]) + time["mpi_ns"] + time["host_ns"] + time["measuring_ns"] + time["rest_ns"]
    assert abs(parts - time["elapsed_ns"]) < 1e-3 * time["elapsed_ns"], time
    assert sum(line["ns"] for line in rest.values()) <= 1.001 * time["rest_ns"], time
P
run 0 mastermind record --functions recorded -o one.mm -- ./parts
python3 check.py one.mm || fail "one thread: $(cat out err)"
grep -q '^ .*  parts: plain  parts.c:' err || fail "no line of plain: $(cat err)"
sed -n '/^the program ran/,/in all$/p' err >first
mastermind report one.mm | sed -n '/^the program ran/,/in all$/p' >later
cmp -s first later || fail "report differs later: $(diff first later)"
run 0 mastermind record --functions recorded -o two.mm -- ./parts threads
python3 check.py two.mm || fail "threads: $(cat out err)"

# --- Rows and samples that cannot both be true
python3 - <<'P'
import json
document = json.load(open("one.mm/samples.json"))
del document["check"]
document["methods"][0]["samples"] //= 3
json.dump(document, open("one.mm/samples.json", "w"))
P
run 0 mastermind report one.mm
grep -q '^rows and samples differ: parts.function.recorded has .* by rows, .* by samples (+-' out || fail "no difference: $(cat out)"
finish
