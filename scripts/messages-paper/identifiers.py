# SPDX-License-Identifier: BSD-3-Clause
"""identifiers.py DATA: Figure 12, the distribution of latency of each message identifier.

An identifier is a hash of source, destination, both callsites and the class of size, as in the paper; samples are those that
`mastermind messages --records --csv` prints.
"""
import hashlib
import math
import sys

import rows

STEPS = 4 # buckets an octave, as those of FREQ


def main(data):
    found = {}
    for row in rows.table(data + "/kept-P-0.1-WRITE.csv"):
        size = int(row["bytes"])
        key = row["from"], row["to"], row["from_site"], row["to_site"], 1 << size.bit_length() - 1 if size else 0
        found.setdefault(key, []).append(float(row["latency_ns"]))
    result, drawn, lines = [], [], []
    for i, (key, latencies) in enumerate(sorted(found.items(), key=lambda item: (item[0][:2], item[0][4]))):
        name = hashlib.blake2b("|".join(map(str, key)).encode(), digest_size=2).hexdigest()
        counts = {}
        for ns in latencies:
            bucket = math.floor(STEPS * math.log2(ns)) if ns >= 1 else 0
            counts[bucket] = counts.get(bucket, 0) + 1
        drawn += [(i, 2 ** ((b + .5) / STEPS) / 1e3, 100 * c / len(latencies), 2 ** (b / STEPS) / 1e3, 2 ** ((b + 1) / STEPS) / 1e3)
                  for b, c in sorted(counts.items())]
        result.append({"name": name, "samples": len(latencies), "median_us": rows.median(latencies) / 1e3})
        lines.append([name, "%s > %s" % key[:2], "`%s` > `%s`" % key[2:4], "%d-%d" % (key[4], 2 * key[4] - 1),
                      "{:,}".format(len(latencies)), "%.2f" % (rows.median(latencies) / 1e3), "%.1f" % (max(latencies) / 1e3)])
    rows.blocks(data + "/identifiers.dat", {"share": drawn})
    tics = ", ".join("'%s' %d" % (r["name"], i) for i, r in enumerate(result))
    open(data + "/identifiers.gp", "w").write("set xtics (%s)\nidentifiers = %d\n" % (tics, len(result)))
    rows.save(data, "identifiers", {"identifiers": result, "table": rows.markdown(
        ["identifier", "ranks", "callsites", "bytes", "samples", "median us", "max us"], lines)})


if __name__ == "__main__":
    main(*sys.argv[1:])
