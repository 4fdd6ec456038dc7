#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# `mastermind mesh`: the summary, values of cells, boxes and means; only what is asked for is decoded; wrong questions;
# a file that grows.
. "$(dirname "$0")/../lib/lib.sh"
[ -x "$O/tests/test_mesh_convert" ] || fail "$O/tests/test_mesh_convert is not built"
run 0 "$O/tests/test_mesh_convert" make .

# --- summary -------------------------------------------------------------------------------------
run 0 mastermind mesh grid.mm
quiet
for words in "profile  grid: 64 x 48 x 64 cells, 2 ranks" "steps    4 steps, 0 to 3 by 1" "lost     nothing"; do
    says "$words"
done
awk 'length > 160' out | grep -q . && fail "lines are too long"
run 0 mastermind mesh amr2.mm
says "profile  amr2: 16 x 8 cells, 3 levels by 2, 2 ranks"
says "work in step 2, cells of level 0 with the finer ones in them: i down, j across"
run 0 mastermind mesh elements.mm
says "profile  elements: 12 elements, 2 ranks"
for name in grid amr2 amr3 elements; do
    run 0 mastermind mesh $name.mm --json
    fits mesh out
done
run 0 mastermind mesh amr2.mm --json
python3 - <<'END' || fail "the summary is wrong: $(cat out)"
import json
d = json.load(open("out"))
def value(step, level, x, y):
    return step * 1000 + level * 500 + x + y / 32
boxes = lambda s: [(0, 0, 0, 8, 8, 0), (0, 8, 0, 16, 8, 1), (1, 4, 4, 12, 12, 0), (1, 20, 2, 26, 8, 1),
                   (2, 12 + 2 * s, 12, 18 + 2 * s, 20, 1)]
worst = 0
for s, row in enumerate(d["series"]):
    loads = [0, 0]
    for level, x0, y0, x1, y1, rank in boxes(s):
        loads[rank] += sum(value(s, level, x, y) for x in range(x0, x1) for y in range(y0, y1))
    assert row["step"] == s and row["time_s"] == .5 * s and abs(row["sums"]["work"] - sum(loads)) < 1e-6 * sum(loads)
    worst = max(worst, max(loads) / (sum(loads) / 2) - 1)
p, = d["probes"]
assert abs(p["imbalance_max"] - worst) < 1e-6, (p, worst)
assert p["values"] == 3 * 276 and p["least"] == 0 and p["error_largest"] == 0
END

# --- values ----------------------------------------------------------------------------------------
# values OPTIONS: all that is printed as CSV is right, and as many lines as the second argument says
cat >values.py <<'END'
import csv, struct, sys
def single(x):
    return struct.unpack("f", struct.pack("f", x))[0]
rows = list(csv.DictReader(open("out")))
assert len(rows) == int(sys.argv[1]), (len(rows), rows[:2])
for r in rows:
    c = [int(r.get(x, 0)) for x in "ijk"]
    assert single(float(r["work"])) == int(r["step"]) * 1000 + int(r.get("level", 0)) * 500 + c[0] + c[1] / 32 + c[2] / 1024, r
END
values() {
    local lines=$1
    shift
    run 0 mastermind mesh "$@" --csv
    python3 values.py "$lines" || fail "$*: other values"
}
values 4 grid.mm --cell 4,10,10
says 2,4,10,10,0,2004.3223
values 1 grid.mm --cell 63,47,63 --step 3
values 100 grid.mm --box 0:9,0:9,5 --step 2
values 6 grid.mm --box 62:,47,63: --step 1:3
values 144 grid.mm --box :2,:,7 --step :0
values 36864 grid.mm --box 0:11 --step 0 --box :11,:,: --limit 5
values 384 amr2.mm
values 32 amr2.mm --box 4:11,4:7 --level 1 --step 0
values 12 elements.mm --step 0
run 0 mastermind mesh elements.mm --step 1 --cell 11 --csv
says "1,11,,"
run 0 mastermind mesh grid.mm --cell 4,10,10 --json
fits mesh out
python3 -c 'import json; d = json.load(open("out")); assert [v["values"]["work"] for v in d["values"]] == [[4.3222656], [1004.32227], [2004.3223], [3004.3223]], d["values"]' ||
    fail "JSON of a cell: $(cat out)"
