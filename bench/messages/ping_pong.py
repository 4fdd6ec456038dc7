#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Run ping_pong under each request, several times in turns, and compare with the bars.

    bench/messages/ping_pong.py [--again N] [--blocks N] [--json] [REQUEST...]

Each run alternates plain and wrapped blocks; what is compared is the median over the runs of the
median ratio of neighbouring blocks. Exit 1 where a bar is missed; 0 else, also where the machine
is too loud to say: where runs of one request differ by more than 4 % between their quartiles.
`of tenths` is the ratio of the 10th percentiles of the blocks' times, which load disturbs least.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SMALL, LARGE = 4, 16384
# request -> flavour -> most at 4 bytes
BARS = {
    "P-0-OFF": {"openmpi": 1.05},
    "P-0.01-FREQ": {"openmpi": 1.06, "mpich": 1.15},
    "P-0.1-FREQ": {"openmpi": 1.15},
    "P-0.9-FREQ": {"openmpi": 1.55, "mpich": 1.55},
    "P-0.5-WRITE": {"openmpi": 1.61},
}
LARGE_BAR = 1.02


def run(flavour, request, blocks, sizes):
    """[(bytes, plain_us, wrapped_us, ratio, ratio of the 10th percentiles)] of one run."""
    tree = os.environ.get("O", os.path.join(ROOT, "build/release"))
    environment = dict(os.environ, MASTERMIND_RECORD_MESSAGES=request, MASTERMIND_RECORD_MPI_TIME="off",
                       MASTERMIND_RECORD="0", MASTERMIND_RECORD_CHILDREN="1",
                       MPIRUN_SECONDS="60")
    command = [os.path.join(ROOT, "tests/lib/mpirun.sh"), flavour, "2",
               os.path.join(tree, "bench", flavour, "ping_pong"), str(blocks)] + [str(s) for s in sizes]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"ping_pong.py: '{request}' under {flavour} ended with {done.returncode}")
    rows = []
    for line in done.stdout.splitlines():
        words = [float(w) for w in line.split()]
        rows.append((int(words[0]), words[3], words[4], words[6], words[2] / words[1]))
    return rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--again", type=int, default=7)
    parser.add_argument("--blocks", type=int, default=150)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--flavour", action="append")
    parser.add_argument("requests", nargs="*")
    options = parser.parse_args()
    requests = options.requests or list(BARS)
    flavours = options.flavour or ["openmpi", "mpich"]
    found, missed = {}, 0
    for turn in range(options.again):
        for flavour in flavours:
            for request in requests:
                for size, *row in run(flavour, request, options.blocks, (SMALL, LARGE)):
                    found.setdefault((flavour, request, size), []).append(row)
        if sys.stderr.isatty():
            print(f"\rping_pong: {turn + 1} of {options.again}", end="", file=sys.stderr)
    for (flavour, request, size), rows in found.items():
        ratios = sorted(r[2] for r in rows)
        ratio = statistics.median(ratios)
        spread = ratios[(3 * len(ratios)) // 4] - ratios[len(ratios) // 4]
        bar = LARGE_BAR if size >= LARGE else BARS.get(request, {}).get(flavour)
        quiet = spread <= .04
        met = bar is None or ratio <= bar
        missed |= not met and quiet
        plain, wrapped = (statistics.median(r[i] for r in rows) for i in (0, 1))
        tenth = statistics.median(r[3] for r in rows)
        if options.json:
            print(json.dumps({"flavour": flavour, "request": request, "bytes": size, "plain_us": plain,
                              "wrapped_us": wrapped, "ratio": ratio, "tenth": tenth, "low": ratios[0], "high": ratios[-1],
                              "bar": bar, "quiet": quiet}))
        else:
            word = "" if bar is None else "  met" if met else "  MISSED" if quiet else "  not met, too loud"
            print(f"{flavour:8} {request:16} {size:6} B  plain {plain:8.3f} us  wrapped {wrapped:8.3f}"
                  f"  ratio {ratio:5.3f} [{ratios[0]:.3f}, {ratios[-1]:.3f}]  of tenths {tenth:5.3f}"
                  + (f"  bar {bar}{word}" if bar else ""))
    sys.exit(1 if missed else 0)


main()
