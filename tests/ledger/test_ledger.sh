#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# predict and choose with a ledger: what is kept, which runs are outcomes, the score, and intervals that it
# recalibrates; files that are cut or wrong.
. "$(dirname "$0")/../lib/lib.sh"
demo=$root/scripts/shock-demo.rc
fixed=(-D NY=8 -D PATCH=8 -D T_END=.02 -D PICTURE=p.png)
measure() # EXPERIMENT OPTIONS...
{
    run 0 ccafe --measure --experiment "$1" "${@:2}" "${fixed[@]}" "$demo"
}
lines() { grep -c . "$1"; }
run 0 mastermind sweep -D NX=16,24,32 --class flux=EFMFlux,HLLCFlux --repeat 2 -o s -- ccafe "${fixed[@]}" "$demo"

# --- Without a ledger nothing is written
ask=(s --set NX=48 --class flux=EFMFlux)
ls >before
run 0 mastermind predict "${ask[@]}" && cp out plain
ls >after
run 0 mastermind choose s --set NX=48 && cp out plain_choice
grep -vx -e plain -e plain_choice -e after after | cmp -s - before || fail "predict without a ledger makes a file"

# --- A statement, its run, the score
run 0 mastermind predict "${ask[@]}" --ledger L
says "interval not recalibrated: 0 statements of L have run, 20 are needed"
head -n -1 out | cmp -s - plain || fail "a ledger changes what is predicted"
expect 1 "none of 1 statement has run" mastermind ledger L
run 1 mastermind ledger L s # the runs that it is from are no outcomes
says "12 experiments read   0 outcomes new"
measure other.mm -D NX=40 -D FLUX=EFMFlux
measure run.mm -D NX=48 -D FLUX=EFMFlux -D PICTURE=q.png
measure again.mm -D NX=48 -D FLUX=HLLCFlux --class flux=EFMFlux
run 0 mastermind ledger L other.mm run.mm again.mm
says "3 experiments read   2 outcomes new"
holds out "of 1 statement at 90 %"
says "1 further run of statements that had one already; a statement counts once"
cp L once
run 0 mastermind ledger L run.mm again.mm s && cmp -s L once || fail "an outcome is there twice"
run 0 mastermind ledger L --json && fits ledger out
python3 - <<'END_PYTHON' || fail "the score"
import json, math
score = json.load(open("out"))
lines = [json.loads(line) for line in open("L")]
first, run = lines[0], lines[1]
assert run["runs"][0]["name"] == "run.mm" and first["at_ns"] < run["at_ns"]
held = first["low"] <= run["value"] <= first["high"]
assert score["shares"] == [dict(level=.9, statements=1, held=int(held), factor=1,
                                low_95=.025 if held else 0, high_95=1 if held else .975)] or \
    abs(score["shares"][0]["low_95"] - .025 * held) < 1e-9 and score["shares"][0]["held"] == held
assert abs(score["bias"]["totals"][0]["log_ratio"] - math.log(run["value"] / first["value"])) < 1e-9
def calls(line): return {q["name"]: q["value"] for q in line["quantities"]}
asked, found = calls(first), calls(run)
assert found["calls of driver.go.go"] == 1 and found["calls of flux.flux.compute"] > 10
for kind in "calls", "Q":
    names = [n for n in asked if n.startswith(kind + " of ") and n in found]
    wanted = math.log(sum(found[n] for n in names) / sum(asked[n] for n in names))
    assert abs(wanted - [b["log_ratio"] for b in score["bias"]["by_kind"] if b["name"] == kind][0]) < 1e-9
END_PYTHON

# --- What the run has is what the rows have
python3 - <<END_PYTHON || fail "quantities of an outcome"
import csv, io, json, subprocess
rows = list(csv.DictReader(io.StringIO(subprocess.run(["mastermind", "records", "run.mm"], text=True, check=True,
                                                      capture_output=True).stdout)))
run = json.loads(open("L").read().split("\n")[1])
found = {q["name"]: q["value"] for q in run["quantities"]}
name = "flux.flux.compute"
own = [r for r in rows if "%s.%s.%s" % (r["instance"], r["port"], r["method"]) == name]
assert len(own) == found["calls of " + name], (len(own), found)
assert sum(float(r["p.Q"] if "p.Q" in r else r["Q"]) for r in own) == found["Q of " + name]
END_PYTHON

