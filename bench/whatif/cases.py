#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What if by the models, by delays, and by the other class itself, for pairs of classes and sizes of the shock problem.

  O=build/release bench/whatif/cases.py [--pairs N] [--cases N]

Experiments of both classes are made side by side on one core, the runs of `whatif --run --beside` as well, so that the host
slows all alike. The bar: the three changes are within 3 points of the run's length.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(os.environ.get("O", ROOT + "/build/release"))
FLUXES = [("EFMFlux", "GodunovFlux"), ("GodunovFlux", "EFMFlux"), ("EFMFlux", "HLLCFlux"), ("HLLCFlux", "EFMFlux"),
          ("GodunovFlux", "HLLCFlux"), ("HLLCFlux", "GodunovFlux"), ("GodunovScalar", "GodunovVector"),
          ("GodunovVector", "GodunovScalar")]
SIZES = [(256, 64, 64, ".1"), (384, 96, 96, ".05"), (192, 48, 24, ".15")]


def command(case, name, size):
    nx, ny, patch, end = size
    words = [f"{BUILD}/bin/ccafe", "--measure", "--experiment", name, "-D", f"NX={nx}", "-D", f"NY={ny}", "-D",
             f"PATCH={patch}", "-D", f"T_END={end}", "-D", "PICTURE="]
    slot, of = case
    words += ["-D", f"FLUX={of if slot == 'flux' else 'EFMFlux'}"]
    if slot == "states":
        words += ["--class", f"states={of}"]
    return words + [ROOT + "/scripts/shock-demo.rc"]


def record(slot, classes, size, folder, rounds):
    core = min(os.sched_getaffinity(0))
    names = []
    for k in range(rounds):
        runs = []
        for of in classes:
            name = f"{folder}/{of}-{k}.mm"
            names.append(name)
            runs.append(subprocess.Popen(["taskset", "-c", str(core)] + command((slot, of), name, size),
                                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        if any([run.wait() for run in runs]):
            sys.exit("a run failed")
    return names


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--cases", type=int, default=99)
    asked = parser.parse_args()
    cases = [("flux", "flux.flux.compute", pair, size) for size in SIZES for pair in FLUXES[:6]]
    cases += [("flux", "flux.flux.compute", pair, SIZES[0]) for pair in FLUXES[6:]]
    cases += [("states", "states.states.reconstruct", pair, size) for size in SIZES[:2]
              for pair in [("States", "StatesRows"), ("StatesRows", "States")]]
    inside = tried = apart = 0
    print(f"{'from':14} {'to':14} {'size':>8} {'model':>8} {'delays':>8} {'swap':>8}  apart")
    for slot, method, classes, size in cases[:asked.cases]:
        folder = tempfile.mkdtemp()
        tried += 1
        try:
            names = record(slot, classes, size, folder, 2)
            found = subprocess.run([f"{BUILD}/bin/mastermind", "whatif"] + names +
                                   [f"{method}={classes[1]}", "--run", "--beside", "--pairs", str(asked.pairs), "--json"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            if found.returncode:
                print(f"{classes[0]:14} {classes[1]:14} {size[0]:>8} {found.stderr.strip()}")
                continue
            d = json.loads(found.stdout)
            three = [100 * d["change_s"] / d["base_total_s"], 100 * d["by_delays"]["change"], 100 * d["by_swap"]["change"]]
            apart = max(three) - min(three)
            inside += apart <= 3
            print(f"{classes[0]:14} {classes[1]:14} {size[0]:>8} " + " ".join(f"{x:+7.1f}%" for x in three) +
                  f"  {apart:.1f}" + ("" if apart <= 3 else " *"), flush=True)
        finally:
            shutil.rmtree(folder)
    print(f"{inside} of {tried} cases within 3 points")
    return inside < tried


if __name__ == "__main__":
    sys.exit(main())
