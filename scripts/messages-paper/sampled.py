# SPDX-License-Identifier: BSD-3-Clause
"""sampled.py DATA: Figure 9, messages sampled on rank 0 against the threshold, with the binomial band.

Counts are those of `mastermind messages --channels --csv`.
"""
import glob
import math
import re
import sys

import rows

BAND = .99


def quantile(n, p, q):
    """The least k for which a binomial of n and p is at most k with probability q or more: exact sums."""
    if p >= 1:
        return n
    spread = int(12 * math.sqrt(n * p * (1 - p))) + 10
    first, total = max(0, int(n * p) - spread), 0
    for k in range(first, n + 1):
        total += math.exp(math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) + k * math.log(p)
                          + (n - k) * math.log1p(-p))
        if total >= q:
            return k
    return n


def main(data):
    points, drawn = [], {}
    for path in glob.glob(data + "/sampled-*.csv"):
        program, threshold = re.search(r"sampled-(\w+)-([\d.]+)\.csv", path).groups()
        own = [r for r in rows.table(path) if r["from"] == "0"]
        n, sampled, p = sum(int(r["messages"]) for r in own), sum(int(r["sampled"]) for r in own), float(threshold)
        low, high = (quantile(n, p, q) for q in ((1 - BAND) / 2, (1 + BAND) / 2))
        points.append({"program": program, "threshold": p, "messages": n, "sampled": sampled, "low": low, "high": high,
                       "inside": low <= sampled <= high})
    points.sort(key=lambda point: (-point["messages"], point["threshold"]))
    for point in points:
        drawn.setdefault(point["program"], []).append((point["threshold"], point["sampled"], point["low"], point["high"]))
    rows.blocks(data + "/sampled.dat", drawn)
    thresholds = sorted({p["threshold"] for p in points})
    by = {(p["program"], p["threshold"]): p for p in points}
    lines = [[name] + ["{:,} ({:,} .. {:,}){}".format(by[name, t]["sampled"], by[name, t]["low"], by[name, t]["high"],
                                                     "" if by[name, t]["inside"] else " outside") if t < 1
                       else "{:,}".format(by[name, t]["sampled"]) for t in thresholds] for name in drawn]
    rows.save(data, "sampled", {"points": points, "outside": sum(not p["inside"] for p in points),
                                "messages": {p["program"]: p["messages"] for p in points},
                                "table": rows.markdown(["program"] + ["%g" % t for t in thresholds], lines)})


if __name__ == "__main__":
    main(*sys.argv[1:])
