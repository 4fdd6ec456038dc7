#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whether the simulator predicts what repartitioning gains on the adaptive mesh of the shock.

    amr.py [--ranks 2,4] [--repeats 5] [--flavour openmpi] [-- OPTIONS OF ccafe]

One rank is profiled, once for each repeat (CPU time of patches); of each value the least counts. `mastermind
balance` writes a schedule for each policy, which Balancer runs. Costs are sums over steps of the slowest rank's CPU
time on patches, outside of MPI; of each step and rank the least of all repeats counts: other programs on the
machine only add. Moving cells is not in it: ranks that wait for them spin. Exit: 0 the gain of expect over fixed 20
and 50 is predicted within 3 points, and expect at most 1 % above the best fixed interval; 1 it is not.
"""
import argparse
import collections
import csv
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BIN = os.path.join(os.environ.get("O", os.path.join(ROOT, "build/release")), "bin")
SCRIPT = os.path.join(ROOT, "scripts/shock-amr.rc")
USUAL = {"FLUX": "GodunovScalar", "STATES": "States", "NX": "64", "NY": "16", "LEVELS": "3", "PATCH": "4",
         "BALANCE": "never", "T_END": "1", "PICTURE": "", "GHOSTS": "GhostsPerPatch"}
POLICIES = ["fixed:5", "fixed:10", "fixed:20", "fixed:50", "expect"]
PRICE = ".02x"
LINES = """instantiate Balancer balancer
connect mesh balance balancer balance
connect rk2 probe balancer watch
connect flux probe balancer watch
parameter balancer config report report.csv
parameter balancer config schedule "$SCHEDULE"
"""


def run(*command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, **more)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: status {done.returncode}\n{done.stderr}")
    return done.stdout


def profile(options, repeats):
    """An experiment with the least CPU time of each cell of level 0, with the finer ones above it."""
    least = {}
    for repeat in range(repeats):
        name, cells = f"profile-{repeat}.mm", collections.defaultdict(float)
        run(os.path.join(BIN, "ccafe"), *options, "--cells", "cost", "-o", name, SCRIPT,
            env=dict(os.environ, MM_MESH_SLOTS="16"))
        for level in range(int(USUAL["LEVELS"])):
            text = run(os.path.join(BIN, "mastermind"), "mesh", name, "--probe", "cost", "--level", str(level), "--csv")
            for row in csv.DictReader(text.splitlines()):
                if row["cost"]:
                    cells[int(row["step"]), int(row["i"]) >> level, int(row["j"]) >> level] += float(row["cost"])
        for at, value in cells.items():
            least[at] = min(value, least.get(at, value))
    with open("least.csv", "w") as file:
        print("step,i,j,value", file=file)
        for (step, i, j), value in sorted(least.items()):
            print(f"{step},{i},{j},{value:.9g}", file=file)
    shape = [max(at[1 + axis] for at in least) + 1 for axis in (0, 1)]
    run(os.path.join(BIN, "mastermind"), "import", "cells", "least.csv", "--shape", f"{shape[0]},{shape[1]}",
        "-o", "least.mm")
    return "least.mm"


def once(name, ranks, flavour, options, least):
    run(os.path.join(ROOT, "tests/lib/mpirun.sh"), flavour, str(ranks), os.path.join(BIN, "ccafe"), *options,
        "-D", f"SCHEDULE={ranks}-{name}.json", "balanced.rc", env=dict(os.environ, MPIRUN_SECONDS="600"))
    with open("report.csv") as file:
        for row in csv.DictReader(file):
            at, now = (int(row["step"]), int(row["rank"])), int(row["cpu_ns"])
            least[at] = min(now, least.get(at, now))


def judge(ranks, args, options, experiment):
    """One table; true where the bars hold."""
    predicted, measured = {}, {}
    for name in POLICIES:
        run(
            os.path.join(BIN, "mastermind"), "balance", experiment, "--parts", str(ranks), "--lag", "1", "--price", PRICE,
            "--move", PRICE, "--policy", name, "--schedule", f"{ranks}-{name}.json")
        text = run(os.path.join(BIN, "mastermind"), "balance", experiment, "--parts", str(ranks), "--lag", "1", "--price",
                   PRICE, "--move", PRICE, "--policy", name, "--csv")
        rows = list(csv.DictReader(text.splitlines()))[:-1] # of the last step there is no report
        predicted[name] = 1e-6 * sum(float(r["largest"]) for r in rows if r["policy"] == name)
    runs = {name: {} for name in POLICIES}
    for _ in range(args.repeats):
        for name in POLICIES:
            once(name, ranks, args.flavour, options, runs[name])
    for name, least in runs.items():
        steps = {step for step, _ in least}
        measured[name] = 1e-6 * sum(max(least[step, rank] for rank in range(ranks)) for step in steps)
    print(f"\n{ranks} ranks, {args.flavour}, least of {args.repeats}\n| policy | predicted, ms | measured, ms |\n|---|---|---|")
    for name in POLICIES:
        print(f"| {name} | {predicted[name]:.1f} | {measured[name]:.1f} |")
    good = True
    for name in ("fixed:20", "fixed:50"):
        wanted, found = (100 * (1 - of["expect"] / of[name]) for of in (predicted, measured))
        good &= abs(wanted - found) <= 3
        print(f"gain over {name}: predicted {wanted:.1f} %, measured {found:.1f} %")
    best = min(POLICIES[:-1], key=lambda n: measured[n])
    above = 100 * (measured["expect"] / measured[best] - 1)
    print(f"against the best fixed interval, {best}: {above:+.1f} %", flush=True)
    return good and above <= 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", default="2,4")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--flavour", default="openmpi")
    args, more = parser.parse_known_args()
    options = [word for name, value in USUAL.items() for word in ("-D", f"{name}={value}")]
    options += [o for o in more if o != "--"]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open(SCRIPT) as file, open("balanced.rc", "w") as out:
            out.write(file.read().replace("\ngo driver", "\n" + LINES + "go driver"))
        experiment = profile(options, args.repeats)
        return 0 if all([judge(int(r), args, options, experiment) for r in args.ranks.split(",")]) else 1


sys.exit(main())
