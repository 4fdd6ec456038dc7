# SPDX-License-Identifier: BSD-3-Clause
"""Random traces through `mastermind import cells` and `mastermind balance --json`; all numbers are computed
anew here, from the definitions, without tables of sums, and the optimum by trying all schedules.

    balance_truth.py COUNT SEED
"""
import itertools
import json
import random
import subprocess
import sys


def coordinates(shape):
    return list(itertools.product(*(range(n) for n in shape)))


def rcb(cells, weights, parts, planes):
    """{cell: part}; cells are tuples in ascending order, weights a dict of whole numbers."""
    if parts == 1 or len(cells) <= 1:
        return {c: 0 for c in cells}
    dims = range(len(cells[0]))
    sides = [max(c[d] for c in cells) - min(c[d] for c in cells) for d in dims]
    side = sides.index(max(sides))
    order = sorted(cells, key=lambda c: (c[side], c))
    value = weights if sum(weights[c] for c in cells) > 0 else {c: 1 for c in cells}
    total, left, best, at = sum(value[c] for c in cells), 0, None, 0
    left_parts, right_parts = parts // 2, parts - parts // 2
    for i in range(1, len(order)):
        left += value[order[i - 1]]
        if planes and order[i][side] == order[i - 1][side]:
            continue
        # The larger of left / left_parts and right / right_parts, in whole numbers.
        larger = max(left * right_parts, (total - left) * left_parts)
        if best is None or larger < best:
            best, at = larger, i
    one = rcb(sorted(order[:at]), weights, left_parts, planes)
    two = rcb(sorted(order[at:]), weights, right_parts, planes)
    return {**one, **{c: left_parts + p for c, p in two.items()}}


