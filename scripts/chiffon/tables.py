#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tables, data of figures and claims of docs/papers/mesh.md.

    tables.py DATA PAGE.in               the page, and data of figures into DATA
    tables.py --whole MESH.json STEPS    exit 0: all steps are there
    tables.py --steps BALANCE.json NAME  the steps before which a policy repartitions
    tables.py --parts SCHEDULE OUT.svg   Figure 4: the parts of the domain
    tables.py --claims DATA              what was claimed; exit 1: a claim that must hold does not
"""
import csv
import glob
import json
import math
import os
import re
import sys

PAPER = "paper:.15:5:20"


def load(path):
    with open(path) as file:
        return json.load(file)


def rows(path):
    with open(path) as file:
        return list(csv.DictReader(file))


def by_step(path, column):
    """Sums over cells, by step."""
    sums = {}
    for row in rows(path):
        if row[column]:
            step = int(row["step"])
            sums[step] = sums.get(step, 0) + float(row[column])
    return sums


def times(data, what):
    """Time of a block or cell: the least of several runs, for other processes only add to it."""
    least = {}
    for path in sorted(glob.glob(f"{data}/{what}-cost-*.csv")):
        for step, ns in by_step(path, "cost").items():
            least[step] = min(ns, least.get(step, math.inf))
    return least


def correlation(a, b):
    steps = sorted(set(a) & set(b))
    x, y = [a[s] for s in steps], [b[s] for s in steps]
    mx, my = sum(x) / len(x), sum(y) / len(y)
    sxy = sum((p - mx) * (q - my) for p, q in zip(x, y))
    sx, sy = sum((p - mx) ** 2 for p in x), sum((q - my) ** 2 for q in y)
    return sxy / math.sqrt(sx * sy) if sx and sy else float("nan")


def write(path, table):
    with open(path, "w") as file:
        for row in table:
            file.write("\n\n" if row is None else " ".join(str(x) for x in row) + "\n")


# --- The paper's pseudocode, once more, for what it probes. ---

def probes(imbalance, steps, threshold, least, most):
    """(step, interval, repartitions here) of each probe; imbalance(s, k)."""
    step = last = 0
    interval, seen = most, []
    while step < steps:
        value = imbalance(last, step)
        if value < threshold:
            interval = min(2 * interval, most)
            seen.append((step, interval, 0))
            step += interval
        elif interval > least and step > last:
            interval = max(interval // 2, least)
            seen.append((step, interval, 0))
            step = max(step - interval, last)
        else:
            seen.append((step, interval, 1 if step > 0 else 0))
            last = step
            step += interval
    return seen


def paper_probes(data, count):
    made = {}

    def imbalance(s, k):
        if s not in made:
            made[s] = {int(r["step"]): float(r["imbalance"]) for r in rows(f"{data}/from-{s}.csv")}
        return made[s][k]

    return probes(imbalance, count, .15, 5, 20)


# --- Figure 4. ---

def colour(part, parts):
    hue = (part * 0.61803398875) % 1
    i, f = int(hue * 6), hue * 6 % 1
    v, p, q, t = .93, .55, .93 - .38 * f, .55 + .38 * f
    r, g, b = [(v, t, p), (q, v, p), (p, v, t), (p, q, v), (t, p, v), (v, p, q)][i]
    return "#%02x%02x%02x" % (int(255 * r), int(255 * g), int(255 * b))


def draw_parts(schedule, out):
    """The outside of the domain from above, cells in the colour of their part: three faces, a parallel projection."""
    shape, runs = schedule["shape"], schedule["steps"][len(schedule["steps"]) // 2]["runs"]
    owners = [owner for owner, count in runs for _ in range(count)]
    n0, n1, n2 = shape

    def owner(i, j, k):
        return owners[(i * n1 + j) * n2 + k]

    scale = 16

    def place(i, j, k):
        return (20 + scale * (i + .5 * j), 20 + scale * (.5 * n1 - .5 * j + n2 - k) * .86)

    def face(corners, part):
        points = " ".join("%.1f,%.1f" % place(*c) for c in corners)
        return '<polygon points="%s" fill="%s" stroke="#ffffff" stroke-width=".6"/>' % (points, colour(part, schedule["parts"]))

    shapes = []
    for i in range(n0):
        for k in range(n2):
            shapes.append(face([(i, 0, k), (i + 1, 0, k), (i + 1, 0, k + 1), (i, 0, k + 1)], owner(i, 0, k)))
        for j in range(n1):
            shapes.append(face([(i, j, n2), (i + 1, j, n2), (i + 1, j + 1, n2), (i, j + 1, n2)], owner(i, j, n2 - 1)))
    for j in range(n1):
        for k in range(n2):
            shapes.append(face([(n0, j, k), (n0, j + 1, k), (n0, j + 1, k + 1), (n0, j, k + 1)], owner(n0 - 1, j, k)))
    width, height = place(n0, n1, 0)[0] + 20, place(0, 0, 0)[1] + 20
    with open(out, "w") as file:
        file.write('<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f">\n' % (width, height))
        file.write("<title>%d parts of %d x %d x %d cells</title>\n" % (schedule["parts"], n0, n1, n2))
        file.write('<rect width="100%" height="100%" fill="white"/>\n' + "\n".join(shapes) + "\n</svg>\n")


# --- The page. ---

def table(head, body):
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in body])


def step_times(data, policy):
    """Seconds: the sum over steps of the slowest rank, of each step and rank the least of all runs."""
    least = {}
    for path in glob.glob(f"{data}/gain-{policy}.*.csv"):
        for row in rows(path):
            key = int(row["step"]), int(row["rank"])
            least[key] = min(float(row["cpu_ns"]), least.get(key, math.inf))
    slowest = {}
    for (step, _), ns in least.items():
        slowest[step] = max(ns, slowest.get(step, 0))
    return 1e-9 * sum(slowest.values())


def gains(data):
    """By policy: predicted cost of the steps, and the least CPU time of the runs, as (steps, redistributions)."""
    found = {}
    for path in sorted(glob.glob(f"{data}/gain-*.json")):
        policy = os.path.basename(path)[5:-5]
        result = load(path)["policies"][0]
        runs = [load(p) for p in glob.glob(f"{data}/gain-{policy}.*.run")]
        price = load(path)["price"]
        predicted = result["cost"] - price * len(result["repartitions"])
        found[policy] = {"predicted": predicted, "repartitions": len(result["repartitions"]),
                         "work": runs[0]["work"]["most"],
                         "steps": step_times(data, policy),
                         "moves": min(r["cpu_s"]["redistributions"] for r in runs),
                         "fields": runs[0]["fields"]}
    return found


def figures(data, policies):
    block, cell = by_step(f"{data}/block-work.csv", "work"), by_step(f"{data}/cell-work.csv", "work")
    block_ns, cell_ns = times(data, "block"), times(data, "cell")
    for n, values, unit in ((5, block, 1), (6, block_ns, 1e-3), (7, cell, 1), (8, cell_ns, 1e-3)):
        write(f"{data}/figure-{n}.dat", [(s, values[s] * unit) for s in sorted(values)])
    steps = {}
    for row in rows(f"{data}/policies.csv"):
        steps.setdefault(int(row["step"]), {})[row["policy"]] = row["imbalance"]
    order = ["fixed:20", "fixed:50", PAPER, "expect"]
    write(f"{data}/figure-10.dat", [[s] + [steps[s][p] for p in order] for s in sorted(steps)])
    seen = paper_probes(data, len(steps))
    repartitions = [s for s, _, here in seen if here]
    write(f"{data}/figure-9.dat", [(s, i) for s, i, _ in seen] + [None] + [(s, 20) for s in repartitions])
    return {"block": correlation(block, block_ns), "cell": correlation(cell, cell_ns), "probes": len(seen),
            "again": repartitions}


def claim(claims, holds, what, found, must=False):
    claims.append({"what": what, "holds": bool(holds), "found": found, "must": must})


def judge(data, found, policies, gain):
    claims, by = [], {p["policy"]: p for p in policies["policies"]}
    adaptive, paper20, paper50 = by[PAPER], by["fixed:20"], by["fixed:50"]
    claim(claims, found["again"] == adaptive["repartitions"],
          "the pseudocode in Python repartitions before the same steps as the product's (Figure 9)",
          ", ".join(map(str, found["again"])) or "none", True)
    claim(claims, len(paper20["repartitions"]) == (policies["steps"] - 1) // 20, "a fixed interval of 20 is 14 repartitions in 300 steps",
          len(paper20["repartitions"]), True)
    claim(claims, len(adaptive["repartitions"]) < len(paper20["repartitions"]),
          "the adaptive interval needs fewer (the paper: 7)", len(adaptive["repartitions"]))
    claim(claims, found["block"] > .8, "time of a block follows its weight (Figures 5 and 6)", "correlation %.2f" % found["block"])
    claim(claims, found["cell"] > .5, "time of a cell follows its weight (Figures 7 and 8)", "correlation %.2f" % found["cell"])
    claim(claims, adaptive["imbalance_mean"] < paper20["imbalance_mean"], "adaptive balances better than every 20 steps (Figure 10)",
          "%.3f and %.3f" % (adaptive["imbalance_mean"], paper20["imbalance_mean"]))
    claim(claims, adaptive["imbalance_mean"] < paper50["imbalance_mean"], "adaptive balances better than every 50 steps (Figure 10)",
          "%.3f and %.3f" % (adaptive["imbalance_mean"], paper50["imbalance_mean"]))
    claim(claims, all(p["above_oracle"] > -1e-9 for p in policies["policies"]), "no policy is below the optimum",
          ", ".join("%s %.1f %%" % (p["policy"], 100 * p["above_oracle"]) for p in policies["policies"]), True)
    claim(claims, len({g["fields"] for g in gain.values()}) == 1, "fields of all runs have the same bits", next(iter(gain.values()))["fields"], True)
    for policy, g in gain.items():
        claim(claims, abs(g["work"] - g["predicted"]) <= 1e-6 * g["predicted"],
              "the work of the slowest ranks is what was simulated, %s" % policy, "%d and %.0f" % (g["work"], g["predicted"]), True)
    return claims


def page(data, template):
    policies = load(f"{data}/policies.json")
    found, gain = figures(data, policies), gains(data)
    claims = judge(data, found, policies, gain)
    with open(f"{data}/claims.json", "w") as file:
        json.dump(claims, file, indent=1)
    base = gain["fixed:20"]
    body = []
    for policy in ("fixed:20", "fixed:50", PAPER, "expect", "oracle"):
        g = gain[policy]
        body.append([policy, str(g["repartitions"]), "%.1f %%" % (100 * (1 - g["predicted"] / base["predicted"])),
                     "%.1f %%" % (100 * (1 - g["steps"] / base["steps"])), "%.0f ms" % (1e3 * g["steps"]), "%.0f ms" % (1e3 * g["moves"])])
    by = {p["policy"]: p for p in policies["policies"]}
    places = {
        "policies": open(f"{data}/policies.txt").read().rstrip("\n"),
        "gains": table(["policy", "repartitions", "gain simulated", "gain measured", "steps", "redistributions"], body),
        "probes": str(found["probes"]), "again": ", ".join(map(str, found["again"])),
        "count": str(len(by[PAPER]["repartitions"])),
        "block": "%.2f" % found["block"], "cell": "%.2f" % found["cell"],
        "sweep": open(f"{data}/sweep.txt").read().rstrip("\n"),
        "cores": str(os.cpu_count()),
        "claims": "\n".join("- %s: %s (%s)" % ("holds" if c["holds"] else "**does not hold**", c["what"], c["found"]) for c in claims),
    }
    text = open(template).read()
    sys.stdout.write(re.sub(r"@(\w+)@", lambda m: places[m.group(1)], text))


def whole(path, steps):
    return load(path)["steps"]["count"] == steps


def main():
    if sys.argv[1] == "--whole":
        return 0 if whole(sys.argv[2], int(sys.argv[3])) else 1
    if sys.argv[1] == "--steps":
        print(*next(p["repartitions"] for p in load(sys.argv[2])["policies"] if p["policy"] == sys.argv[3]))
        return 0
    if sys.argv[1] == "--parts":
        draw_parts(load(sys.argv[2]), sys.argv[3])
        return 0
    if sys.argv[1] == "--claims":
        claims = load(f"{sys.argv[2]}/claims.json")
        for c in claims:
            print("%s %s: %s" % ("holds" if c["holds"] else "FAILS" if c["must"] else "not", c["what"], c["found"]))
        return any(c["must"] and not c["holds"] for c in claims)
    page(sys.argv[1], sys.argv[2])
    return 0


if __name__ == "__main__":
    sys.exit(main())
