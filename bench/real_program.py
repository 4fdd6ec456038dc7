#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""real_program.py: what a real program pays for being measured, and what it states to have paid.

The shock problem runs unmeasured and measured in turns, short (25 calls) and long (214,318).
What was found is the CPU time of the processes, of their threads and in the kernel, as getrusage has
it of children: at the start the difference of short runs, a call the difference of long ones less
that, divided by the calls. The least of all runs of a kind counts: what else the machine does only
adds. What was stated is `cost` in the experiment.json of that run. Exit 0; 1: a bar is missed; 2: misuse; 5: a run failed."""
import argparse
import json
import os
import statistics
import sys

sys.dont_write_bytecode = True # no bench/__pycache__
import paired_runs
from paired_runs import PARTS

MOST_START_MS, MOST_CALL_NS = 8, 70
SHORT = ["-D", "NX=16", "-D", "NY=16", "-D", "PATCH=0", "-D", "T_END=0.0001"]
LONG = ["-D", "NX=128", "-D", "NY=32", "-D", "PATCH=4", "-D", "T_END=0.25"]


def run(size, measured):
    script = os.path.join(paired_runs.SCRIPTS, "shock-demo.rc")
    return paired_runs.run(["-D", "FLUX=EFMFlux", "-D", "PICTURE=picture.png", *size, script], measured)


def compare(size, pairs):
    """Of runs without and with, in turns: the least of each, in ms; what the least measured one states, and its calls."""
    without, measured, differences = [], [], []
    for _ in range(pairs):
        without.append(run(size, False)[0])
        measured.append(run(size, True))
        differences.append(measured[-1][0] - without[-1])
    took, about = min(measured, key=lambda one: one[0])
    quartiles = statistics.quantiles(differences, n=4)
    return {"unmeasured": min(without), "found": took - min(without), "low": quartiles[0], "high": quartiles[2],
            "calls": paired_runs.calls_of(about), "parts": paired_runs.parts_of(about)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--pairs", type=int, default=21, help="runs of each kind (21)")
    parser.add_argument("--json", action="store_true", help="one line of JSON")
    paired_runs.add_other_options(parser)
    options = parser.parse_args()
    if options.pairs < 2:
        parser.error("--pairs: expected at least 2")
    run(SHORT, True)  # files into the page cache
    start, long = compare(SHORT, options.pairs), compare(LONG, options.pairs)
    call_ns = 1e6 * (long["found"] - start["found"]) / (long["calls"] - start["calls"])
    stated_start = sum(start["parts"].values())
    stated_ns = 1e6 * (sum(long["parts"].values()) - stated_start) / (long["calls"] - start["calls"])
    met = (start["found"] <= MOST_START_MS, call_ns <= MOST_CALL_NS)
    if options.json:
        print(json.dumps({"schema": "mastermind/bench/real_program/1", "start": start, "long": long,
                          "call_ns": call_ns, "stated_start_ms": stated_start, "stated_call_ns": stated_ns,
                          "bars": {"start_ms": MOST_START_MS, "call_ns": MOST_CALL_NS}, "met": met}))
        return 0 if all(met) else 1
    print("shock-demo.rc, CPU time of the process, least of %d runs of a kind [quartiles of differences]" % options.pairs)
    print("           unmeasured       found           stated    bar")
    print("start       %7.1f ms  %5.1f ms [%.1f, %.1f]  %5.1f ms  %3d ms  %s" %
          (start["unmeasured"], start["found"], start["low"], start["high"], stated_start, MOST_START_MS,
           "met" if met[0] else "MISSED"))
    print("a call      %7.1f ms  %5.0f ns             %5.0f ns  %3d ns  %s" %
          (long["unmeasured"], call_ns, stated_ns, MOST_CALL_NS, "met" if met[1] else "MISSED"))
    calls = long["calls"]
    print("a call as stated: begin and end %.0f ns, files %.0f, helper %.0f" % tuple(
        1e6 * (long["parts"][part] - start["parts"][part]) / calls for part in PARTS[:3]))
    return 0 if all(met) else 1


sys.exit(main())
