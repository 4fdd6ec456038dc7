#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""One run with EFMFlux and shadow calls predicts runs with GodunovFlux and HLLCFlux.

usage: shadow.py [ROUNDS]     with ccafe and mastermind on PATH, from scripts/

By turns: EFMFlux with shadow calls of 1 %, EFMFlux without, both others, and EFMFlux with shadow calls of all calls.
Prints the error of each predicted own time, the error of the norms from the sample, the CPU time beyond that of the
rivals, and whether the pictures are the same."""
import csv
import filecmp
import json
import math
import os
import resource
import statistics
import subprocess
import sys
import tempfile

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../scripts/shock-demo.rc")
RIVALS = ("GodunovFlux", "HLLCFlux")


def run(flux, name, *options):
    """Make a run; return its CPU time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(["ccafe", "-D", f"FLUX={flux}", "-D", "NX=128", "-D", "NY=64", "-D", "PATCH=32", "-D", "T_END=.5", "-D",
                    f"PICTURE={name}.png", "--measure", "--experiment", f"{name}.mm", *options, SCRIPT],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def document(*words):
    return json.loads(subprocess.run(["mastermind", *words, "--json"], check=True, capture_output=True, text=True).stdout)


def norms(name):
    """Norms of the difference per call, and own time of all shadow calls."""
    text = subprocess.run(["mastermind", "records", f"{name}.mm/shadow"], check=True, capture_output=True, text=True).stdout
    squares, calls, own = {}, {}, 0.
    for row in csv.DictReader(text.splitlines()):
        squares[row["class"]] = squares.get(row["class"], 0) + float(row["o.difference"]) ** 2
        calls[row["class"]] = calls.get(row["class"], 0) + 1
        own += float(row["cpu_ns"]) * 1e-9
    return {c: math.sqrt(squares[c] / calls[c]) for c in squares}, own


def total(name):
    return document("report", f"{name}.mm")["total_ns"] * 1e-9


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    errors = {c: [] for c in RIVALS}
    off = {c: [] for c in RIVALS}
    beyond, same = [], True
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for i in range(rounds):
            names = {c: f"{c}{i}" for c in RIVALS}
            with_shadows = run("EFMFlux", f"s{i}", "--shadow", "flux=" + ",".join(RIVALS) + ":1%")
            without = run("EFMFlux", f"p{i}")
            for c in RIVALS:
                run(c, names[c])
            run("EFMFlux", f"a{i}", "--shadow", "flux=" + ",".join(RIVALS) + ":100%")
            sampled, own = norms(f"s{i}")
            everything, _ = norms(f"a{i}")
            same &= filecmp.cmp(f"s{i}.png", f"p{i}.png", False) and filecmp.cmp(f"a{i}.png", f"p{i}.png", False)
            beyond.append((with_shadows - own) / without - 1)
            for c in RIVALS:
                predicted = document("predict", f"s{i}.mm", "--set", f"flux={c}")["total_s"]
                errors[c].append(predicted / total(names[c]) - 1)
                off[c].append(sampled[c] / everything[c] - 1)
    for c in RIVALS:
        print(f"{c}: predicted time {statistics.median(errors[c]):+.1%} (median of {rounds}; "
              f"{min(errors[c]):+.1%} to {max(errors[c]):+.1%}), norms {statistics.median(off[c]):+.1%} "
              f"({min(off[c]):+.1%} to {max(off[c]):+.1%})")
    print(f"CPU beyond the rivals' own: {statistics.median(beyond):+.1%} ({min(beyond):+.1%} to {max(beyond):+.1%})")
    print("pictures identical" if same else "pictures DIFFER")


if __name__ == "__main__":
    main()
