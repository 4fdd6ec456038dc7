#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# mastermind balance --partitioner zoltan:...: as many ranks as the program had, one for an imported trace; a mesh-zoltan
# that aborts or is not there is named, and nothing else changes.
. "$(dirname "$0")/../lib/lib.sh"
python3 - <<'END'
print("step,i,j,value,rank", file=(f := open("field.csv", "w")))
for s in range(8):
    for i in range(12):
        for j in range(10):
            print(f"{s},{i},{j},{1 + 9 * (abs(i - s) < 2)},{i // 6}", file=f)
END
run 0 mastermind import cells field.csv --shape 12,10 --rank-column rank -o field.mm
binary=$(dirname "$(command -v mastermind)")
zoltan=$binary/../libexec/mastermind/mesh-zoltan

# --- a mesh-zoltan of our own for a copy of the program ---------------------------------------------
mkdir -p own/bin own/libexec/mastermind
cp "$binary/mastermind" own/bin
ln -s "$binary/../lib" own/lib
run 2 own/bin/mastermind balance field.mm --parts 4 --partitioner zoltan:RCB
holds err "zoltan: not built in"
[ "$(wc -l <err)" = 1 ] || fail "not one line: $(cat err)"
printf '#!/bin/sh\necho "ZOLTAN ERROR: a bad day" >&2\nkill -ABRT $$\n' >own/libexec/mastermind/mesh-zoltan
chmod +x own/libexec/mastermind/mesh-zoltan
run 5 own/bin/mastermind balance field.mm --parts 4 --partitioner zoltan:RCB --schedule best.json
holds err "zoltan:RCB: the process was ended by signal 6 (Aborted); it printed: ZOLTAN ERROR: a bad day"
[ ! -e best.json ] || fail "a schedule was written"
run 2 own/bin/mastermind balance field.mm --parts 4 --partitioner zoltan:PARMETIS
holds err "expected zoltan:RCB"
run 0 own/bin/mastermind balance field.mm --parts 4

# --- the real one --------------------------------------------------------------------------------------
[ -x "$zoltan" ] || { finish "without Zoltan"; }
run 2 "$zoltan"
run 0 mastermind balance field.mm --parts 4 --partitioner zoltan:RCB --policy never,oracle
holds out "4 parts by zoltan:RCB on 1 rank"
# What was told by a program of two ranks is no imported trace.
sed -i 's/"origin": "imported"/"origin": "tried"/' field.mm/experiment.json
run 0 mastermind balance field.mm --parts 4 --partitioner zoltan:RCB --policy never,oracle --json --schedule best.json
fits balance out
python3 - <<'END' || fail "not what two ranks give: $(cat out)"
import json
d, s = json.load(open("out")), json.load(open("best.json"))
assert d["zoltan_ranks"] == s["zoltan_ranks"] == 2 and s["partitioner"] == "zoltan:RCB", (d, s)
# The cost of the schedule, from its owners and the weights alone.
moved = sum_ = 0
owners, at = None, {e["step"]: [r for r, n in e["runs"] for _ in range(n)] for e in s["steps"]}
for t in range(8):
    weights = [1 + 9 * (abs(i - t) < 2) for i in range(12) for j in range(10)]
    if t in at:
        moved += sum(a != b for a, b in zip(owners, at[t])) if owners else 0
        owners = at[t]
        assert len(owners) == 120
    sum_ += max(sum(w for w, o in zip(weights, owners) if o == p) for p in range(4))
cost = sum_ + (len(at) - 1) * s["price"] + moved * s["price_cell"]
assert abs(cost - s["cost"]) < 1e-6 * cost, (cost, s["cost"])
END
finish
