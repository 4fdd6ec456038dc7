#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# mastermind graph --contexts on runs of the shock problem: the contexts are those of the rows, the
# adaptive mesh has the counts of its recursion L0 L1 L2 L2 L1 L2 L2, mistakes are one clear line.
. "$(dirname "$0")/../lib/lib.sh"
run 0 ccafe --measure --experiment amr.mm -D FLUX=HLLCFlux -D STATES=States -D NX=32 -D NY=8 -D LEVELS=3 -D PATCH=8 \
    -D GHOSTS=GhostsPerNeighbour -D BALANCE=never -D T_END=0.1 -D PICTURE=shock.png "$root/scripts/shock-amr.rc"

fits graph-contexts <(mastermind graph amr.mm --contexts --json)
fits graph-contexts <(mastermind graph amr.mm --contexts --json --prune 20,10)
mastermind graph amr.mm --contexts --json >contexts.json
mastermind graph amr.mm --contexts --json --prune 20,10 >pruned.json
mastermind records amr.mm --csv >rows.csv
mastermind report amr.mm --json >report.json
cat >contexts.py <<'END'
import collections, csv, json
rows = list(csv.DictReader(open("rows.csv")))
document, report = json.load(open("contexts.json")), json.load(open("report.json"))
by_number = {r["invocation"]: r for r in rows}
name = lambda r: ".".join((r["instance"], r["port"], r["method"]))

def path(row):
    above = path(by_number[row["caller"]]) if row["caller"] else ("<thread>",)
    return above + (name(row),)

contexts = {c["id"]: c for c in document["contexts"]}
def path_of(c):
    return (path_of(contexts[c["parent"]]) if "parent" in c else ()) + (c["name"],)

# The counts of each context, level and axis are those of the rows; costs add up to the report's.
axis = {"": "", "0": "x", "1": "y"}
# The level of rhs is a parameter, so that its model is one of all levels.
level = lambda r: "" if name(r) == "rhs.rhs.evaluate" else r["p.level"]
wanted = collections.Counter((path(r), level(r), axis[r["p.axis"]]) for r in rows)
rhs = collections.Counter(r["p.level"] for r in rows if name(r) == "rhs.rhs.evaluate")
assert set(rhs) == {"0", "1", "2"}, rhs
found = {(path_of(c), str(k["modes"].get("level", "")), k["modes"].get("axis", "")): k["calls"]
         for c in contexts.values() for k in c["cells"]}
assert found == dict(wanted), set(found.items()) ^ set(wanted.items())
assert document["calls"] == len(rows) > 500 and document["total_ns"] == report["total_ns"]
for m in report["methods"]:
    assert m["exclusive_ns"] == sum(c["exclusive_ns"] for c in contexts.values() if c["name"] == m["name"]), m

# RK2 has two stages; a step of level 0 is one of level 0, two of level 1, four of level 2.
advance = ("<thread>", "driver.go.go", "rk2.integrator.advance")
calls = lambda *key: found.get((advance + key[:1], key[1], ""), 0)
steps = sum(v for (p, _, _), v in found.items() if p == advance)
assert steps > 2
for level, times in enumerate((1, 2, 4)):
    assert calls("mesh.mesh.exchange", str(level)) == 2 * times * steps, level
    for correction in ("keep_old", "reflux", "restrict_level"): # where there is a finer level
        assert calls("mesh.mesh." + correction, str(level)) == (times * steps if level < 2 else 0), correction

# What was cut is what is missing, and below the limit.
pruned = json.load(open("pruned.json"))
prune = pruned["prune"]
kept = {c["id"] for c in pruned["contexts"]}
lost = [c for i, c in contexts.items() if i not in kept]
assert lost and prune["contexts"] == len(lost) == sum(c["contexts"] for c in prune["cuts"])
assert prune["inclusive_ns"] == sum(c["exclusive_ns"] for c in lost) <= prune["limit_ns"]
assert prune["calls"] == sum(c["calls"] for c in lost)
assert all(c["parent"] in kept and c["inclusive_ns"] < c["limit_ns"] and
           c["inclusive_ns"] == sum(k["inclusive_ns"] for k in c["children"]) for c in prune["cuts"])
END
python3 contexts.py || fail "contexts differ from the rows"

# --- Text and Graphviz
run 0 mastermind graph amr.mm --contexts --by-mode --by-rank --prune 10
grep -q '^ *100.0 .*  <thread>$' out || fail "no line of <thread>"
grep -q ' | rank 0, level 2$' out || fail "no line of a mode"
grep -q '^cut: .*; the rules allow .* %$' out || fail "no sum of the cuts"
grep -q "\.\.\. [0-9]* contexts\?, below 10 % of the siblings' mean$" out || fail "no line of a cut"
run 0 mastermind graph amr.mm --contexts --fold
holds out ", recursion folded"
mastermind graph amr.mm --contexts --dot --prune 10 >contexts.dot
if command -v dot >/dev/null; then
    dot -Tsvg contexts.dot | grep -q '</svg>' || fail "dot does not draw the contexts"
fi

# --- Several ranks, aggregates
run 0 ccafe --measure --storage auto:5 --experiment auto.mm -D FLUX=HLLCFlux -D STATES=States -D NX=32 -D NY=8 -D LEVELS=3 \
    -D PATCH=8 -D GHOSTS=GhostsPerNeighbour -D BALANCE=never -D T_END=0.1 -D PICTURE=shock.png "$root/scripts/shock-amr.rc"
run 0 mastermind graph auto.mm --contexts --json
fits graph-contexts out
python3 - <<'END' || fail "contexts of aggregates differ from those of rows"
import json
def counts(file):
    contexts = {c["id"]: c for c in json.load(open(file))["contexts"]}
    def path(c):
        return (path(contexts[c["parent"]]) if "parent" in c else ()) + (c["name"],)
    return {(path(c), json.dumps(k["modes"], sort_keys=True)): k["calls"] for c in contexts.values() for k in c["cells"]}
assert counts("out") == counts("contexts.json")
END

# --- Mistakes
expect 2 "expected P or P,S from 0 to 100" mastermind graph amr.mm --contexts --prune 10,
expect 2 "expected P or P,S from 0 to 100" mastermind graph amr.mm --contexts --prune 101
expect 2 "expected one of --json, --dot" mastermind graph amr.mm --contexts --json --dot
expect 2 "expected the directory of an experiment" mastermind graph --contexts
for option in --by-rank --by-mode --fold --dot; do
    expect 2 "$option needs --contexts" mastermind graph amr.mm $option
done
expect 3 "nowhere.mm" mastermind graph nowhere.mm --contexts
finish
