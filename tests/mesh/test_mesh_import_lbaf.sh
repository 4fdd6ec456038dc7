#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# `mastermind import lbaf`, `export lbaf`: old and new files, tasks that come and go, indices of any dimensions or none,
# subphases, phases that are skipped or identical, communications; there and back the tasks take what they took.
. "$(dirname "$0")/../lib/lib.sh"
files=$root/tests/mesh/lbaf_files.py

kinds="grid deep sparse none seq bare old"
brotli=1
python3 "$files" make . 11 3 $kinds
for kind in $kinds; do
    mastermind import lbaf $kind -o $kind.mm 2>err
    status=$?
    if [ $kind = deep ] && grep -q "this build lacks libbrotli" err; then
        brotli=0
        [ $status = 3 ] || fail "without libbrotli: status $status"
        rm deep/run.0.json.br && cp deep.plain/* deep
        mastermind import lbaf $kind -o $kind.mm 2>err
        status=$?
    fi
    [ $status = 0 ] || fail "$kind: status $status"
    run 0 mastermind mesh $kind.mm --csv
    mv out $kind.csv
    run 0 mastermind mesh $kind.mm --json
    cp out $kind.json
    run 0 mastermind export lbaf $kind.mm -o $kind.back
    run 0 mastermind import lbaf $kind.back -o $kind.again
done
fits mesh grid.json
fits mesh sparse.json
python3 - "$(dirname "$files")" $kinds <<'END' || fail "files do not come back"
import json, sys
sys.path.insert(0, sys.argv[1])
from lbaf_files import values
for kind in sys.argv[2:]:
    values(kind, kind + ".csv")
    values(kind + ".back", kind + ".csv")
    d = json.load(open(kind + ".json"))
    assert d["profile"]["shape"] == {"grid": [2, 3, 4]}.get(kind, [24]), d["profile"]
    assert d["profile"]["dims"] == {"grid": 3, "deep": 3, "sparse": 2}.get(kind, 1), d["profile"]
    assert [p["name"] for p in d["probes"]] == ["time", "time.0", "time.2"] and d["probes"][0]["unit"] == "s", d["probes"]
    assert d["ranks"] == 3
    assert d["notes"] == ["9 communications of 1.311e+04 bytes are left out"], d["notes"]
    assert [(l["first"], l["last"], l["why"]) for l in d["lost"]] == (
        [] if kind == "old" else [(2, 2, "skipped"), (6, 7, "skipped")]), d["lost"]
    steps = [s["step"] for s in d["series"]]
    assert steps == (list(range(6)) if kind == "old" else [0, 1, 3, 4, 5, 8, 9, 10, 11]), steps
END
run 0 mastermind mesh grid.mm --cell 1,2,3 --csv
[ "$(wc -l <out)" = 10 ] || fail "a task of a grid has $(wc -l <out) lines"

# A byte order mark, blanks, and plain text in a file that is named as compressed.
cp -r grid odd
{ printf '\357\273\277 \n'; cat grid/run.1.json; } >odd/run.1.json
mv odd/run.2.json odd/run.2.json.br
run 0 mastermind import lbaf odd -o odd.mm
cmp grid.mm/mesh/run.cells odd.mm/mesh/run.cells || fail "the same text is another profile"

# Tasks that come and go, phases that were skipped and tasks without an index can be balanced.
for kind in $kinds; do
    run 0 mastermind balance $kind.mm --probe time --parts 3
done

# A directory with two runs: one is named.
mkdir both && cp grid/* both && for f in old/*; do cp "$f" "both/other.${f#old/run.}"; done
expect 3 "found files" mastermind import lbaf both -o both.mm
run 0 mastermind import lbaf both/other -o both.mm
run 0 mastermind export lbaf both.mm -o both.back
[ "$(ls both.back | tr '\n' ' ')" = "other.0.json other.1.json other.2.json " ] || fail "names: $(ls both.back)"

# --- a profile of another origin becomes tasks, which come back as cells ----------------------
python3 - <<'END'
import random
random.seed(2)
with open("f.csv", "w") as f:
    f.write("step,i,j,value,owner\n")
    for s in range(0, 20, 5):
        for c in range(30):
            f.write("%d,%d,%d,%d,%d\n" % (s, c // 6, c % 6, random.randint(1, 9), c % 6 // 3))
END
run 0 mastermind import cells f.csv --shape 5,6 --probe value:ms --rank-column owner -o f.mm
run 0 mastermind export lbaf f.mm -o f.lbaf
[ "$(ls f.lbaf | tr '\n' ' ')" = "f.0.json f.1.json " ] || fail "files: $(ls f.lbaf)"
run 0 mastermind import lbaf f.lbaf -o g.mm
run 0 mastermind mesh f.mm --csv
cp out f.out
run 0 mastermind mesh g.mm --csv
python3 - <<'END' || fail "cells do not come back as tasks"
import csv
f = [(r["step"], r["i"], r["j"], r["rank"], float(r["value"]) * 1e-3) for r in csv.DictReader(open("f.out"))]
g = [(r["step"], r["i"], r["j"], r["rank"], float(r["time"])) for r in csv.DictReader(open("out"))]
assert len(f) == len(g) == 120 and all(a[:4] == b[:4] and abs(a[4] - b[4]) < 1e-9 for a, b in zip(f, g)), (f[:3], g[:3])
END
run 0 mastermind mesh g.mm
holds out "4 steps, 1 to 4: skipped"

# --- wrong input --------------------------------------------------------------------------------
# wrong TEXT CHANGE: a change of the documents (Python: d is rank 1's, p its first phase, t a task) ends with 3
texts=()
wrong() {
    texts+=("$1")
    echo "$2" >>changes
}
wrong "/run.1.json: phase 0: task 0: found 'time' -1.5, expected a number from 0" 't["time"] = -1.5'
wrong "/run.1.json: phase 0: task 0: found no 'time'" 'del t["time"]'
wrong "found 'time' \"x\"" 't["time"] = "x"'
wrong "found no 'entity'" 'del t["entity"]'
wrong "found an entity without 'id' and 'seq_id'" 'del t["entity"]["id"]'
wrong "found 'index' [1,\"a\"]" 't["entity"]["index"] = [1, "a"]'
wrong "found 'type' \"node\", expected \"object\"" 't["entity"]["type"] = "node"'
wrong "/run.1.json: phase 0: found task id" 'p["tasks"].append(t)'
wrong "/run.1.json: found no 'phases'" 'del d["phases"]'
wrong "/run.1.json: found 'type' \"LBStatsfile\", expected \"LBDatafile\"" 'd["metadata"]["type"] = "LBStatsfile"'
wrong "found 'rank' 2, expected 1, as the file is named" 'd["metadata"]["rank"] = 2'
wrong "found no phase 3, expected it as other ranks have it" 'del d["phases"][2]'
wrong "found twice phase 0" 'd["phases"].append(p)'
wrong "found tasks of phase 1, expected none, as 'identical_to_previous' names it" 'd["metadata"]["phases"]["identical_to_previous"]["list"] = [1]'
wrong "found phase 1, expected none, as 'skipped' names it" 'd["metadata"]["phases"]["skipped"]["list"] = [1]'
wrong "found 'identical_to_previous' phase 20, expected one whose previous phase is there" 'd["metadata"]["phases"]["identical_to_previous"]["range"] = [[20, 21]]'
wrong "found more than 4194304 phases" 'd["metadata"]["phases"]["identical_to_previous"]["range"] = [[10, 10 ** 15]]'
wrong "found 'range' [[3,1]], expected an array of pairs" 'd["metadata"]["phases"]["skipped"]["range"] = [[3, 1]]'
wrong "found 'bytes' -2" 'p["communications"] = [{"type": "SendRecv", "bytes": -2, "messages": 1}]'
wrong "found no 'from'" 'p["communications"] = [{"type": "SendRecv", "bytes": 2, "messages": 1}]'
wrong "found no 'id', expected it, or 'seq_id'" 'p["communications"] = [{"type": "SendRecv", "bytes": 2, "messages": 1, "from": {"type": "node"}}]'
wrong "found 'subphases' 3" 't["subphases"] = 3'
python3 - <<'END'
import json, shutil
for n, change in enumerate(open("changes")):
    shutil.copytree("grid", "w%d" % n)
    d = json.load(open("w%d/run.1.json" % n))
    p = d["phases"][0]
    t = p["tasks"][0]
    exec(change)
    json.dump(d, open("w%d/run.1.json" % n, "w"))
END
for n in "${!texts[@]}"; do
    expect 3 "${texts[$n]}" mastermind import lbaf "w$n" -o w.mm
    [ "$(wc -l <err)" = 1 ] || fail "${texts[$n]}: more than one line"
    [ -z "$(ls -d w.mm* 2>/dev/null)" ] || fail "${texts[$n]}: something is left"
done

cp -r grid cut && head -c 300 grid/run.1.json >cut/run.1.json
expect 3 "cut/run.1.json:1: found invalid JSON" mastermind import lbaf cut -o w.mm
rm cut/run.1.json
expect 3 "found rank 2 and no file of rank 1" mastermind import lbaf cut -o w.mm
cp grid/run.1.json cut/run.01.json && cp grid/run.1.json cut
expect 3 "found rank 1 also in" mastermind import lbaf cut -o w.mm
expect 3 "No such file" mastermind import lbaf nowhere/x -o w.mm
mkdir empty
expect 3 "found no files NAME.RANK.json" mastermind import lbaf empty -o w.mm
if [ $brotli = 1 ]; then
    # Cut at each place, and with bits that are wrong, brotli data are refused.
    rm -rf cut && cp -r deep cut
    for size in 0 1 5 100 4000; do
        head -c $size deep/run.0.json.br >cut/run.0.json.br
        expect 3 "expected brotli data that end with the file" mastermind import lbaf cut -o w.mm
    done
    { cat deep/run.0.json.br; echo more; } >cut/run.0.json.br
    expect 3 "found more bytes" mastermind import lbaf cut -o w.mm
    { printf '\377\377\377'; tail -c +4 deep/run.0.json.br; } >cut/run.0.json.br
    expect 3 "cut/run.0.json.br" mastermind import lbaf cut -o w.mm
fi

# A phase that a rank lacks is lost where that is allowed.
rm -rf w && cp -r old w
python3 - <<'END'
import json
d = json.load(open("w/run.1.json"))
del d["phases"][2]
json.dump(d, open("w/run.1.json", "w"))
END
expect 3 "--allow-lost" mastermind import lbaf w -o w.mm
run 0 mastermind import lbaf w --allow-lost -o w.mm
run 0 mastermind mesh w.mm --json
python3 -c '
import json
d = json.load(open("out"))
assert [(l["rank"], l["first"], l["last"], l["why"]) for l in d["lost"]] == [(1, 2, 2, "not in the file")], d["lost"]' || fail "the loss is not told"

finish