class Trace:
    def __init__(self, shape, steps, parts, planes, lag, every):
        self.cells, self.steps, self.parts = coordinates(shape), steps, parts
        made = [rcb(self.cells, w, parts, planes) for w in steps]
        self.lag, self.every, self.made = lag, every, made
        self.mean = [sum(w.values()) / parts for w in steps]

    def largest(self, partition, k):
        loads = [0] * self.parts
        for c, part in partition.items():
            loads[part] += self.steps[k][c]
        return max(loads)

    def at(self, s):  # the partition that begins at step s
        return self.made[max(s - self.lag, 0)]

    def load(self, s, k):
        return self.largest(self.at(s), k)

    def moved(self, s, t):
        return sum(self.at(s)[c] != self.at(t)[c] for c in self.cells)

    def outcome(self, schedule, price, cell):
        s, cost, moved, over, lost = 0, 0, 0, [], []
        for k in range(len(self.steps)):
            if k in schedule:
                cost += price + cell * self.moved(s, k)
                moved += self.moved(s, k)
                s = k
            largest = self.load(s, k)
            cost += largest
            if self.mean[k] > 0:
                over.append(largest / self.mean[k] - 1)
                lost.append(1 - self.mean[k] / largest)
        return {"repartitions": sorted(schedule), "cost": cost, "cells_moved": moved,
                "imbalance_mean": sum(over) / max(1, len(over)), "imbalance_max": max(over, default=0),
                "loss_mean": sum(lost) / max(1, len(lost)), "loss_max": max(lost, default=0)}

    # --- Policies, as docs/guide/balance.md has them.
    def live(self, decide):
        """decide(k, w, s, lost) with w the step whose weights are known; lost without this step's."""
        schedule, s, lost = set(), 0, 0
        for k in range(self.every if self.lag else 0, len(self.steps), self.every):
            w = k - self.lag
            now, fresh = self.largest(self.at(s), w), self.largest(self.made[w], w)
            lost = max(0, lost + (now - fresh) * self.every)
            if k > 0 and k > s and decide(k, w, s, now, fresh, lost):
                schedule.add(k)
                s, lost = k, 0
        return schedule

    def policy(self, name, price, cell):
        word = name.split(":")
        if word[0] == "never":
            return set()
        if word[0] == "each":
            return self.live(lambda *seen: True)
        if word[0] == "fixed":
            return self.live(lambda k, *seen: k // int(word[1]) > (k - self.every) // int(word[1]))
        if word[0] == "threshold":
            return self.live(lambda k, w, s, now, fresh, lost:
                             self.mean[w] > 0 and now / self.mean[w] - 1 >= float(word[1]))
        if word[0] == "loss":
            return self.live(lambda k, w, s, now, fresh, lost:
                             now > fresh and lost >= price + cell * self.moved(s, k))
        if word[0] == "paper":
            return self.paper(float(word[1]), int(word[2]), int(word[3]))
        if word[0] == "look":
            return self.look(int(word[1]), price, cell)
        return None

    def paper(self, threshold, least, most):
        schedule, step, last, interval = set(), 0, 0, most
        while step < len(self.steps):
            mean = self.mean[step]
            if (self.load(last, step) / mean - 1 if mean > 0 else 0) < threshold:
                interval = min(2 * interval, most)
                step += interval
            elif interval > least and step > last:
                interval = max(interval // 2, least)
                step = max(step - interval, last)
            else:
                if step > 0:
                    schedule.add(step)
                last = step
                step += interval
        return schedule

    def best_of(self, stands, begin, end, price, cell):
        """The least cost of steps begin .. end - 1: (not now, now)."""
        costs = {True: [], False: []}
        for bits in range(1 << (end - begin)):
            s, cost = stands, 0
            for k in range(begin, end):
                if bits >> (k - begin) & 1:
                    cost += price + cell * self.moved(s, k)
                    s = k
                cost += self.load(s, k)
            costs[bool(bits & 1)].append(cost)
        return min(costs[False]), min(costs[True])

    def look(self, ahead, price, cell):
        schedule, s = set(), 0
        for k in range(1, len(self.steps)):
            wait, now = self.best_of(s, k, min(k + ahead, len(self.steps)), price, cell)
            if now < wait:
                schedule.add(k)
                s = k
        return schedule

    def optimum(self, price, cell):
        n, best = len(self.steps), None
        for bits in range(1 << (n - 1)):
            schedule = [k for k in range(1, n) if bits >> (k - 1) & 1]
            cost = self.outcome(set(schedule), price, cell)["cost"]
            key = (len(schedule), schedule)
            if best is None or cost < best[0] or (cost == best[0] and key < best[1]):
                best = cost, key
        return set(best[1][1])


def random_steps(random, shape, count):
    cells = coordinates(shape)
    zero, steps = random.random() < .3, []
    spot = [random.uniform(0, n) for n in shape]
    for _ in range(count):
        spot = [min(n, max(0, x + random.uniform(-2, 2))) for x, n in zip(spot, shape)]
        steps.append({c: random.randint(0, 2) + int(12 / (1 + sum((a - b) ** 2 for a, b in zip(c, spot))))
                      for c in cells})
        if zero and random.random() < .3:
            steps[-1] = {c: 0 for c in cells}
    return steps


def check(name, found, expected, where):
    same = found == expected if isinstance(expected, list) else abs(found - expected) <= 1e-9 * max(1, abs(expected))
    assert same, f"{where}: {name}: found {found}, expected {expected}"


def one(seed):
    r = random.Random(seed)
    shape = [r.randint(1, 5) for _ in range(r.randint(1, 3))]
    parts, lag, planes, every = r.randint(1, 5), r.randint(0, 1), r.random() < .4, r.choice([1, 1, 2, 3])
    steps = random_steps(r, shape, r.randint(1, 7))
    with open("trace.csv", "w") as file:
        file.write("step," + ",".join("ijk"[:len(shape)]) + ",value\n")
        for t, weights in enumerate(steps):
            for c, w in weights.items():
                file.write(f"{t},{','.join(map(str, c))},{w}\n")
    subprocess.run(["rm", "-rf", "trace.mm"], check=True)
    subprocess.run(["mastermind", "import", "cells", "trace.csv", "--shape", ",".join(map(str, shape)), "-o",
                    "trace.mm"], check=True, capture_output=True)
    price, cell = r.choice([0, 1, 8, 40]), r.choice([0, .25, 2])
    policies = ["never", "each", "fixed:2", "threshold:.15", "loss", "paper:.15:1:4", "look:3"]
    back = r.random() < .3
    command = ["mastermind", "balance", "trace.mm", "--json", "--parts", str(parts), "--lag", str(lag), "--every",
               str(every), "--price", str(price), "--move", str(cell), "--partitioner", "rcb:planes" if planes else "rcb", "--policy",
               ",".join(policies + ["expect"])] + ["--back"] * back
    run = subprocess.run(command, capture_output=True, text=True)
    where = f"seed {seed}: {' '.join(command)}"
    assert run.returncode == 0, f"{where}: exit {run.returncode}: {run.stderr}"
    told = json.loads(run.stdout)
    steps = steps[::-1] if back else steps
    numbers = [len(steps) - 1 - k if back else k for k in range(len(steps))]
    trace = Trace(shape, steps, parts, planes, lag, every)
    best = trace.outcome(trace.optimum(price, cell), price, cell)
    for key in "cost", "imbalance_mean", "imbalance_max", "loss_mean", "loss_max", "cells_moved":
        check(f"oracle {key}", told["oracle"][key], best[key], where)
    check("oracle", told["oracle"]["repartitions"], [numbers[k] for k in best["repartitions"]], where)
    for name, found in zip(policies, told["policies"]):
        assert found["policy"] == name
        expected = trace.outcome(trace.policy(name, price, cell), price, cell)
        check(name, found["repartitions"], [numbers[k] for k in expected["repartitions"]], where)
        for key in "cost", "imbalance_mean", "imbalance_max", "loss_mean", "loss_max", "cells_moved":
            check(f"{name} {key}", found[key], expected[key], where)
    expect = told["policies"][-1]
    again = trace.outcome({numbers.index(k) for k in expect["repartitions"]}, price, cell)
    check("expect cost", expect["cost"], again["cost"], where)
    if best["cost"] > 0:
        check("expect above", expect["above_oracle"], expect["cost"] / best["cost"] - 1, where)
    check("means", told["bounds"]["means"], sum(trace.mean), where)
    check("least", told["bounds"]["least"],
          sum(min(trace.load(s, k) for s in range(k + 1)) for k in range(len(steps))), where)
    heavy = [max(w.values()) / m for w, m in zip(steps, trace.mean) if m > 0 and max(w.values()) > m * (1 + 1e-9)]
    assert ("unreachable" in told) == bool(heavy), f"{where}: unreachable"
    if heavy:
        check("unreachable", told["unreachable"]["factor"], max(heavy), where)


if __name__ == "__main__":
    count, first = int(sys.argv[1]), int(sys.argv[2])
    for seed in range(first, first + count):
        one(seed)
    print(f"{count} traces")
