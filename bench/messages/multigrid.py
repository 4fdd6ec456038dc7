#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Run programs/multigrid (464,904 messages of two ranks) plain and sampled in turns, and compare.

    bench/messages/multigrid.py [--again N] [--flavour F] [--json] [REQUEST...]

What is compared is the median of solve_s over the runs, time inside MPI not measured. Exit 1 where
a bar is missed; 0 else, also where the machine is too loud to say: where the plain runs differ by
more than 5 % between their quartiles.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TREE = os.environ.get("O", os.path.join(ROOT, "build/release"))
PROGRAM = ["--n", "64", "--nz", "48", "--solves", "2"]
PLAIN = ""
BARS = {"P-0.01-FREQ": 1.03, "P-0.9-FREQ": 1.20, "P-1-WRITE": 1.30}


def solve_s(flavour, request, folder):
    """Seconds of one run."""
    command = [os.path.join(ROOT, "tests/lib/mpirun.sh"), flavour, "2"]
    if request != PLAIN:
        command += [os.path.join(TREE, "bin/mastermind"), "record", "--mpi", flavour, "--mpi-time", "off",
                    "--messages", request, "-o", os.path.join(folder, "x.mm"), "--"]
    command += [os.path.join(TREE, "programs", flavour, "multigrid")] + PROGRAM
    done = subprocess.run(command, env=dict(os.environ, MPIRUN_SECONDS="120"), text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    for line in done.stdout.splitlines():
        words = line.split()
        if done.returncode == 0 and words[:1] == ["solve_s"]:
            return float(words[1])
    sys.exit(f"multigrid.py: '{request or 'plain'}' under {flavour} ended with {done.returncode}")


def quartile(values, quarter):
    return sorted(values)[quarter * (len(values) - 1) // 4]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--again", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--flavour", action="append", choices=["openmpi", "mpich"])
    parser.add_argument("requests", nargs="*")
    options = parser.parse_args()
    requests = [PLAIN] + (options.requests or list(BARS))
    missed = 0
    for flavour in options.flavour or ["openmpi"]:
        seconds = {request: [] for request in requests}
        for _ in range(options.again):
            for request in requests:
                with tempfile.TemporaryDirectory() as folder:
                    seconds[request].append(solve_s(flavour, request, folder))
        plain = statistics.median(seconds[PLAIN])
        spread = (quartile(seconds[PLAIN], 3) - quartile(seconds[PLAIN], 1)) / plain
        quiet = spread <= .05
        for request in requests[1:]:
            ratio = statistics.median(seconds[request]) / plain
            bar = BARS.get(request)
            met = bar is None or ratio <= bar
            missed |= not met and quiet
            if options.json:
                print(json.dumps({"flavour": flavour, "request": request, "plain_s": plain, "ratio": ratio,
                                  "least": min(seconds[request]) / min(seconds[PLAIN]), "bar": bar,
                                  "quiet": quiet}))
                continue
            word = "met" if met else "MISSED" if quiet else "not met, too loud here to say"
            print(f"{flavour:8} {request:16} plain {plain:6.3f} s  ratio {ratio:5.3f}"
                  f"  of the fastest {min(seconds[request]) / min(seconds[PLAIN]):5.3f}"
                  + (f"  bar {bar}  {word}" if bar else ""))
    sys.exit(1 if missed else 0)


main()
