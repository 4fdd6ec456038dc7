#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Score `mastermind race` on real runs beside whatever else this machine does: equal programs, the same under
# another name, and programs that compute 3 %, 5 % and five times more.
import argparse, json, os, statistics, subprocess, sys, tempfile

parser = argparse.ArgumentParser(description="score mastermind race")
parser.add_argument("races", nargs="?", type=int, default=100, help="races of each row (default: 100)")
parser.add_argument("--rows", metavar="NAME,...", help="only these rows: base, name, more3, more5, five, sort")
parser.add_argument("--seed", type=int, default=0, help="of the first race (default: 0)")
parser.add_argument("--beside-compiler", action="store_true", help="compile in a loop beside the races")
parser.add_argument("--keep", metavar="FILE", help="append the document of each race to FILE, a line each")
parser.add_argument("--options", metavar="TEXT", default="", help="options of race, '--budget=1s'")
given = parser.parse_args()
keep = open(given.keep, "a") if given.keep else None
RACES = given.races
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
ROWS = {"base": ("base", "base"), "name": ("base", "the-same-under-a-much-longer-name"), "more3": ("base", "more3"),
        "more5": ("base", "more5"), "five": ("base", "five"), "sort": ("sort", "sort-more5")}
rows = given.rows.split(",") if given.rows else list(ROWS)


def race(row, seed):
    first, name = ROWS[row]
    done = subprocess.run(["mastermind", "race", "--json", "--seed", str(seed), *given.options.split(),
                           "./" + first, "--", "./" + name], capture_output=True, text=True)
    document = json.loads(done.stdout)
    if keep:
        print(json.dumps({"row": row, "seed": seed, "load": os.getloadavg()[0], **document}), file=keep, flush=True)
    return document


compiler = None
if given.beside_compiler:
    compiler = subprocess.Popen(["sh", "-c", "while cc -O2 -c -o beside.o sort.c; do :; done"])
try:
    print(f"{RACES} races a row; load {os.getloadavg()[0]:.1f} at the start")
    print(f"{'B against A':36} worse better  same  open  memory  load: first, median, last  pairs (median)")
    documents, loads = {row: [] for row in rows}, []
    for number in range(RACES):  # the rows take turns, so that they see the same load
        for row in rows:
            documents[row].append(race(row, given.seed + number))
            loads.append(os.getloadavg()[0])
        if sys.stderr.isatty():
            print(f"\r{number + 1}", end="", file=sys.stderr)
    for row in rows:
        cpu = [d["cpu_s"]["verdict"] for d in documents[row]]
        memory = sum(d["peak_bytes"]["verdict"] in ("worse", "better") for d in documents[row])
        print(f"{ROWS[row][1]:36} " + " ".join(f"{cpu.count(v):5}" for v in ("worse", "better", "same", "open")),
              f" {memory:6}  {loads[0]:.1f} {statistics.median(loads):.1f} {loads[-1]:.1f}",
              f"  {statistics.median(d['pairs'] for d in documents[row]):5}", flush=True)
finally:
    if compiler:
        compiler.terminate()