run 0 mastermind mesh grid.mm --cell 4,10,10
says "work over the steps"
run 0 mastermind mesh grid.mm --step 2 --limit 7
says "... 7 of 196,608 lines; --limit N shows more, --csv and --json all"
run 0 mastermind mesh grid.mm --coarse 7 --box 3:40,5:20,10:50 --step 1 --json
fits mesh out
python3 - <<'END' || fail "means: $(head -c 600 out)"
import json
d = json.load(open("out"))
r = d["region"]
assert r == {"level": 0, "coarse": 7, "first": [0, 0, 1], "shape": [6, 3, 7]}, r
sums = {}
for i in range(3, 41):
    for j in range(5, 21):
        for k in range(10, 51):
            s = sums.setdefault((i // 7, j // 7, k // 7), [0, 0])
            s[0] += 1000 + i + j / 32 + k / 1024
            s[1] += 1
means = [sums[key][0] / sums[key][1] for key in sorted(sums)]
found = d["values"][0]["values"]["work"]
assert len(found) == len(means) and all(abs(a - b) < 1e-6 * b for a, b in zip(found, means))
END

# --- what is not asked for is not decoded ----------------------------------------------------------
decoded() {
    run 0 mastermind mesh "$@" --json
    grep '"decoded_bytes"' out | tr -dc 0-9
}
all=$(decoded grid.mm --step 0)
cell=$(decoded grid.mm --step 0 --cell 40,17,3)
box=$(decoded grid.mm --step 0 --box 0:15,0:31,0:15)
mean=$(decoded grid.mm --step 0 --coarse 16)
[ "$cell" -gt 0 ] && [ $((cell * 20)) -lt "$all" ] || fail "a cell decodes $cell of $all bytes"
[ $((box * 15)) -lt "$all" ] || fail "two bricks of 48 decode $box of $all bytes"
equal "bytes decoded for means of whole bricks" 0 "$mean"

# --- wrong questions ----------------------------------------------------------------------------------
expect 2 "expected A:B, A or :" mastermind mesh grid.mm --box 1,2
expect 2 "expected A:B, A or :" mastermind mesh grid.mm --box 5:1,0,0
expect 2 "expected a number for each dimension" mastermind mesh grid.mm --cell 1:2,0,0
expect 2 "expected a number for each dimension" mastermind mesh grid.mm --cell 1,2,3,4
expect 2 "found --box and --cell" mastermind mesh grid.mm --cell 1,2,3 --box :,:,:
expect 3 "dimension 1: found requested cell 48, expected 0 to 47" mastermind mesh grid.mm --cell 1,48,0
expect 3 "found requested level 1, expected 0 to 0" mastermind mesh grid.mm --level 1
expect 3 "found no probe 'wark'; did you mean 'work'?" mastermind mesh grid.mm --probe wark
expect 3 "found no step 9, expected steps of 0 to 3" mastermind mesh grid.mm --step 9
expect 2 "expected A:B" mastermind mesh grid.mm --step x
expect 2 "found --csv and --json" mastermind mesh grid.mm --csv --json
expect 2 "mesh takes one experiment" mastermind mesh
expect 3 "none.mm" mastermind mesh none.mm
expect 2 "expected at most" mastermind mesh grid.mm --coarse 1e12
mkdir plain.mm
expect 3 "plain.mm" mastermind mesh plain.mm
# Several profiles: one is named.
cp -r grid.mm two.mm && cp amr2.mm/mesh/amr2.cells two.mm/mesh
run 2 mastermind mesh two.mm
run 0 mastermind mesh two.mm --profile amr2
says "profile  amr2: 16 x 8 cells, 3 levels by 2, 2 ranks"
expect 3 "expected 'amr2'" mastermind mesh two.mm --profile amr3

# --- a file that grows: whole steps at any length ---------------------------------------------------------
mkdir -p live.mm/mesh
size=$(stat -c %s elements.mm/mesh/elements.cells)
last=0
for at in $(seq 900 397 "$size") "$size"; do
    head -c "$at" elements.mm/mesh/elements.cells >live.mm/mesh/elements.cells
    mastermind mesh live.mm --json >out 2>err || { fail "at byte $at: $(cat err)" && break; }
    steps=$(grep -m1 '"count"' out | tr -dc 0-9)
    [ "$steps" -ge "$last" ] || fail "steps vanish at byte $at"
    last=$steps
done
equal "whole steps" 3 "$last"
finish
