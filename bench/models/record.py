#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""record.py: record the kernels on this machine and write them as cases of the benchmark of models.

    record.py DIR [--seed N] [--busy] [--calls N] [--from CALLS.csv]

Each kernel makes two cases, by wall time and by CPU time of the thread. The truth is measured in the same run, with calls in
one shuffled order: typ is the one-sided robust mean of the repeats at a point, mean and sd are those of all of them; `noise`
is how far the two halves of the repeats are apart, in percent: no predictor can be expected to do better."""
import argparse
import csv
import os
import random
import statistics
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from generate import write_case

SETS = ("interp", "x2", "x4", "x16")


def robust_mean(values):
    """Mean without what is further above the median than 4 times the scale of the lower half."""
    kept = sorted(values)
    for _ in range(20):
        median = statistics.median(kept)
        scale = 1.4826 * statistics.median([median - v for v in kept if v <= median])
        rest = [v for v in kept if v <= median + 4 * scale]
        if len(rest) == len(kept):
            break
        kept = rest
    return statistics.fmean(kept)


def describe(name, values):
    typ = robust_mean(values)
    halves = [robust_mean(values[::2]), robust_mean(values[1::2])]
    return {"set": name, "typ": typ, "mean": statistics.fmean(values), "sd": statistics.stdev(values), "draws": values,
            "noise": 100 * abs(halves[0] - halves[1]) / typ / 2}


def make_case(directory, kernel, clock, calls, rng):
    """`calls`: (mode, size, set, time) of one kernel by one clock."""
    modes = sorted({c[0] for c in calls})
    line = lambda mode, size: [size] + ([mode] if len(modes) > 1 else [])
    samples = [line(mode, size) + [t] for mode, size, where, t in calls if where == "train"]
    rng.shuffle(samples)
    groups = {}
    for mode, size, where, t in calls:
        if where != "train":
            groups.setdefault((SETS.index(where), size, mode), []).append(t)
    points, truth = [], {"points": [], "exponents": []}
    ends = {}
    for (where, size, mode), values in sorted(groups.items()):
        ends[SETS[where], mode] = len(points)
        points.append(line(mode, size))
        truth["points"].append(describe(SETS[where], values))
    for mode in modes:
        truth["exponents"].append({"parameter": "Q", "mode": mode, "low": ends["x4", mode], "high": ends["x16", mode]})
    about = {"name": "real_%s_%s" % (kernel, clock), "family": "real", "real": True, "parameters": ["Q"],
             "modes": ["mode"] if len(modes) > 1 else [], "unit": "ns"}
    write_case(directory, about, samples, points, truth)


def record(options):
    if options.calls_file:
        with open(options.calls_file, encoding="utf-8") as file:
            return file.read().splitlines()
    program = os.path.join(os.environ.get("O", "build/release"), "bench", "models", "kernels")
    command = [program, "--seed", str(options.seed), "--calls", str(options.calls)] + ["--busy"] * options.busy
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit("record.py: %s" % error)


def main():
    parser = argparse.ArgumentParser(description="record kernels as cases of the benchmark of models")
    parser.add_argument("directory")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--calls", type=int, default=12, help="calls of training at each size")
    parser.add_argument("--busy", action="store_true", help="a process on the same CPU spins now and then")
    parser.add_argument("--from", dest="calls_file", help="calls that `kernels` has printed")
    options = parser.parse_args()
    kernels = {}
    for row in csv.DictReader(record(options)):
        for clock in ("wall", "cpu"):
            kernels.setdefault((row["kernel"], clock), []).append(
                (int(row["mode"]), int(row["size"]), row["set"], int(row[clock + "_ns"])))
    for (kernel, clock), calls in kernels.items():
        make_case(options.directory, kernel, clock, calls, random.Random("%d/%s" % (options.seed, kernel)))
    print("%d recorded cases in %s" % (len(kernels), options.directory))


if __name__ == "__main__":
    main()
