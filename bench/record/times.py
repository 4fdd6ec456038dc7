#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# The time of a library in programs of Debian, by `mastermind record` and by a timer of ours in front of the same
# functions, without recorder: by turns, the fastest of RUNS runs each. usage: times.py [RUNS]
import json, os, re, statistics, subprocess, sys, tempfile

RUNS = int(sys.argv[1]) if len(sys.argv) > 1 else 7
SQL = """create table t(a integer primary key, b text, c real);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 60000)
insert into t select i, hex(i * 7919), i * .5 from n;
select count(*), sum(a) from t where b like '%A%'; select * from t;"""
# program, library, functions to leave out of both, as short calls are; standard input
PROGRAMS = [(["bzip2", "-kc", "text"], "bz2", "", None), (["xz", "-3kc", "text"], "lzma", "", None),
            (["xmllint", "--noout", "big.xml"], "xml2", "", None), (["git", "hash-object", "-w", "text"], "z", "", None),
            (["sqlite3", "-csv", ":memory:"], "sqlite3", "", SQL),
            (["sqlite3", "-csv", ":memory:"], "sqlite3", "sqlite3_column_*", SQL)]
# these take or give floating-point numbers, or a variable number of arguments
NO_INTEGERS = re.compile("double|printf|_config|_log$|Error|Float|Number")
TIMER = """#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <x86intrin.h>
static __thread int depth;
static unsigned long long ticks, calls, at_start;
static double begun;
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return 1e9 * t.tv_sec + t.tv_nsec; }
__attribute__((constructor)) static void start(void) { begun = now(); at_start = __rdtsc(); }
__attribute__((destructor)) static void end(void)
{
    double per = (now() - begun) / (__rdtsc() - at_start);
    unsigned long long empty = 0;
    char own[64] = "";
    FILE *file = fopen("/proc/self/comm", "r");
    if (file && fgets(own, sizeof own, file)) own[strcspn(own, "\\n")] = 0;
    if (!getenv("TIMED") || strcmp(own, getenv("TIMED"))) return;
    for (int i = 0; i < 10000; i++) { unsigned long long a = __rdtsc(); empty += __rdtsc() - a; }
    file = fopen(getenv("TIMES"), "w");
    if (file) { fprintf(file, "%.0f %llu\\n", (ticks - calls * (empty / 10000.)) * per, calls); fclose(file); }
}
#define TIME(f) \\
    long f(long a, long b, long c, long d, long e, long g, long h, long i, long j, long k) { \\
        static long (*real)(long, long, long, long, long, long, long, long, long, long); \\
        if (!real) real = (long (*)(long, long, long, long, long, long, long, long, long, long))dlsym(RTLD_NEXT, #f); \\
        if (depth) return real(a, b, c, d, e, g, h, i, j, k); \\
        depth = 1; \\
        unsigned long long t = __rdtsc(); \\
        long r = real(a, b, c, d, e, g, h, i, j, k); \\
        ticks += __rdtsc() - t; \\
        calls++; depth = 0; \\
        return r; }
"""


def run(words, text, **more):
    return subprocess.run(words, input=text, check=True, capture_output=True, text=text is not None, **more)


os.chdir(tempfile.mkdtemp())
with open("text", "w") as file:
    file.writelines(f"{i * 2654435761 % 4294967296:x} the line {i} of a text\n" for i in range(250000))
with open("big.xml", "w") as file:
    file.write("<a>" + "".join(f'<b n="{i}"><c>text {i}</c></b>\n' for i in range(60000)) + "</a>")
run(["git", "init", "-q"], None)
print(f"{'program':10} {'library':9} {'calls':>9} {'timer ms':>9} {'record ms':>9}   difference   median of the timer")
for words, library, without, text in PROGRAMS:
    listed = json.loads(run(["mastermind", "record", "--list", "--json", "--", words[0]], None).stdout)
    functions = next(e for e in listed["libraries"] if e["library"] == library)["headers"]
    functions = [f for header in functions for f in header["functions"]]
    pattern = re.compile(without.replace("*", ".*") + "$") if without else None
    functions = [f for f in functions if not NO_INTEGERS.search(f) and not (pattern and pattern.match(f))]
    with open("timer.c", "w") as file:
        file.write(TIMER + "".join(f"TIME({f})\n" for f in functions))
    run("cc -O2 -w -shared -fPIC -o timer.so timer.c -ldl".split(), None)
    timer, record = [], []
    for i in range(RUNS):
        run(["find", ".git/objects", "-type", "f", "-delete"], None) # what is there is not written again
        run(["env", f"LD_PRELOAD={os.getcwd()}/timer.so", f"TIMED={words[0]}", f"TIMES={os.getcwd()}/times", *words], text)
        ns, calls = map(float, open("times").read().split())
        timer.append(ns)
        run(["rm", "-rf", "run.mm"], None)
        run(["find", ".git/objects", "-type", "f", "-delete"], None)
        run(["mastermind", "record", "--library", library, "--only", ",".join(functions), "--no-report", "-o", "run.mm", "--", *words], text)
        report = json.loads(run(["mastermind", "report", "run.mm", "--json"], None).stdout)
        record.append(sum(e["own_ns"] for e in report["time"]["instances"]))
        assert report["time"]["rest_ns"] >= 0
    a, b = min(timer), min(record)
    print(f"{words[0]:10} {library:9} {calls:9.0f} {a / 1e6:9.2f} {b / 1e6:9.2f}   {100 * (b / a - 1):+8.1f} %   "
          f"{100 * (statistics.median(timer) / a - 1):+.1f} %", flush=True)
