#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Check the OpenMP times of rows against closed forms.

    check_rows.py ROWS.csv METHOD [INSTANCE] < EXPECTED

A line of EXPECTED for each row of the method, by start: times in ms that the row's sleeps make, SYNC and
LOSS; exclusive ones. A sleep may be longer, so what is compared with the row's own wall time W is
a formula of it: the words are Python, of W in ms. Exit 1 where a time is off by more than SLACK ms."""
import csv
import sys

SLACK = 12

method, instance = sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else None
rows = [r for r in csv.DictReader(open(sys.argv[1]))
        if r["method"] == method and instance in (None, r["instance"])]
rows.sort(key=lambda r: int(r["start_ns"]))
expected = [line.split() for line in sys.stdin if line.strip()]
faults = [f"found {len(rows)} rows of {method}, expected {len(expected)}"] if len(rows) != len(expected) else []
for row, (sync, loss) in zip(rows, expected):
    wall = int(row["exclusive_ns"]) / 1e6
    for name, formula in (("SYNC", sync), ("LOSS", loss)):
        found, wanted = int(row[f"x.OMP_{name}_TIME"]) / 1e6, eval(formula, {"W": wall})
        if abs(found - wanted) > SLACK:
            faults.append(f"{method}: {name} is {found:.1f} ms, expected {formula} = {wanted:.1f}, W = {wall:.1f}")
print("\n".join(faults) if faults else f"{len(rows)} rows")
sys.exit(bool(faults))
