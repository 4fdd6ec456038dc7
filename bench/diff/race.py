#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Score `mastermind race` on real runs beside whatever else this machine does: equal programs, the same under
# another name, and programs that compute 3 %, 5 % and five times more. usage: race.py [RACES]
import json, os, statistics, subprocess, sys, tempfile

RACES = int(sys.argv[1]) if len(sys.argv) > 1 else 100
SOURCE = """
#include <stdio.h>
static volatile double sink;
__attribute__((noinline)) double kernel(long n)
{
    double s = 0;
    for (long i = 0; i < n; i++)
        s += i * 1e-3 / (i & 7 | 1);
    return s;
}
int main(void)
{
    sink = kernel(%d);
    puts("done");
    return 0;
}
"""
SORT = """
#include <stdio.h>
#include <stdlib.h>
static int compare(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}
int main(void)
{
    int n = %d, *v = malloc(n * sizeof *v);
    unsigned s = 1;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < n; i++) {
            s = s * 1103515245 + 12345;
            v[i] = s >> 8;
        }
        qsort(v, n, sizeof *v, compare);
    }
    printf("%%d\\n", v[n / 2]);
    return 0;
}
"""
os.chdir(tempfile.mkdtemp())
for name, work in (("base", 100), ("more3", 103), ("more5", 105), ("five", 500)):
    open(name + ".c", "w").write(SOURCE % (work * 100000))
    subprocess.run(["cc", "-O2", "-o", name, name + ".c"], check=True)
for name, count in (("sort", 200000), ("sort-more5", 209000)):
    open(name + ".c", "w").write(SORT % count)
    subprocess.run(["cc", "-O2", "-o", name, name + ".c"], check=True)
os.link("base", "the-same-under-a-much-longer-name")
print(f"{RACES} races a row; load {os.getloadavg()[0]:.1f} at the start")
print(f"{'B against A':36} worse better  same  open  pairs (median)")
for first, name in (("base", "base"), ("base", "the-same-under-a-much-longer-name"), ("base", "more3"),
                    ("base", "more5"), ("base", "five"), ("sort", "sort-more5")):
    verdicts, pairs = [], []
    for race in range(RACES):
        done = subprocess.run(["mastermind", "race", "--json", "--seed", str(race), "./" + first, "--", "./" + name],
                              capture_output=True, text=True)
        document = json.loads(done.stdout)
        verdicts.append(document["cpu_s"]["verdict"])
        pairs.append(document["pairs"])
        if sys.stderr.isatty():
            print(f"\r{name} {race + 1}", end="", file=sys.stderr)
    print(f"{name:36} " + " ".join(f"{verdicts.count(v):5}" for v in ("worse", "better", "same", "open")),
          f"  {statistics.median(pairs):5}", flush=True)
print(f"load {os.getloadavg()[0]:.1f} at the end")