# --- predict and choose take the runs that they are given; --against, too
run 0 mastermind predict "${ask[@]}" --ledger M
run 0 mastermind predict s --against run.mm --ledger M # that run began before the statement
equal "statements alone" 2 "$(lines M)"
measure later.mm -D NX=48 -D FLUX=EFMFlux
run 0 mastermind predict s --against later.mm --ledger M --json
fits predict out
equal "statement and outcome" 4 "$(lines M)"
grep -q '"statements": 1' out || fail "the run that a forecast is held against is no outcome"
run 0 mastermind choose s --set NX=48 --ledger C --run -o choice.mm
equal "statement before its run, and the run" "statement/1 outcome/1" "$(sed 's/{"line":"\([^"]*\).*/\1/' C | xargs)"
run 0 mastermind choose s --set NX=48 --ledger C --json && fits choose out

# --- A measured base: its classes; the script that choose writes is the same run
measure efm.mm -D NX=32 -D FLUX=EFMFlux
measure hllc.mm -D NX=32 -D FLUX=HLLCFlux
run 0 mastermind predict efm.mm hllc.mm --set flux=HLLCFlux --ledger B
run 0 mastermind choose efm.mm hllc.mm --ledger B --run --write best.rc -o best.mm
equal "kept by measured predict and choose" 3 "$(lines B)"
measure new.mm -D NX=32 -D FLUX=HLLCFlux
run 0 mastermind ledger B new.mm --json && fits ledger out
run 0 mastermind predict efm.mm hllc.mm --set flux=HLLCFlux --ledger B --json && fits predict out
run 0 mastermind choose efm.mm hllc.mm --ledger B --json && fits choose out
run 0 mastermind predict efm.mm hllc.mm --set flux=HLLCFlux && cp out without
run 0 mastermind predict efm.mm hllc.mm --set flux=HLLCFlux --ledger new
head -n -1 out | cmp -s - without || fail "a new ledger changes what is predicted"

# --- Which ledger: the option, MM_LEDGER, a repository's own
run 0 env MM_LEDGER=E mastermind predict "${ask[@]}"
equal "MM_LEDGER" 1 "$(lines E)"
run 1 env MM_LEDGER=E mastermind ledger run.mm later.mm # they began before the statement
holds out "2 experiments read   0 outcomes new"
run 0 mastermind model s --save models
run 0 mastermind predict "${ask[@]}" models
equal "ledger of a repository" 1 "$(lines models/ledger.jsonl)"
expect 1 "none of 1 statement has run" mastermind ledger models
run 0 env MM_LEDGER= mastermind predict "${ask[@]}" models
run 0 env MM_LEDGER=E mastermind predict "${ask[@]}" models --ledger F
equal "the option comes first" "1 1" "$(lines models/ledger.jsonl) $(lines F)"
[ "$(id -u)" = 0 ] || { # who may not write predicts all the same
    chmod -w models models/ledger.jsonl
    run 0 mastermind predict "${ask[@]}" models
    holds err "not kept"
    chmod +w models models/ledger.jsonl
}

# --- Recalibration: 48 simulated statements whose intervals are too narrow by a known factor
python3 - <<'END_PYTHON'
import json, math, random
random.seed(5)
first, run = [json.loads(line) for line in open("L").read().split("\n")[:2]]
with open("R", "w") as out:
    errors = []
    for i in range(48):
        for line in first, run:
            line["run"]["set"]["driver.config.nx"] = line["run"]["variables"]["NX"] = str(1000 + i)
        first.update(value=1e6, low=1e6 * math.exp(-.1), high=1e6 * math.exp(.1))
        errors.append(abs(random.gauss(0, .2)) / .1)
        run.update(value=1e6 * math.exp(.1 * errors[-1] * (-1) ** i))
        run["runs"] = [{"name": "r", "id": str(i)}]
        print(json.dumps(first), file=out)
        print(json.dumps(run), file=out)
factor = sorted(errors)[math.ceil(49 * .9) - 1] ** (48 / 50)
json.dump([factor, sum(e <= 1 for e in errors)], open("factor", "w"))
END_PYTHON
run 0 mastermind predict "${ask[@]}" --json && cp out plain.json
run 0 mastermind predict "${ask[@]}" --json --ledger R && cp out wide.json
python3 - <<'END_PYTHON' || fail "a recalibrated interval"
import json, math
plain, wide = json.load(open("plain.json")), json.load(open("wide.json"))
factor = json.load(open("factor"))[0]
assert wide["ledger"]["statements"] == 48 and abs(wide["ledger"]["factor"] / factor - 1) < 1e-9
assert wide["total_s"] == plain["total_s"]
for end in "low_s", "high_s":
    half = [math.log(d[end] / d["total_s"]) for d in (plain, wide)]
    assert abs(half[1] / half[0] / factor - 1) < 1e-6
last = json.loads(open("R").read().strip().split("\n")[-1])
assert abs(last["factor"] / factor - 1) < 1e-9 and abs(last["low"] / 1e9 / wide["low_s"] - 1) < 1e-6
END_PYTHON
run 0 mastermind predict "${ask[@]}" --ledger R
tail -n 1 out | grep -qx "interval recalibrated by [0-9.]* from 48 statements" || fail "the last line"
run 0 mastermind ledger R
holds out "of 48 statements at 90 %, $(sed 's/.*, //; s/]//' factor) held"

# --- Files that are cut or wrong, and misuse
head -c -30 L >cut
run 0 mastermind ledger cut
holds out "cut:3: a line is cut, skipped"
run 0 mastermind predict "${ask[@]}" --ledger cut
holds err "cut:3: found a line that is cut, skipped"
run 0 mastermind predict "${ask[@]}" --ledger cut
sed '1s/"level":0.9[0-9]*/"level":90/' L >wrong
run 3 mastermind ledger wrong
complains "mastermind: wrong:1: found no good 'level', expected a number between 0 and 1"
run 3 mastermind predict "${ask[@]}" --ledger wrong
[ ! -s out ] || fail "a forecast in spite of a wrong ledger"
run 3 mastermind ledger none
complains "mastermind: none: found no such file, expected a ledger"
for word in run.mm s .; do
    run 3 mastermind predict "${ask[@]}" --ledger $word
    complains "mastermind: $word: found a directory, expected a file, or a repository of models"
    [ ! -e $word/ledger.jsonl ] || fail "a ledger in $word"
done
mkfifo pipe
run 3 mastermind predict "${ask[@]}" --ledger pipe
complains "mastermind: pipe: found no regular file, expected a ledger"
echo Q,axis >points.csv
expect 2 "--ledger with --points: a ledger keeps totals of runs" \
    mastermind predict efm.mm --points points.csv --method flux.flux.compute --ledger L
run 2 mastermind ledger
complains "mastermind: expected a ledger, or MM_LEDGER to name one"
expect 5 "cannot open 'no/L'" mastermind predict "${ask[@]}" --ledger no/L
holds out "total"
expect 2 "unknown option" mastermind ledger L --set x
finish
