# SPDX-License-Identifier: BSD-3-Clause
"""places.py DATA: Figure 11, the sample space: which places in a burst of sends each strategy samples.

Places are serials modulo the sends of a burst, from `mastermind messages --records --csv`.
"""
import glob
import math
import os
import sys

import rows

SENDS = 16


def main(data):
    result, drawn, lines = {}, {}, []
    for path in sorted(glob.glob(data + "/places-*.csv")):
        request = os.path.basename(path)[len("places-"):-len(".csv")]
        counts = [0] * SENDS
        for row in rows.table(path):
            counts[int(row["k"]) % SENDS] += 1
        total = sum(counts)
        even = total / SENDS
        chi = sum((c - even) ** 2 / even for c in counts) if total else math.nan
        result[request] = {"samples": total, "first": counts[0] / total, "largest": max(counts) / total, "chi2": chi,
                           "places": sum(c > 0 for c in counts)}
        drawn[request] = [(i + 1, 100 * c / total) for i, c in enumerate(counts)]
        lines.append([request, "{:,}".format(total), "%.1f %%" % (100 * counts[0] / total), result[request]["places"],
                      "%.1f %%" % (100 * max(counts) / total), "%.0f" % chi])
    rows.blocks(data + "/places.dat", drawn)
    order = [r for r in ("P-0.0625", "C-16", "C-16:8", "T-0.0005", "T-0.0005:0.0004") if r in drawn]
    open(data + "/places.gp", "w").write("requests = '%s'\nsends = %d\n" % (" ".join(order), SENDS))
    rows.save(data, "places", {"requests": result, "sends": SENDS, "table": rows.markdown(
        ["configuration", "samples", "of the first send of a burst", "places sampled of %d" % SENDS, "most frequent place", "chi2, %d degrees" % (SENDS - 1)],
        [next(l for l in lines if l[0] == r) for r in order])})


if __name__ == "__main__":
    main(*sys.argv[1:])
