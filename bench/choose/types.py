#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Types of PETSc's solvers, chosen from solves of unmodified programs: the regret against the best of all pairs.

usage: types.py FOLDER [TRIES [ROUNDS [SEED]]]

FOLDER has the programs ex3, ex13 and ex15: src/ts/tutorials of PETSc 3.18, built with gcc -O2
$(pkg-config --cflags --libs petsc) -lmpi -lm (Debian: libpetsc-real-dev). Each makes some hundred solves. Of each, TRIES runs
with record --try draw one of 12 pairs of types for four solves each, and choose --dispatch writes the rules. Then each pair,
and the rules, have ROUNDS runs, by turns and in random order, with a rule that names the pair. The cost of a run is the
own time of its KSPSolve, and the time of solves with the program's types where a pair fails. The regret is what the rules cost more
than the cheapest pair, with a 90 % bootstrap interval over rounds; of pairs that cost the same, the cheapest one is so
by chance, so that 0 is not expected. Without icc: it does not end where a matrix is not positive definite."""
import csv, io, os, random, re, statistics, subprocess, sys, tempfile

KSP, PC = "cg gmres bcgs".split(), "none jacobi sor ilu".split()
PROGRAMS = {"ex3": "-m 20000 -ts_type beuler -ts_max_steps 400", "ex13": "-da_grid_x 40 -da_grid_y 40 -ts_max_steps 200",
            "ex15": "-da_grid_x 40 -da_grid_y 40 -ts_max_steps 200"}
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
    found = " or ".join(dict.fromkeys(re.findall(r"^KSPSolve: (\S+)", open(path("rules")).read(), re.M)))
    costs = {way: [] for way in ("rules", *PAIRS)}
    for turn in range(rounds):
        for way in rng.sample(list(costs), len(costs)):
            with open(path("pair"), "w") as out:
                print(f"dispatch petscksp.h/1\nKSPSolve: {way}", file=out)
            record(["--dispatch", path("rules" if way == "rules" else "pair")], path("turn", turn, way), program, PROGRAMS[name])
            costs[way].append(sum(ns for _, ns in solves(path("turn", turn, way))))

    def regret(rows):
        cost = {pair: statistics.median(c[r] for r in rows) for pair, c in costs.items()}
        return cost["rules"] / min(cost[p] for p in PAIRS) - 1, cost[found] / min(cost[p] for p in PAIRS) - 1 if found in cost else 0

    drawn = sorted(regret(rng.choices(range(rounds), k=rounds))[0] for _ in range(1000))
    order = sorted(PAIRS, key=lambda p: statistics.median(costs[p]))
    print("%s: chosen %s; rules %+.2f %% (90 %%: %+.2f to %+.2f), that pair %+.2f %% of the best pair"
          % (name, found, *(100 * x for x in (regret(range(rounds))[0], drawn[50], drawn[-50], regret(range(rounds))[1]))))
    print("  " + ", ".join(f"{p} {statistics.median(costs[p]) / 1e6:.1f} ms" for p in (*order[:3], order[-1])), flush=True)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    numbers = [int(x) for x in sys.argv[2:]]
    tries, rounds, seed = numbers + [6, 9, 1][len(numbers):]
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        for name in PROGRAMS:
            examine(name, os.path.join(sys.argv[1], name), tries, rounds, rng, folder)
    print("load", *os.getloadavg())


main()
