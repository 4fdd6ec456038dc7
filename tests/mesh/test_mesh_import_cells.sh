#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# `mastermind import cells`: the values of a CSV file come back, in any order of lines; wrong input is named with line,
# step and cell, and leaves nothing behind.
. "$(dirname "$0")/../lib/lib.sh"

python3 - <<'END'
import random
random.seed(7)
def table(name, shape, steps, every=1):
    letters = "ijk"[:len(shape)]
    lines = []
    for s in range(0, steps * every, every):
        for c in range(eval("*".join(map(str, shape)))):
            at, rest = [], c
            for n in reversed(shape):
                at.insert(0, rest % n)
                rest //= n
            lines.append([s, *at, random.choice([1, 2, 40]), random.random() * 10 ** random.randint(-9, 9), c % 3])
    random.shuffle(lines)
    with open(name, "w") as f:
        f.write("rank,value,%s,cost,step\n" % ",".join(letters))
        for s, *at, value, cost, rank in lines:
            f.write("%d,%d,%s,%r,%d\n" % (rank, value, ",".join(map(str, at)), cost, s))
table("one.csv", [50], 6)
table("two.csv", [9, 7], 5, 5)
table("three.csv", [5, 6, 7], 4)
END

cat >same.py <<'END'
"""same.py GIVEN.csv FOUND.csv: the same values of each step and cell, as floats."""
import csv, struct, sys
def read(name):
    rows = {}
    for row in csv.DictReader(open(name)):
        key = tuple(int(row[c]) for c in ("step", "i", "j", "k") if c in row)
        assert key not in rows, key
        rows[key] = [struct.pack("f", float(row[c])) for c in ("value", "cost")] + [int(row["rank"])]
    return rows
given, found = read(sys.argv[1]), read(sys.argv[2])
assert given and given == found, [k for k in given if given[k] != found.get(k)][:5]
END

# What is told on standard error is a sum of what was found.
for name in "one 50" "two 9,7" "three 5,6,7"; do
    set -- $name
    run 0 mastermind import cells "$1.csv" --shape "$2" --probe value,cost:ns --rank-column rank -o "$1.mm"
    run 0 mastermind mesh "$1.mm" --csv
    quiet
    python3 same.py "$1.csv" out || fail "$1: other values"
    run 0 mastermind report "$1.mm"
    run 0 mastermind mesh "$1.mm" --json
    fits mesh out
    python3 -c 'import json; d = json.load(open("out")); assert [p["unit"] for p in d["probes"]] == ["", "ns"], d; assert d["ranks"] == 3' ||
        fail "$1: another summary"
done
# The order of lines does not matter, nor does a pipe.
{ head -1 three.csv; tail -n +2 three.csv | sort -t, -k7n; } >sorted.csv
run 0 mastermind import cells - --shape 5,6,7 --probe value,cost:ns --rank-column rank --name three -o sorted.mm <sorted.csv
cmp three.mm/mesh/three.cells sorted.mm/mesh/three.cells || fail "another order makes another profile"
# A bound: no value is off by more, and it is smaller.
run 0 mastermind import cells three.csv --shape 5,6,7 --probe cost --eps 1000 -o lossy.mm
run 0 mastermind mesh lossy.mm --csv
python3 - <<'END' || fail "a value is beyond its bound"
import csv
given = {tuple(int(r[c]) for c in ("step", "i", "j", "k")): float(r["cost"]) for r in csv.DictReader(open("three.csv"))}
for r in csv.DictReader(open("out")):
    v = given[tuple(int(r[c]) for c in ("step", "i", "j", "k"))]
    assert abs(v - float(r["cost"])) <= 1000 + abs(v) * 1e-6, (r, v)
END

