# SPDX-License-Identifier: BSD-3-Clause
"""claims.py DATA: what the page claims, checked against the data. A line each; 1 if one does not hold."""
import json
import sys


def load(folder, name):
    return json.load(open("%s/%s.json" % (folder, name)))


def ratio_near(size, low, high):
    """The median ratio at sizes between low and high, largest size first."""
    found = [r[1] for r in size["ratio"] if low <= r[0] <= high]
    return sum(found) / len(found) if found else None


def claims(folder):
    sizes, equations = load(folder, "sizes"), load(folder, "equations")
    exchange, profile, dual = load(folder, "exchange"), load(folder, "profile"), load(folder, "dual")
    shapes, field = load(folder, "shapes"), load(folder, "field")
    states = sizes["States"]
    small, large = ratio_near(states, 100, 1.1e3), ratio_near(states, 1e5, 2e5)
    yield ("sizes from 10^2 or less to 1.5 x 10^5 elements", states["smallest"] <= 100 and states["largest"] >= 1.5e5,
           "%d to %d" % (states["smallest"], states["largest"]))
    yield "strided and sequential cost the same at small sizes", 0.7 < small < 1.5, "ratio %.2f" % small
    yield "strided costs more at the largest sizes", large > 1.5 and large > 1.25 * small, "ratio %.2f" % large
    rows = ratio_near(sizes["StatesRows"], 1e5, 2e5) if "StatesRows" in sizes else None
    if rows:
        yield "StatesRows has no strided mode", 0.6 < rows < 1.6, "ratio %.2f" % rows
        ours, theirs = (equations["order"][c][1] for c in ("StatesRows", "States"))
        yield "StatesRows costs less than States at 10^5", ours < .6 * theirs, "%.0f and %.0f us" % (ours, theirs)
    for q, at in (0, "10^4"), (1, "10^5"):
        g, e = equations["order"]["GodunovFlux"][q], equations["order"]["EFMFlux"][q]
        yield "GodunovFlux costs more than EFMFlux at " + at, g > 1.15 * e, "%.2f times" % (g / e)
    for name, most in ("States", .35), ("GodunovFlux", .3), ("EFMFlux", .3):
        form = equations[name]["mean"]
        yield "the paper's form fits the mean of " + name, form["deviation"] < most, "%.1f %% off" % (100 * form["deviation"])
    power = equations["States"]["exponent"]
    yield "the exponent of States is above 1", 1.0 < power < 1.4, "%.2f" % power
    for name in "GodunovFlux", "EFMFlux":
        power = equations[name]["exponent"]
        yield "%s is linear" % name, .8 < power < 1.3, "exponent %.2f" % power
    yield "less than 5 % of the time is not attributed", profile["unattributed"] < .05, "%.1f %%" % (100 * profile["unattributed"])
    yield "the profile adds up to the whole", abs(profile["sum"] - 1) < .01, "%.4f" % profile["sum"]
    yield ("each coarse step is L0 L1 L2 L2 L1 L2 L2", exchange["orders"] == ["L0 L1 L2 L2 L1 L2 L2"]
           and exchange["orders_told"] == exchange["steps"], "%d steps" % exchange["steps"])
    steps, ranks = exchange["steps"], profile["ranks"]
    edges = dual["edges"]
    yield "the dual has two ghost updates a step of a level", dual["updates"] == 14 * steps * ranks, "%d calls" % dual["updates"]
    for name in "keep_old", "reflux":
        n = sum(n for e, n in edges.items() if e.startswith("rk2.") and e.endswith("." + name))
        yield "the dual has %s once a step of levels 0 and 1" % name, n == 3 * steps * ranks, "%d calls" % n
    fine = [l for l in exchange["by_level"] if l["level"] > 0]
    yield ("the redistribution shows in the bytes", all(sum(l["bytes_after"]) > 2 * sum(l["bytes_before"]) for l in fine)
           and exchange["moved_cells"] > 0, "%d cells moved" % exchange["moved_cells"])
    spread = max(s["ratio"] for s in shapes["shapes"]) / min(s["ratio"] for s in shapes["shapes"])
    yield "Q alone is not the parameter", spread > 1.5, "ratios at Q = %d differ by %.1f" % (shapes["Q"], spread)
    yield "three levels", field["levels"] == 3, "%d" % field["levels"]


def main(folder):
    failed = 0
    for claim, holds, found in claims(folder):
        failed += not holds
        print("%-8s %s: %s" % ("holds" if holds else "FAILS", claim, found))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
