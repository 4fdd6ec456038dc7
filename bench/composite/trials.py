#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Trials of `mastermind choose`: predicted, then run.

    bench/composite/trials.py [-o DIR] [--trials N] [--repeat N] [--seed N] [--each]

A trial offers two assemblies or more, trains on runs of small sizes, asks for a size that none of these had, and holds the
choice against runs of all assemblies offered at that size. Its *regret* is what the choice takes beyond the best of them.
Offered are assemblies whose best two are within 30 % of each other; in half of the trials another one is the best at the
largest size trained. Truth is the least CPU time of the repeats, which the host disturbs least. Runs are kept in DIR.

Exit status: 0 the worst regret is within the bar, 1 it is not, 5 a run failed."""
import argparse
import itertools
import json
import os
import random
import statistics
import subprocess
import sys

from experiments import ENVIRONMENT, TREE, call, measure, script

NEAR, BAR, SIZES = .30, .02, 4  # sizes that a law with a check needs
HERE = os.path.dirname(os.path.abspath(__file__))


class Family:
    """Runs of one program: `slots` {instance: classes}, `options(size)` of ccafe with the script last."""

    def __init__(self, name, slots, sizes, variable, options, directory=None):
        self.name, self.slots, self.sizes, self.variable, self.options, self.directory = name, slots, sizes, variable, options, directory

    def assemblies(self):
        return [tuple(zip(self.slots, classes)) for classes in itertools.product(*self.slots.values())]


def families(work):
    solver = os.path.join(work, "solver.so")
    if not os.path.exists(os.path.join(solver, "solver.rc")):
        call([os.path.join(HERE, "solver", "build.sh"), solver])
    demo = script("shock-demo.rc")

    def shock(patch):
        return lambda n: ["-D", f"NX={n}", "-D", "NY=16", "-D", f"PATCH={patch}", "-D", "T_END=.2", "-D", "PICTURE=", "-D", "FLUX=EFMFlux", demo]

    def solve(tolerance):
        return lambda n: ["-D", f"N={n}", "-D", f"TOLERANCE={tolerance}", "-D", "PRECONDITIONER=Jacobi", "-D", "MATRIX=CSRMatrix", "solver.rc"]

    fluxes = ["EFMFlux", "HLLCFlux", "GodunovFlux", "GodunovScalar", "GodunovVector"]
    preconditioners = ["Jacobi", "SSOR", "IncompleteCholesky"]
    mesh, grid = [32, 48, 64, 96, 128, 192], [16, 24, 32, 48, 64, 96, 128]
    return [
        Family("shock-16", {"flux": fluxes, "states": ["States", "StatesRows"]}, mesh, "NX", shock(16)),
        Family("shock-8", {"flux": fluxes, "states": ["States", "StatesRows"]}, mesh, "NX", shock(8)),
        Family("shock-32", {"flux": fluxes, "states": ["States", "StatesRows"]}, mesh, "NX", shock(32)),
        Family("solver", {"preconditioner": preconditioners, "matrix": ["CSRMatrix", "ELLMatrix"]}, grid, "N", solve("1e-8"), solver),
        Family("solver-middle", {"preconditioner": preconditioners, "matrix": ["CSRMatrix", "ELLMatrix"]}, grid, "N", solve("1e-5"), solver),
        Family("solver-loose", {"preconditioner": preconditioners, "matrix": ["CSRMatrix", "ELLMatrix"]}, grid, "N", solve("1e-3"), solver),
    ]


def path_of(work, family, assembly, size, repeat):
    return os.path.join(work, family.name, "-".join([str(size), *[c for _, c in assembly], str(repeat)]) + ".mm")


def rounds(family, size, repeat, again):
    """How often a run is made: sizes that are asked for `again` times."""
    return again if size in family.sizes[SIZES:] else repeat


def make_runs(work, all_families, repeat, again, seed):
    """All runs, in a shuffled order in each round; {(family, assembly, size): least CPU time}."""
    kept = os.path.join(work, "totals.json")
    totals = json.load(open(kept, encoding="utf-8")) if os.path.exists(kept) else {}
    for at in range(1, max(repeat, again) + 1):
        runs = [(f, a, s) for f in all_families for a in f.assemblies() for s in f.sizes if at <= rounds(f, s, repeat, again)]
        random.Random(seed + at).shuffle(runs)
        for family, assembly, size in runs:
            path = path_of(work, family, assembly, size, at)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            options = [w for slot, name in assembly for w in ("--class", f"{slot}={name}")] + family.options(size)
            measure(path, options, family.directory)
            if path not in totals:
                totals[path] = json.loads(call(["mastermind", "report", path, "--metric", "CPU_TIME", "--limit", "1", "--json"]))["total"]
    with open(kept, "w", encoding="utf-8") as file:
        json.dump(totals, file)
    spread = {(f.name, a, s): statistics.median(ns := [totals[path_of(work, f, a, s, r)] for r in range(1, rounds(f, s, repeat, again) + 1)]) / min(ns) - 1
              for f in all_families for a in f.assemblies() for s in f.sizes}
    return spread, {(f.name, a, s): min(totals[path_of(work, f, a, s, r)] for r in range(1, rounds(f, s, repeat, again) + 1))
            for f in all_families for a in f.assemblies() for s in f.sizes}


def offers(family):
    """Sets of assemblies: two classes of one slot, or two of each of two; the others stay."""
    names = list(family.slots)
    for slot in names:
        others = [[(n, c) for c in family.slots[n]] for n in names if n != slot]
        for fixed in itertools.product(*others):
            for pair in itertools.combinations(family.slots[slot], 2):
                yield [tuple(sorted([*fixed, (slot, c)], key=lambda i: names.index(i[0]))) for c in pair]
    for pairs in itertools.product(*(itertools.combinations(family.slots[n], 2) for n in names)):
        yield [tuple(zip(names, classes)) for classes in itertools.product(*pairs)]


def candidates(all_families, truth):
    """Trials (family, assemblies, trained sizes, asked size, whether the best one is another at the largest trained)."""
    for family in all_families:
        for at, offered in itertools.product(range(SIZES, len(family.sizes)), list(offers(family))):
            asked, trained = family.sizes[at], family.sizes[:at]
            times = sorted((truth[family.name, a, asked], a) for a in offered)
            if asked < 2 * trained[0] or times[1][0] > (1 + NEAR) * times[0][0]:
                continue
            before = min(offered, key=lambda a: truth[family.name, a, trained[-1]])
            yield family, offered, trained, asked, before != times[0][1]


def run_trial(work, trial, truth, spread, repeat):
    family, offered, trained, asked, flips = trial
    paths = [path_of(work, family, a, s, r) for s in trained for a in offered for r in range(1, repeat + 1)]
    done = subprocess.run(["mastermind", "choose", *paths, "--set", f"{family.variable}={asked}", "--metric", "CPU_TIME", "--json"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, env=ENVIRONMENT)
    times = {a: truth[family.name, a, asked] for a in offered}
    best = min(times, key=times.get)
    result = {"family": family.name, "asked": asked, "offered": len(offered), "flips": flips, "best": best, "host": spread[family.name, best, asked]}
    if done.returncode:
        return {**result, "regret": None, "why": done.stderr.strip().splitlines()[-1:]}
    document = json.loads(done.stdout)
    chosen = next(a for a in offered if all(dict(a)[slot] == name for slot, name in document["choice"].items()))
    item = document["assemblies"][0]
    return {**result, "chosen": chosen, "regret": times[chosen] / times[best] - 1, "tie": not document["decided"],
            "apart": sorted(times.values())[1] / times[best] - 1, "error": item["total"] / times[chosen] - 1,
            "forecasts": document["forecasts"], "residual": document["residual"]}


def pick(found, count, seed):
    """Half of them flip, as far as there are such."""
    picker = random.Random(seed)
    groups = [[t for t in found if t[4] == flips] for flips in (True, False)]
    for group in groups:
        picker.shuffle(group)
    flipping = groups[0][:count // 2]
    return flipping + groups[1][:count - len(flipping)]


def print_result(results, each):
    good = [r for r in results if r["regret"] is not None]
    for r in results if each else [r for r in results if r["regret"] is None or r["regret"] > BAR]:
        if r["regret"] is None:
            print(f"{r['family']:14} {r['asked']:4} of {r['offered']}  no choice: {r['why']}")
            continue
        print(f"{r['family']:14} {r['asked']:4} of {r['offered']}{' flips' if r['flips'] else '      '} regret {100 * r['regret']:5.1f} %  best two "
              f"{100 * r['apart']:4.1f} % apart  error {100 * r['error']:+6.1f} %{'  tie' if r['tie'] else ''}  "
              f"{'/'.join(c for _, c in r['chosen'])} for {'/'.join(c for _, c in r['best'])}")
    regrets = sorted(r["regret"] for r in good)
    decided = [r["regret"] for r in good if not r["tie"]]
    host = sorted(r["host"] for r in results)
    print(f"host: the median of equal runs is {100 * host[len(host) // 2]:.1f} % beyond the least (median over the trials, of the best assembly)")
    print(f"{len(results)} trials, {sum(r['flips'] for r in results)} flip; without a choice {len(results) - len(good)}; the best chosen in "
          f"{sum(r == 0 for r in regrets)}; regret mean {100 * sum(regrets) / len(regrets):.2f} %, worst {100 * regrets[-1]:.1f} %; "
          f"over {100 * BAR:.0f} % in {sum(r > BAR for r in regrets)}; ties {len(good) - len(decided)}, worst regret where decided "
          f"{100 * max(decided, default=0):.1f} %")
    return 0 if len(good) == len(results) and regrets[-1] <= BAR else 1


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("-o", default=os.path.join(TREE, "bench", "trials"))
    args.add_argument("--trials", type=int, default=40)
    args.add_argument("--repeat", type=int, default=3, help="runs of a point that are trained on (default 3)")
    args.add_argument("--truth", type=int, default=7, help="runs of a point that is asked for (default 7)")
    args.add_argument("--seed", type=int, default=1)
    args.add_argument("--each", action="store_true", help="a line for each trial, not only for those over the bar")
    args = args.parse_args()
    work = os.path.abspath(args.o)
    os.makedirs(work, exist_ok=True)
    all_families = families(work)
    spread, truth = make_runs(work, all_families, args.repeat, args.truth, args.seed)
    trials = pick(list(candidates(all_families, truth)), args.trials, args.seed)
    sys.exit(print_result([run_trial(work, t, truth, spread, args.repeat) for t in trials], args.each))


main()
