#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# mastermind balance --price model: prices as a model of redistributions has them, in the unit of a probe that is a time
# or has one beside it; and where there is none.
. "$(dirname "$0")/../lib/lib.sh"
python3 - <<'END'
import random
random.seed(2)
with open("moves.csv", "w") as f: # 2 ms and 150 ns a cell
    print("step,cells_moved,cpu_ns", file=f)
    for k in range(40):
        m = random.randrange(10, 3000)
        print(f"{k * 5},{m},{int(2e6 + 150 * m + random.gauss(0, 2e3))}", file=f)
with open("field.csv", "w") as f: # 25 us of time for each of work
    print("step,i,j,work,t", file=f)
    for s in range(10):
        for i in range(12):
            for j in range(10):
                w = 1 + 9 * (abs(i - s) < 2)
                print(f"{s},{i},{j},{w},{w * 25}", file=f)
END
run 0 mastermind import csv moves.csv --time cpu_ns:ns --params cells_moved -o moves.mm
run 0 mastermind import cells field.csv --shape 12,10 --probe work,t:us -o field.mm
run 0 mastermind import cells field.csv --shape 12,10 --probe work -o plain.mm

# --- the price is what the truth says --------------------------------------------------------------
# priced PROBE UNITS_PER_NS: model against the line that made the moves
priced() {
    run 0 mastermind balance field.mm --probe "$1" --parts 4 --price model:moves.mm --policy never,fixed:2,oracle --json
    fits balance out
    cp out model
    run 0 mastermind balance field.mm --probe "$1" --parts 4 --price 0 --move 0 --policy never,fixed:2 --json
    python3 - "$2" <<'END' || fail "$1: other prices"
import json, sys
unit = float(sys.argv[1])
a, free = json.load(open("model")), json.load(open("out"))
assert a["redistributions"] == 40 and abs(a["units_per_ns"] / unit - 1) < 1e-6, a
for p, q in zip(a["policies"], free["policies"]):
    paid = (len(p["repartitions"]) * 2e6 + 150 * p["cells_moved"]) * unit
    assert p["repartitions"] == q["repartitions"] and abs(p["cost"] - q["cost"] - paid) <= .01 * paid, (p, q, paid)
assert a["policies"][2]["cost"] == min(p["cost"] for p in a["policies"])
END
}
priced work 4e-5
priced t 1e-3
run 0 mastermind balance field.mm --parts 4 --price model:moves.mm --policy oracle
says "a millisecond is 40.0 of work in these steps"
grep -qE "^repartition, by 40 redistributions that moved [0-9]+ to [0-9,]+ cells: .* us \* cells$" out || fail "no formula"
run 0 mastermind balance field.mm --parts 4 --price model:moves.mm --policy oracle --vary price=.5:1

# --- a call that moved nothing is no redistribution ---------------------------------------------------
cat >ranks.csv <<'END'
cells_moved,ns
0,5000
7,1000
END
run 0 mastermind import csv ranks.csv --time ns --params cells_moved -o one.mm
run 0 mastermind balance field.mm --probe t --parts 4 --price model:one.mm --policy each
holds out "repartition, by 1 redistribution that moved 7 cells: 1 us"

# --- wrong ones --------------------------------------------------------------------------------------------
run 3 mastermind balance field.mm --parts 4 --price model
holds err "field.mm: found no redistribution for --price model"
run 3 mastermind balance plain.mm --parts 4 --price model:moves.mm
holds err "work is no time, and no other probe is"
run 3 mastermind balance field.mm --parts 4 --price model:nowhere.mm
run 2 mastermind balance field.mm --parts 4 --price model:moves.mm --move 1x
run 2 mastermind balance field.mm --parts 4 --price models
finish
