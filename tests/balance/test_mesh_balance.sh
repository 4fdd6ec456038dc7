#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# mastermind balance: an example computed by hand, its schedule as a file, "unreachable", parts without cells, no weight
# at all, packed weights; wrong options and profiles, each with one line and its exit code.
. "$(dirname "$0")/../lib/lib.sh"

# --- eight cells in a row, two parts: the optimum by hand for each price ---------------------------------
python3 - <<'END'
rows = ["41111112", "32111112", "23211111", "12421111", "11242111", "11124211", "11112421", "11111242"]
with open("row.csv", "w") as f:
    print("step,i,value", file=f)
    for s, row in enumerate(rows):
        for i, w in enumerate(row):
            print(f"{s},{i},{w}", file=f)
END
run 0 mastermind import cells row.csv --shape 8 -o row.mm
# optimum C M COST STEPS: a repartition costs C, a cell moved M
optimum() {
    run 0 mastermind balance row.mm --parts 2 --price "$1" --move "$2" --policy never,each,oracle --json --schedule best.json
    fits balance out
    python3 - "$3" "$4" <<'END' || fail "price $1, move $2: not $3 with $4"
import json, sys
d, s = json.load(open("out")), json.load(open("best.json"))
never, each, oracle = d["policies"]
assert never["cost"] == 65 and d["bounds"]["means"] == 50.5, never
assert each["cost"] == 56 + 7 * d["price"] + each["cells_moved"] * d["price_cell"], each
steps = [int(x) for x in sys.argv[2].split()]
assert oracle["cost"] == float(sys.argv[1]) and oracle["repartitions"] == steps and oracle["above_oracle"] == 0, oracle
cuts = [3, 3, 2, 3, 4, 4, 5, 6]
assert s["cost"] == oracle["cost"] and s["shape"] == [8] and s["parts"] == 2
assert [(e["step"], e["runs"]) for e in s["steps"]] == [(t, [[0, cuts[t]], [1, 8 - cuts[t]]]) for t in [0] + steps], s
END
}
optimum .5 0 57.5 "4 6 7"
optimum 1 0 59 "4 6"
optimum 2 0 61 "4 6"
optimum 1 .5 60 "4 6"
optimum 2 1 63 "4"
optimum 4 0 64 "4"
run 0 mastermind balance row.mm --parts 2 --price 1 --move 0 --back --policy never,oracle
holds out "steps 7 to 0 (backwards)"
run 0 mastermind balance row.mm --parts 2 --price 1 --move 0 --step 2:5 --policy never,oracle
holds out "steps 2 to 5"
run 0 mastermind balance row.mm --parts 2 --vary parts=2:8 --policy never,oracle --json
fits balance out
run 0 mastermind balance row.mm --parts 2 --vary price=.1:10 --policy never,oracle
awk 'length > 100' out | grep -q . && fail "lines are too long"

# --- one heavy cell, more parts than cells, no weight ------------------------------------------------------
printf 'step,i,j,value\n0,0,0,9\n0,0,1,1\n0,1,0,0\n0,1,1,0\n1,0,0,1\n1,0,1,1\n1,1,0,1\n1,1,1,1\n' >heavy.csv
run 0 mastermind import cells heavy.csv --shape 2,2 -o heavy.mm
run 0 mastermind balance heavy.mm --parts 2
says "unreachable: step 0, cell 0,0 alone is 1.8 x the average; so it is in 1 of 2 steps"
run 0 mastermind balance heavy.mm --parts 7 --policy never,expect,oracle
printf 'step,i,value\n0,0,0\n0,1,0\n1,0,0\n1,1,0\n' >zero.csv
run 0 mastermind import cells zero.csv --shape 2 -o zero.mm
run 0 mastermind balance zero.mm --parts 2 --json
fits balance out
# What is 0 may be a little less than 0 where it was packed with a bound on errors.
{ echo step,i,value && for i in $(seq 0 63); do echo "0,$i,$((i % 16 > 5 ? i % 16 - 5 : 0))"; done; } >packed.csv
run 0 mastermind import cells packed.csv --shape 64 --eps 1 -o packed.mm
run 0 mastermind mesh packed.mm --csv
grep -q ',-[0-9.]*$' out || fail "no value below 0: nothing is tried here"
run 0 mastermind balance packed.mm --parts 4

# --- wrong options and profiles ------------------------------------------------------------------------------
# refused STATUS WORDS EXP OPTIONS...
refused() {
    local status=$1 words=$2
    shift 2
    run "$status" mastermind balance "$@"
    holds err "$words"
    [ "$(wc -l <err)" = 1 ] && [ ! -s out ] || fail "$*: not one line"
}
refused 2 "row.mm is of one rank; expected --parts N" row.mm
refused 2 "expected never, each, fixed" row.mm --parts 2 --policy sometimes
refused 2 "expected fixed:N" row.mm --parts 2 --policy fixed
refused 2 "MIN <= FIRST <= MAX" row.mm --parts 2 --policy paper:.15:20:5
refused 2 "expected a number at least 0" row.mm --parts 2 --price -1
refused 2 "expected a number at least 0" row.mm --parts 2 --move 1y
refused 2 "for --vary" row.mm --parts 2 --vary ranks=2:4
refused 2 "--schedule with --vary" row.mm --parts 2 --vary price --schedule s.json
refused 2 "expected rcb, rcb:planes" row.mm --parts 2 --partitioner rbc
refused 2 "" row.mm --parts 0
refused 2 "" row.mm --parts 65536
refused 3 "nowhere.mm" nowhere.mm --parts 2
refused 3 "wrok" row.mm --parts 2 --probe wrok
[ ! -e s.json ] || fail "a schedule was written"
grep -v '^3,' row.csv >lost.csv
run 0 mastermind import cells lost.csv --shape 8 --allow-lost -o lost.mm
refused 3 "found no step 3 behind step 2" lost.mm --parts 2
run 0 mastermind balance lost.mm --parts 2 --step 4:7
grep -v '^2,5,' row.csv >holes.csv
run 0 mastermind import cells holes.csv --shape 8 --allow-lost -o holes.mm
refused 3 "step 2, cell 5: found no value" holes.mm --parts 2
finish
