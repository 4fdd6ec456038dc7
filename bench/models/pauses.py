#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""pauses.py: does a process that takes the CPU away move the models?

    pauses.py [--runs N] [--spinners N]

The loops of laws.py are measured in turns alone and beside processes that spin on the same CPU, all rows kept, and the mean and
the typical cost that the models give at the sizes of each loop are compared. All loops are shorter than a time slice. Exit 0;
1: the median change of a loop is more than 2 %; 5: a program failed."""
import argparse
import csv
import io
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import laws

MOST = 2.0
SIZES = [32 << i for i in range(8)]


def grow(first):
    """Eight sizes, each half as much again, as LawsDriver.c has them."""
    sizes = [first]
    while len(sizes) < 8:
        sizes.append(sizes[-1] + sizes[-1] // 2)
    return sizes


SIZES_OF = {"line_square": [n // 4 for n in SIZES], "square": grow(30), "cube": grow(10)}


def measure(directory, tree):
    """{method: [(typ, mean) at each size]} of one run."""
    shutil.rmtree(os.path.join(directory, "run.mm"), ignore_errors=True)
    laws.run(["ccafe", "--measure", "--experiment", "run.mm", "--storage", "rows", "laws.rc"], directory, tree)
    found = {}
    for method in (m for m in laws.LAWS if m != "sort"):
        with open(os.path.join(directory, "points.csv"), "w", encoding="utf-8") as file:
            file.write("n\n" + "".join("%d\n" % n for n in SIZES_OF.get(method, SIZES)))
        text = laws.run(["mastermind", "predict", "run.mm", "--points", "points.csv", "--method", method], directory, tree)
        found[method] = [(float(row["typ"]), float(row["mean"])) for row in csv.DictReader(io.StringIO(text))]
    return found


def main():
    parser = argparse.ArgumentParser(description="compare models of a quiet and a busy CPU")
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--spinners", type=int, default=1)
    options = parser.parse_args()
    tree = os.path.abspath(os.environ.get("O", "build/release"))
    cpu = sorted(os.sched_getaffinity(0))[-1]
    os.sched_setaffinity(0, {cpu})
    quiet, busy = [], []
    with tempfile.TemporaryDirectory(prefix="mm-pauses-") as directory:
        laws.prepare(directory, False, tree)
        measure(directory, tree)  # files into the page cache
        for _ in range(options.runs):
            quiet.append(measure(directory, tree))
            load = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(options.spinners)]
            try:
                busy.append(measure(directory, tree))
            finally:
                for process in load:
                    process.kill()
                    process.wait()
    print("change beside %d processes that spin, %%: median over %d sizes of medians of %d runs\nlaw               typ     mean" % (
        options.spinners, len(SIZES), options.runs))
    worst = 0.0
    for method in quiet[0]:
        changes = []
        for which in (0, 1):
            at = lambda runs, i, m=method, w=which: statistics.median(r[m][i][w] for r in runs)
            changes.append(100 * statistics.median(at(busy, i) / at(quiet, i) - 1 for i in range(len(SIZES))))
        print("%-14s %+6.2f   %+6.2f" % (method, *changes))
        worst = max(worst, *map(abs, changes))
    return 0 if worst <= MOST else 1


if __name__ == "__main__":
    sys.exit(main())
