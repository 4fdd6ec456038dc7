#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""adaptive_program.py: what the adaptive shock code pays for being measured, as a part of its CPU time.

scripts/shock-amr.rc runs on one rank with GodunovFlux, unmeasured and measured in turns:

    physics   base 256 x 64, three levels, patches as they come, to t = 0.1: 50,000 calls a second
    patches   the vortex on 1,029 patches of 8 x 8 cells on three levels: 200,000 calls a second

The CPU time of a process is that of its threads, and in the kernel. What counts is the median of the
differences in pairs, less that of the start (runs of one step, in turns as well), over the median of
the unmeasured runs; behind +- two standard errors of it, from the median absolute deviation. If they are
more than half of the bar, the host is too noisy, and the bar is not judged. Beside it stands the same of the
fastest run of each kind: what else the machine does only adds. Exit 0; 1: a bar is
missed or not judged; 2: misuse; 5: a run failed."""
import argparse
import json
import os
import re
import statistics
import sys
import tempfile

sys.dont_write_bytecode = True # no bench/__pycache__
import paired_runs

HOUSE_NS = 70  # a call
LEAST_PAIRS = 11
CLASSES = ["-D", "FLUX=GodunovFlux", "-D", "STATES=States", "-D", "GHOSTS=GhostsPerNeighbour", "-D", "BALANCE=every:20",
           "-D", "LEVELS=3", "-D", "PICTURE=picture.png"]
START = ["-D", "NX=16", "-D", "NY=16", "-D", "PATCH=0", "-D", "T_END=0.0001"]
PHYSICS = ["-D", "NX=256", "-D", "NY=64", "-D", "PATCH=0", "-D", "T_END=0.1"]
PATCHES = ["-D", "NX=56", "-D", "NY=56", "-D", "PATCH=8", "-D", "T_END=0.1"]
CASES = {"physics": (PHYSICS, .01), "patches": (PATCHES, .02)}


def vortex_script(directory):
    """shock-amr.rc with the vortex, all of which is refined: no patch is cheap, and each has 8 x 8 cells."""
    with open(os.path.join(paired_runs.SCRIPTS, "shock-amr.rc"), encoding="utf-8") as file:
        text = file.read()
    text, problems = re.subn(r"(?m)^(parameter +initial +config +problem +).*$", r"\g<1>vortex", text)
    more = ["parameter boundary config %s periodic" % side for side in ("xlo", "xhi", "ylo", "yhi")]
    more.append("parameter estimator config threshold 0")
    text, ends = re.subn(r"(?m)^go ", "\n".join(more) + "\ngo ", text)
    if (problems, ends) != (1, 1):
        sys.exit("adaptive_program.py: scripts/shock-amr.rc has changed")
    path = os.path.join(directory, "vortex.rc")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def middle(values):
    """Median, and two standard errors of it."""
    median = statistics.median(values)
    deviation = statistics.median(abs(value - median) for value in values)
    return median, 2 * 1.2533 * 1.4826 * deviation / len(values) ** .5


def pairs(arguments, count):
    without, with_proxies, abouts = [], [], []
    for number in range(count):
        took = {}
        for measured in (False, True) if number % 2 else (True, False):
            took[measured], about = paired_runs.run(arguments, measured)
            abouts += [about] * measured
        without.append(took[False])
        with_proxies.append(took[True])
    found, error = middle([more - less for more, less in zip(with_proxies, without)])
    stated = statistics.median(sum(paired_runs.parts_of(about).values()) for about in abouts)
    return {"unmeasured_ms": statistics.median(without), "found_ms": found, "error_ms": error, "stated_ms": stated,
            "least_unmeasured_ms": min(without), "least_found_ms": min(with_proxies) - min(without),
            "calls": paired_runs.calls_of(abouts[0])}


def judge(case, start, bar):
    whole = case["unmeasured_ms"]
    case["calls_per_s"] = 1e3 * case["calls"] / whole
    case["share"] = (case["found_ms"] - start["found_ms"]) / whole
    case["error"] = (case["error_ms"] ** 2 + start["error_ms"] ** 2) ** .5 / whole
    case["least"] = (case["least_found_ms"] - start["least_found_ms"]) / case["least_unmeasured_ms"]
    case["stated"] = (case["stated_ms"] - start["stated_ms"]) / whole
    case["call_ns"] = 1e6 * case["share"] * whole / case["calls"]
    case["house"] = HOUSE_NS * 1e-6 * case["calls"] / whole
    case["bar"] = bar
    case["verdict"] = "not judged" if case["error"] > bar / 2 else "met" if case["share"] <= bar else "missed"


def show(start, cases, count):
    print("shock-amr.rc, CPU time of the process, medians of %d pairs of runs; start and end are not in the shares" % count)
    print("          unmeasured     calls   a second  a call   measuring costs  fastest  stated  at %d ns   bar" % HOUSE_NS)
    for name, case in cases.items():
        print("%-8s  %7.0f ms %9s %10s %4.0f ns  %5.2f %% +- %.2f   %5.2f %% %5.2f %%  %5.2f %%  %2.0f %%  %s" % (
            name, case["unmeasured_ms"], format(case["calls"], ","), format(round(case["calls_per_s"]), ","),
            case["call_ns"], 100 * case["share"], 100 * case["error"], 100 * case["least"], 100 * case["stated"],
            100 * case["house"], 100 * case["bar"], case["verdict"]))
    print("start and end: %.1f ms +- %.1f, stated %.1f ms" % (start["found_ms"], start["error_ms"], start["stated_ms"]))
    if any(case["verdict"] == "not judged" for case in cases.values()):
        print("the host is not quiet: some shares are uncertain by more than half of their bar")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--pairs", type=int, default=21, help="runs of each kind (21)")
    parser.add_argument("--case", choices=tuple(CASES), help="this one only")
    parser.add_argument("--json", action="store_true", help="one line of JSON")
    paired_runs.add_other_options(parser)
    options = parser.parse_args()
    if options.pairs < LEAST_PAIRS:
        parser.error("--pairs: expected at least %d" % LEAST_PAIRS)
    with tempfile.TemporaryDirectory() as directory:
        scripts = {"physics": os.path.join(paired_runs.SCRIPTS, "shock-amr.rc"), "patches": vortex_script(directory)}
        small = [*CLASSES, *START, scripts["physics"]]
        paired_runs.run(small, True)  # files into the page cache
        start = pairs(small, options.pairs)
        cases = {}
        for name, (size, bar) in CASES.items():
            if options.case in (None, name):
                cases[name] = pairs([*CLASSES, *size, scripts[name]], options.pairs)
                judge(cases[name], start, bar)
    met = all(case["verdict"] == "met" for case in cases.values())
    if options.json:
        print(json.dumps({"schema": "mastermind/bench/adaptive_program/1", "pairs": options.pairs, "start": start, **cases}))
    else:
        show(start, cases, options.pairs)
    return 0 if met else 1


sys.exit(main())
