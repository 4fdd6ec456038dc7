#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whether the simulator predicts what repartitioning gains in a run of examples/mrtd.

    mrtd.py [--ranks 2,4] [--repeats 7] [--flavour openmpi] [-- OPTIONS OF mrtd]

One rank is profiled (work of each cell and step). Runs with fixed:20 tell ns per unit of work and what a
repartition and a cell moved cost. `mastermind balance` gets these prices and writes a schedule for each
policy. Then all schedules run, one after another, `repeats` times. Costs are sums over steps of the slowest rank's CPU time
outside of MPI, computing and redistributing. Of each step and rank the least of all repeats counts: other
programs on the machine only add. Exit: 0 the bars hold (gain over fixed 20 and 50 predicted within 3
points, at most 1 % above the best fixed interval), 1 they do not.
"""
import argparse
import csv
import json
import os
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BIN = os.path.join(os.environ.get("O", os.path.join(ROOT, "build/release")), "bin")
LIBEXEC = os.path.join(os.path.dirname(BIN), "libexec/mastermind")
FIXED = ["fixed:5", "fixed:10", "fixed:20", "fixed:50"]


def run(*command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, **more)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: status {done.returncode}\n{done.stderr}")
    return done.stdout


def line_of(points):
    """Least squares y = a + b x, with b = 0 where it would be negative."""
    mx, my = (statistics.fmean(p[i] for p in points) for i in (0, 1))
    spread = sum((x - mx) ** 2 for x, _ in points)
    b = max(0.0, sum((x - mx) * (y - my) for x, y in points) / spread) if spread else 0.0
    return my - b * mx, b


class Measured:
    """Repeats of one way to run."""

    def __init__(self, words):
        self.words, self.cells, self.moves = words, {}, {}

    def once(self, ranks, flavour, options):
        mpirun = os.path.join(ROOT, "tests/lib/mpirun.sh")
        run(mpirun, flavour, str(ranks), os.path.join(LIBEXEC, "mrtd_" + flavour), *options, *self.words,
            "--times", "times.csv", "--moves", "moves.csv")
        with open("times.csv") as file:
            for row in csv.DictReader(file):
                at, now = (int(row["step"]), int(row["rank"])), [int(row[n]) for n in ("cpu_ns", "move_ns", "work")]
                self.cells[at] = [min(pair) for pair in zip(now, self.cells.get(at, now))]
        with open("moves.csv") as file:
            for row in csv.DictReader(file):
                at, now = int(row["step"]), [int(row["cells_moved"]), int(row["cpu_ns"])]
                self.moves[at] = [min(pair) for pair in zip(now, self.moves.get(at, now))]

    def sum_of(self, column):
        """Over steps, of the slowest rank's."""
        most = {}
        for (step, _), values in self.cells.items():
            most[step] = max(most.get(step, 0), values[column])
        return sum(most.values())

    def cost(self):
        return (self.sum_of(0) + self.sum_of(1)) * 1e-6


def profile(options):
    """An experiment with the work of every step."""
    for pace in ("2", "5", "20"):
        name = f"pace-{pace}.mm"
        run(os.path.join(BIN, "mastermind"), "record", "--cells", "work", "-o", name, "--",
            os.path.join(LIBEXEC, "mrtd"), *options, "--pace", pace, env=dict(os.environ, MM_MESH_SLOTS="16"))
        told = subprocess.run([os.path.join(BIN, "mastermind"), "balance", name, "--parts", "2", "--policy", "never"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
        if told.returncode == 0:
            return name
    sys.exit(f"no profile with all steps: {told.stderr}")


def simulate(experiment, ranks, price, move, policies):
    """The costs of policies in active coefficients, and a schedule file for each."""
    costs = {}
    for policy in policies:
        document = json.loads(run(
            os.path.join(BIN, "mastermind"), "balance", experiment, "--probe", "work", "--parts", str(ranks), "--lag", "1",
            "--price", f"{price:.6g}", "--move", f"{move:.6g}", "--policy", policy, "--schedule", f"{ranks}-{policy}.json",
            "--json"))
        costs[policy] = next(p["cost"] for p in document["policies"] if p["policy"] == policy)
    return costs, document["steps"]


def judge(ranks, args, options, experiment):
    """One table; true where the bars hold."""
    simulate(experiment, ranks, 0, 0, ["fixed:20"])
    trial = Measured(["--schedule", f"{ranks}-fixed:20.json"])
    for _ in range(args.repeats):
        trial.once(ranks, args.flavour, options)
    step_ns, work_ns = line_of([(v[2], v[0]) for v in trial.cells.values()])
    price_ns, move_ns = line_of(list(trial.moves.values()))
    policies = ["never", *FIXED, "expect", "oracle"]
    costs, steps = simulate(experiment, ranks, price_ns / work_ns, move_ns / work_ns, policies)
    ways = {name: Measured(["--schedule", f"{ranks}-{name}.json"]) for name in policies}
    for _ in range(args.repeats):
        for way in ways.values():
            way.once(ranks, args.flavour, options)
    print(f"\n{ranks} ranks, {args.flavour}, least of {args.repeats}: {step_ns:.0f} ns a step + {work_ns:.2f} ns a coefficient; "
          f"{price_ns * 1e-6:.2f} ms a repartition + {move_ns:.0f} ns a cell moved")
    print("| policy | repartitions | predicted, ms | measured, ms | its steps | its redistributions |\n|---|---|---|---|---|---|")
    predicted = {}
    for name, way in ways.items():
        predicted[name] = (costs[name] * work_ns + steps * step_ns) * 1e-6
        print(f"| {name} | {len(way.moves)} | {predicted[name]:.1f} | {way.cost():.1f} | {way.sum_of(0) * 1e-6:.1f} | "
              f"{way.sum_of(1) * 1e-6:.1f} |")
    good = True
    for name in ("fixed:20", "fixed:50"):
        wanted, found = (100 * (1 - of["oracle"] / of[name]) for of in (predicted, {n: w.cost() for n, w in ways.items()}))
        good &= abs(wanted - found) <= 3
        print(f"gain over {name}: predicted {wanted:.1f} %, measured {found:.1f} %")
    best = min(FIXED, key=lambda n: ways[n].cost())
    above = 100 * (ways["oracle"].cost() / ways[best].cost() - 1)
    print(f"against the best fixed interval, {best}: {above:+.1f} %")
    return good and above <= 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", default="2,4")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--flavour", default="openmpi")
    args, options = parser.parse_known_args()
    options = [o for o in options if o != "--"]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        experiment = profile(options)
        return 0 if all([judge(int(r), args, options, experiment) for r in args.ranks.split(",")]) else 1


sys.exit(main())