# --- wrong input ---------------------------------------------------------------------------
# wrong TEXT LINE...: import of these lines, shape 2,2, ends with 3 and the text
wrong() {
    local text=$1
    shift
    printf '%s\n' "$@" >w.csv
    expect 3 "$text" mastermind import cells w.csv --shape 2,2 -o w.mm
    [ "$(wc -l <err)" = 1 ] || fail "$text: more than one line"
    [ -z "$(ls -d w.mm* 2>/dev/null)" ] || fail "$text: something is left"
    rm -rf w.mm*
}
head=step,i,j,value
step() { printf '%s\n' "$1,0,0,1" "$1,0,1,2" "$1,1,0,3" "$1,1,1,4"; }
wrong "w.csv:5: step 0, cell 1,1: found 'nan' in column 'value', expected a number from 0" $head 0,0,0,1 0,0,1,1 0,1,0,1 0,1,1,nan
wrong "w.csv:3: step 0, cell 0,1: found '-1' in column 'value'" $head 0,0,0,1 0,0,1,-1
wrong "w.csv:2: step 7, cell 0,0: found 'inf'" $head 7,0,0,inf
wrong "w.csv:2: step 0, cell 0,0: found '1e39'" $head 0,0,0,1e39
wrong "w.csv:2: step 0, cell 0,0: found ''" $head 0,0,0,
wrong "w.csv: step 3: found no line for cell 1,0, expected all cells" $head 3,0,0,1 3,0,1,1 3,1,1,4
wrong "w.csv: step 3: found no line for cell 0,1 and 2 more" $head 3,0,0,1
wrong "w.csv:6: step 0: found cell 1,0 again, expected it once; the other is in line 4" $head $(step 0) 0,1,0,3
wrong "w.csv:5: found '2' in column 'j', expected a whole number from 0 to 1" $head 0,0,0,1 0,0,1,1 0,1,0,1 0,1,2,1
wrong "w.csv:2: found '-1' in column 'i'" $head 0,-1,0,1
wrong "w.csv:2: found '0.5' in column 'i'" $head 0,0.5,0,1
wrong "w.csv: found no cell of step 2, expected all steps from 0 to 3 by 1" $head $(step 0) $(step 1) $(step 3)
wrong "w.csv:2: found 'x' in column 'step'" $head x,0,0,1
wrong "w.csv:2: found '-3' in column 'step'" $head -3,0,0,1
wrong "w.csv:1: found no column 'value'; did you mean 'valu'?" step,i,j,valu 0,0,0,1
wrong "w.csv:1: found no column 'j'" step,i,value 0,0,1
wrong "w.csv:2: found the end of the file, expected lines of cells" $head
wrong "w.csv:2: found 3 fields, expected 4" $head 0,0,0
: >w.csv
expect 3 "w.csv:1: found the end of the file" mastermind import cells w.csv --shape 2,2 -o w.mm
expect 3 "No such file" mastermind import cells none.csv --shape 2,2 -o w.mm

# Missing cells and steps that are taken as missing stay missing.
{ echo $head; step 0; step 1; step 2 | grep -v 2,1,0; step 5; } >lost.csv
run 0 mastermind import cells lost.csv --shape 2,2 --allow-lost -o lost.mm
run 0 mastermind mesh lost.mm --csv --step 2
says 2,1,0,,
says 2,1,1,0,4
run 0 mastermind mesh lost.mm --json
fits mesh out
python3 - <<'END' || fail "losses are not told"
import json
d = json.load(open("out"))
assert [(l["first"], l["last"], l["steps"], l["why"]) for l in d["lost"]] == [
    (2, 2, 1, "no cell 1,0"), (3, 4, 2, "not in the file")], d["lost"]
assert (d["steps"]["stride"], d["steps"]["missing"]) == (1, 2), d["steps"]
assert [s["ranks_lost"] for s in d["series"]] == [0, 0, 1, 0]
END

# --- misuse --------------------------------------------------------------------------------
expect 2 "expected one to three numbers" mastermind import cells one.csv --shape 5,x -o m.mm
expect 2 "expected one to three numbers" mastermind import cells one.csv --shape 5,0 -o m.mm
expect 2 "expected one to three numbers" mastermind import cells one.csv --shape 1,2,3,4 -o m.mm
expect 2 "import cells takes a file" mastermind import cells one.csv -o m.mm
expect 2 "expected COL or COL:UNIT" mastermind import cells one.csv --shape 50 --probe :ns -o m.mm
expect 2 "expected a number of at least 0" mastermind import cells one.csv --shape 50 --eps -1 -o m.mm
expect 2 "unknown format" mastermind import cell one.csv --time x -o m.mm
mkdir full && touch full/file
expect 5 "it exists and is not an empty directory" mastermind import cells one.csv --shape 50 -o full
run 0 mastermind import cells -h
holds out "--shape N[,N[,N]]"
[ -z "$(ls -d m.mm* ./*.new 2>/dev/null)" ] || fail "something is left: $(ls)"
finish
