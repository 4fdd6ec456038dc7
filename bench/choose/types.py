#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Types of PETSc's solvers, chosen from solves of unmodified programs: the regret against the best of all pairs.

usage: types.py FOLDER [TRIES [ROUNDS [SEED]]]

FOLDER has the programs ex2, ex29 and ex45: src/ksp/ksp/tutorials of PETSc 3.18, built with gcc -O2
$(pkg-config --cflags --libs petsc) -lmpi (Debian: libpetsc-real-dev). Of each, TRIES runs with record --try draw one of
15 pairs of types for their solve, and choose --dispatch writes the rule. Then each pair has ROUNDS runs, by turns and in random
order, with a rule that names it. The cost of a pair is the median own time of KSPSolve; that of a pair that fails has
the solve with the program's types in it. The regret is what the chosen pair costs more than the cheapest one, with a
90 % bootstrap interval over rounds; the pair that is cheapest in these runs is also so by chance, so 0 is not expected."""
import csv, io, os, random, re, statistics, subprocess, sys, tempfile

KSP, PC = "cg gmres bcgs".split(), "none jacobi sor ilu icc".split()
PROGRAMS = {"ex2": "-m 100 -n 100", "ex29": "-da_grid_x 65 -da_grid_y 65", "ex45": "-da_grid_x 21 -da_grid_y 21 -da_grid_z 21"}
PAIRS = [f"ksp={k},pc={p}" for k in KSP for p in PC]
os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", OMPI_MCA_ess_singleton_isolated="1")


def record(words, kept, program, arguments):
    subprocess.run(["mastermind", "record", *words, "--no-report", "-o", kept, "--", program, *arguments.split(),
                    "-ksp_max_it", "2000"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def solves(kept):
    """Pair and own time of each solve."""
    text = subprocess.run(["mastermind", "records", kept, "--csv"], check=True, capture_output=True, text=True).stdout
    for row in csv.DictReader(io.StringIO(text)):
        yield row["class"].rpartition(":")[2], int(row["exclusive_ns"]) - int(row["host_exclusive_ns"])


def examine(name, program, tries, rounds, rng, folder):
    path = lambda *words: os.path.join(folder, "-".join((name, *map(str, words))))
    kept = []
    for i in range(tries):
        kept.append(path("try", i))
        record(["--try", "ksp=" + ",".join(KSP), "--try", "pc=" + ",".join(PC)], kept[-1], program, PROGRAMS[name])
    subprocess.run(["mastermind", "choose", *kept, "--dispatch", path("rules")], check=True, stdout=subprocess.DEVNULL)
    rules = re.findall(r"^KSPSolve: (\S+)", open(path("rules")).read(), re.M)
    assert len(rules) == 1, rules # one size, one rule
    costs = {pair: [] for pair in PAIRS}
    for turn in range(rounds):
        for pair in rng.sample(PAIRS, len(PAIRS)):
            with open(path("pair"), "w") as out:
                print(f"dispatch petscksp.h/1\nKSPSolve: {pair}", file=out)
            record(["--dispatch", path("pair")], path("turn", turn, pair), program, PROGRAMS[name])
            costs[pair].append(sum(ns for _, ns in solves(path("turn", turn, pair))))

    def regret(rows):
        cost = {pair: statistics.median(c[r] for r in rows) for pair, c in costs.items()}
        return cost[rules[0]] / min(cost.values()) - 1

    whole = regret(range(rounds))
    drawn = sorted(regret(rng.choices(range(rounds), k=rounds)) for _ in range(1000))
    order = sorted(PAIRS, key=lambda p: statistics.median(costs[p]))
    print(f"{name}: chosen {rules[0]}, regret {100 * whole:.2f} % (90 %: {100 * drawn[50]:.2f} to {100 * drawn[-50]:.2f})")
    print("  " + ", ".join(f"{p} {statistics.median(costs[p]) / 1e6:.2f} ms" for p in order[:3]) +
          f" ... {order[-1]} {statistics.median(costs[order[-1]]) / 1e6:.2f} ms", flush=True)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    numbers = [int(x) for x in sys.argv[2:]]
    tries, rounds, seed = numbers + [60, 9, 1][len(numbers):]
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        for name in PROGRAMS:
            examine(name, os.path.join(sys.argv[1], name), tries, rounds, rng, folder)
    print("load", *os.getloadavg())


main()
