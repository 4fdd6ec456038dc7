#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Threads per call for OpenBLAS from Python: rules of `choose --dispatch` against the best table.

usage: threads.py [ROUNDS [SEED]]

The program multiplies square matrices of 12 sizes, 5 to 500, in random order, with numpy (Debian: python3-numpy,
libopenblas0-pthread). One run of it with record --try threads=1,2 has the costs from which rules are made. The best table
has a rule for each size: the faster one of 1 and 2 threads, by exhaustive measuring (ROUNDS further runs, each call
with both). Then all run by turns, in random order, with record --dispatch FILE --no-rows; the program times its calls.
The cost of a run is the sum of the clock times of its calls, without the slowest tenth of each size, which the host has
disturbed most; ratios are of runs of the same round, with a 90 % bootstrap interval of their geometric mean."""
import csv, io, json, math, os, random, statistics, subprocess, sys, tempfile

SIZES = [5, 10, 20, 35, 50, 70, 100, 140, 200, 280, 350, 500]
PROGRAM = f"""
import json, random, sys, time
import numpy as np
rng, now = np.random.default_rng(1), time.perf_counter_ns
sizes = {SIZES}
pairs = {{n: (rng.random((n, n)), rng.random((n, n))) for n in sizes}}
times = {{n: [] for n in sizes}}
for r in range(int(sys.argv[1])):
    calls = [n for n in sizes for k in range(max(2, 1000 // n))]
    random.Random(r).shuffle(calls)
    for n in calls:
        a, b = pairs[n]
        begin = now()
        a @ b
        times[n].append(now() - begin)
print(json.dumps(times))
"""


def run(*words, output=True):
    done = subprocess.run(words, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return {int(n): t for n, t in json.loads(done.stdout).items()} if output else done.stdout


def rules(folder, name, threads):
    path = os.path.join(folder, name)
    with open(path, "w") as out:
        print("dispatch cblas-netlib.h/1", file=out)
        for n, t in threads.items():
            print(f"cblas_dgemm: threads={t}" + (f" when M = {n}" if n else ""), file=out)
    return path


def chosen_by(path, folder, command):
    """The number of threads that the rules give to each size, from rows of a run."""
    kept = os.path.join(folder, "chosen.mm")
    run("mastermind", "record", "--library", "blas", "--dispatch", path, "--no-report", "-o", kept, *command, "1")
    rows = csv.DictReader(io.StringIO(run("mastermind", "records", kept, "--csv", output=False)))
    return {n: t for n, t in sorted((int(r["p.M"]), int(r["class"][-1])) for r in rows if r["method"] == "cblas_dgemm")}


def interval(ratios, rng):
    logs = [math.log(r) for r in ratios]
    means = sorted(statistics.fmean(rng.choices(logs, k=len(logs))) for _ in range(4000))
    return tuple(math.exp(x) for x in (statistics.fmean(logs), means[200], means[-200]))


def main():
    rounds, rng = int(sys.argv[1]) if len(sys.argv) > 1 else 12, random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    with tempfile.TemporaryDirectory() as folder:
        path = lambda name: os.path.join(folder, name)
        with open(path("products.py"), "w") as out:
            out.write(PROGRAM)
        command = ["--", "/usr/bin/python3", path("products.py")]
        run("mastermind", "record", "--library", "blas", "--try", "threads=1,2", "--no-report", "-o", path("try.mm"), *command, "60")
        print(run("mastermind", "choose", path("try.mm"), "--dispatch", path("rules"), output=False), end="")
        ways = {"1 thread": rules(folder, "one", {0: 1}), "2 threads": rules(folder, "two", {0: 2}), "rules": path("rules")}

        def turn(ways):
            cost = {}
            for way in rng.sample(list(ways), len(ways)):
                times = run("mastermind", "record", "--library", "blas", "--dispatch", ways[way], "--no-rows", *command, "20")
                cost[way] = {n: sum(sorted(t)[: len(t) * 9 // 10]) for n, t in times.items()}
            return cost

        both = [turn({w: ways[w] for w in ("1 thread", "2 threads")}) for _ in range(rounds)]
        ratio = {n: statistics.median(r["2 threads"][n] / r["1 thread"][n] for r in both) for n in SIZES}
        print("2 threads / 1 thread:", " ".join(f"{n}:{r:.2f}" for n, r in ratio.items()))
        chosen = chosen_by(ways["rules"], folder, command)
        cost = lambda t: sum(statistics.median(r[("1 thread", "2 threads")[t[n] - 1]][n] for r in both) for n in SIZES)
        best = {n: 1 + (r < 1) for n, r in ratio.items()}
        print("rules choose", " ".join(f"{n}:{t}" for n, t in chosen.items()))
        print("the best table", " ".join(f"{n}:{t}" for n, t in best.items()))
        print("by these measurements the rules cost %.2f %% more than the table" % (100 * cost(chosen) / cost(best) - 100))
        ways["table"] = rules(folder, "table", best)
        turns = [{w: sum(c.values()) for w, c in turn(ways).items()} for _ in range(rounds)]
        for way in ("rules", "1 thread", "2 threads"):
            print("%-9s / table  %.3f (90 %%: %.3f to %.3f), %d rounds"
                  % (way, *interval([t[way] / t["table"] for t in turns], rng), rounds))
        print("load", *os.getloadavg())


main()
