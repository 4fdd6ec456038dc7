#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Which pair of options to run with: `mastermind sweep --over` against bandits, on recorded costs.

usage: bandits.py RECORDS.jsonl...   (lines as {"program": "ex2", "ksp": "cg", "pc": "ilu", "cpu": 0.19, "ok": true})

Each strategy makes the runs of a program one after the other and pays the cost of each, drawn from the recorded runs of
the pair; a failed run is paid and made again with the default pair. The race (replay.c, which calls mastermind/plan/race.c)
makes its runs and then keeps its choice. Break-even: the first run from which on the sum of costs stays below that of the
default pair, PETSc's gmres with ilu. Regret: the mean cost of the pair that a strategy ran most in its last 100 runs against
the best pair that never failed. Medians over seeds."""
import collections, json, math, os, random, statistics as st, subprocess, sys, tempfile

REPEATS, RUNS, SEEDS, DEFAULT = 35, 1000, 15, ("gmres", "ilu")
WITHIN = float(os.environ.get("WITHIN", ".02"))


def ucb1(arms, scale, rng):
    count, total = [0] * arms, [0.] * arms
    for t in range(1, RUNS + 1):
        arm = t - 1 if t <= arms else min(range(arms), key=lambda i: total[i] / count[i]
                                          - math.sqrt(2 * math.log(t) / count[i]))
        total[arm] += min(1, (yield arm) / scale)
        count[arm] += 1


def epsilon_greedy(arms, scale, rng, epsilon=.1):
    count, total = [0] * arms, [0.] * arms
    for t in range(RUNS):
        seen = [i for i in range(arms) if count[i]]
        arm = rng.randrange(arms) if not seen or rng.random() < epsilon else min(seen, key=lambda i: total[i] / count[i])
        total[arm] += yield arm
        count[arm] += 1


def explore_then_commit(arms, scale, rng, rounds=1):
    total, order = [0.] * arms, list(range(arms)) * rounds
    rng.shuffle(order)
    for arm in order:
        total[arm] += yield arm
    best = min(range(arms), key=lambda i: total[i])
    while True:
        yield best


def tsallis_inf(arms, scale, rng):
    losses = [0.] * arms
    for t in range(1, RUNS + 1):
        rate = 2 / math.sqrt(t)
        x = min(losses) - 2 / rate * 1.0001
        for _ in range(60):  # Newton's method for the normalization
            p = [4 / (rate * (l - x)) ** 2 for l in losses]
            step = (sum(p) - 1) / (rate * sum(q ** 1.5 for q in p))
            x -= step
            if abs(step) < 1e-9:
                break
        arm = rng.choices(range(arms), p)[0]
        losses[arm] += min(1, (yield arm) / scale) / p[arm]


def play(strategy, costs, default, rng):
    """Costs of all runs, and the pair that ran most at the end."""
    scale, paid, arms = 4 * st.mean(costs[default]), [], []
    player = strategy(len(costs), scale, rng)
    arm = next(player)
    while len(paid) < RUNS:
        cost = rng.choice(costs[arm])
        arms.append(arm)
        paid.append(cost if cost > 0 else -cost + rng.choice(costs[default]))
        try:
            arm = player.send(paid[-1])
        except StopIteration:
            break
    return paid, collections.Counter(arms[-100:]).most_common(1)[0][0]


def race(replay, shape, costs, default, rng):
    text = "%d %d\n" % shape + "\n".join("%d %s" % (len(c), " ".join("%.9g" % max(x, 0) for x in c)) for c in costs)
    out = subprocess.run([replay, str(REPEATS), str(WITHIN), str(rng.randrange(1, 10 ** 6))], input=text, text=True,
                         capture_output=True, check=True).stdout.split("\n")
    runs, decided = out[-2].split()
    paid, choice = [], int(out[-3].split()[2])
    for line in out[:-2]:
        arm, cost, _ = line.split()
        paid.append(float(cost) or -min(costs[int(arm)]) + rng.choice(costs[default]))
    while len(paid) < RUNS:
        paid.append(rng.choice(costs[choice]))
    return paid, choice, int(runs), int(decided)


def break_even(paid, cost):
    total, at = 0, None
    for i, x in enumerate(paid):
        total += x
        if total > (i + 1) * cost:
            at = None
        elif at is None:
            at = i + 1
    return at or math.inf


def main():
    records = collections.defaultdict(lambda: collections.defaultdict(list))
    for path in sys.argv[1:]:
        for line in open(path):
            r = json.loads(line)
            records[r["program"]][r["ksp"], r["pc"]].append(r["cpu"] if r["ok"] else -r["cpu"])
    if not records:
        sys.exit(__doc__)
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
    folder = tempfile.mkdtemp()
    replay = os.path.join(folder, "replay")
    plan = [os.path.join(root, "mastermind/plan", f) for f in os.listdir(os.path.join(root, "mastermind/plan")) if f.endswith(".c")]
    subprocess.run(["cc", "-O2", "-std=gnu11", "-D_GNU_SOURCE", "-I" + root, "-o", replay,
                    os.path.join(root, "bench/choose/replay.c"), *plan, "-lm"], check=True)
    bandits = {"UCB1": ucb1, "epsilon-greedy": epsilon_greedy, "explore-then-commit": explore_then_commit,
               "Tsallis-INF": tsallis_inf}
    print("%-8s %8s %26s %30s" % ("program", "gain", "race: runs break-even regret", "bandits: break-even regret"))
    sums = collections.defaultdict(list)
    for program, pairs in sorted(records.items()):
        first, second = (sorted({p[i] for p in pairs}) for i in range(2))
        names = [(a, b) for a in first for b in second]
        if any(p not in pairs for p in names):
            print("%-8s is left out: pairs without a run" % program)
            continue
        costs = [pairs[p] for p in names]
        default = names.index(DEFAULT)
        means = [st.mean(c) if min(c) > 0 else math.inf for c in costs]
        base, least = means[default], min(means)
        regret = lambda arm: means[arm] / least - 1
        own, rows = [], {}
        for seed in range(SEEDS):
            paid, choice, runs, decided = race(replay, (len(first), len(second)), costs, default, random.Random(seed))
            own.append((runs, break_even(paid, base), regret(choice), decided))
        for name, bandit in bandits.items():
            rows[name] = []
            for seed in range(SEEDS):
                paid, arm = play(bandit, costs, default, random.Random(seed))
                rows[name].append((break_even(paid, base), regret(arm)))
        print("%-8s %6.1f %% %5.0f of %d %6.0f %6.1f %%   %s" % (
            program, 100 * (1 - least / base), st.median(o[0] for o in own), len(names) * REPEATS,
            st.median(o[1] for o in own), 100 * st.mean(o[2] for o in own),
            "  ".join("%s %.0f %.1f %%" % (name, st.median(r[0] for r in row), 100 * st.mean(r[1] for r in row))
                      for name, row in rows.items())))
        sums["runs"].append(st.median(o[0] for o in own) / len(names) / REPEATS)
        sums["regret"].append(st.mean(o[2] for o in own))
        sums["failing"].append(sum(math.isinf(o[2]) for o in own))
        sums["decided"].append(sum(o[3] for o in own))
        if 1 - least / base > .02:
            sums["own"].append(st.median(o[1] for o in own))
            sums["best"].append(min(st.median(r[0] for r in row) for row in rows.values()))
    print("race: %.1f %% of all runs (mean), %d of %d decided, regret %.2f %% (mean), %d failing pairs chosen" % (
        100 * st.mean(sums["runs"]), sum(sums["decided"]), SEEDS * len(sums["runs"]), 100 * st.mean(sums["regret"]),
        sum(sums["failing"])))
    print("break-even where there is a gain of 2 %% or more: race %s, best bandit %s" % (sums["own"], sums["best"]))


main()
