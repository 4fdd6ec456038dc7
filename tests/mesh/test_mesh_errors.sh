#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# `mastermind mesh --errors`: bytes are those of a profile that is kept with the bound, errors are within it, and what
# the verb says of them in its summary is found again from the values. Parts of one bound are those of another program.
. "$(dirname "$0")/../lib/lib.sh"

python3 - <<'END'
import math
with open("field.csv", "w") as f:
    f.write("step,i,j,k,value\n")
    for s in range(6):
        for i in range(16):
            for j in range(12):
                for k in range(10):
                    d = (i - 3 - 2 * s) ** 2 + (j - 6) ** 2 + (k - 5) ** 2
                    f.write("%d,%d,%d,%d,%.6g\n" % (s, i, j, k, 6 + 42 * math.exp(-d / 8)))
END
run 0 mastermind import cells field.csv --shape 16,12,10 -o exact.mm
run 0 mastermind import cells field.csv --shape 16,12,10 --eps .25 -o quarter.mm
run 0 mastermind mesh exact.mm --errors --eps 0,.01,.25 --eps 2 --parts 8 --json
fits mesh out
cp out errors.json
run 0 mastermind mesh quarter.mm --json
cp out summary.json
for name in exact quarter; do
    run 0 mastermind mesh $name.mm --csv
    cp out $name.csv
done
python3 - <<'END' || fail "errors: $(tail -60 errors.json)"
import csv, json
e = json.load(open("errors.json"))["errors"]
assert (e["probe"], e["parts"], e["partitioner"]) == ("value", 8, "rcb"), e
bounds = e["bounds"]
assert [b["eps"] for b in bounds] == [0, .01, .25, 2]
for b in bounds:
    assert b["error_largest"] <= b["eps"] * (1 + 1e-6) and b["error_rms"] <= b["error_largest"] and b["values"] == 6 * 1920
    assert b["error_sum"] < 1e-6, b
sizes = [b["bytes"] for b in bounds]
assert sizes == sorted(sizes, reverse=True) and sizes[0] > 2 * sizes[3], sizes
# A profile that is kept with the bound: as large, but for its head, and with the same errors.
s = json.load(open("summary.json"))
p, = s["probes"]
assert p["eps"] == .25 and abs(s["profile"]["file_bytes"] - bounds[2]["bytes"]) < 2000, (s["profile"], bounds[2])
for name in "error_largest", "error_rms":
    assert abs(p[name] - bounds[2][name]) < 1e-5 * bounds[2][name], (name, p, bounds[2])
exact, quarter = ([float(r["value"]) for r in csv.DictReader(open(n + ".csv"))] for n in ("exact", "quarter"))
off = [abs(a - b) for a, b in zip(exact, quarter)]
assert abs(max(off) - p["error_largest"]) < 1e-4 and max(off) <= .25 + 1e-6
assert abs((sum(x * x for x in off) / len(off)) ** .5 - p["error_rms"]) < 1e-4
for step in range(6):
    a, b = (sum(v[1920 * step:1920 * (step + 1)]) for v in (exact, quarter))
    assert abs(a - b) <= 1e-6 * a, (step, a, b)
# Exact weights balance best; a bound of 2 costs something.
assert bounds[0]["error_part"] == 0 and bounds[0]["imbalance_mean"] <= bounds[3]["imbalance_mean"], bounds
END

# Two parts in a row of cells, where all can be counted: the cut is where the larger side is least.
python3 - <<'END'
with open("row.csv", "w") as f:
    f.write("step,i,value\n")
    for s, w in enumerate(("41111112", "32111112", "23211111")):
        for i, x in enumerate(w):
            f.write("%d,%d,%s\n" % (s, i, x))
END
run 0 mastermind import cells row.csv --shape 8 -o row.mm
run 0 mastermind mesh row.mm --errors --eps 0 --parts 2 --json
python3 - <<'END' || fail "the imbalance of a row: $(tail -20 out)"
import json
b, = json.load(open("out"))["errors"]["bounds"]
steps = [max(sum(w[:c]), sum(w[c:])) / (sum(w) / 2) - 1 for w, c in (
    ((4, 1, 1, 1, 1, 1, 1, 2), 3), ((3, 2, 1, 1, 1, 1, 1, 2), 3), ((2, 3, 2, 1, 1, 1, 1, 1), 2))]
assert abs(b["imbalance_mean"] - sum(steps) / 3) < 1e-9 and abs(b["imbalance_max"] - max(steps)) < 1e-9, (b, steps)
END
run 0 mastermind mesh exact.mm --errors
quiet
holds out "value of field, 6 steps; parts by rcb: 16"
awk 'length > 100' out | grep . && fail "lines are too long"

expect 2 "expected numbers of at least 0" mastermind mesh exact.mm --errors --eps .1,x
expect 2 "expected numbers of at least 0" mastermind mesh exact.mm --errors --eps -1
expect 2 "found --eps without --errors" mastermind mesh exact.mm --eps .1
expect 2 "found --errors and --cell" mastermind mesh exact.mm --errors --cell 1,1,1
expect 2 "found --errors and --csv" mastermind mesh exact.mm --errors --csv
expect 2 "for --parts, expected at most" mastermind mesh exact.mm --errors --parts 100000
run 2 mastermind mesh exact.mm --errors --partitioner none
finish
