#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The Mastermind's port for questions: answers in a run are those of `mastermind` about a copy of the same rows; answers
# while other threads record; mistakes; a run without the port has no analysis.
. "$(dirname "$0")/../lib/lib.sh"

mkdir classes && cp "$components"/me_asker.so "$components"/me_caller.so "$components"/me_worker.so classes
# script PROGRAM LINES...: an asker that lets PROGRAM run
script() {
    printf '%s\n' "path append classes" "instantiate TauMeasurement tau" "instantiate Mastermind mastermind" \
        "instantiate Asker asker" "connect mastermind measurement tau measurement" \
        "connect asker query mastermind query" "$@" "go asker go" quit
}
# shock: the shock problem, with another flux from run to run
sed -n '/^instantiate/p; /^connect/p; /^parameter/p' "$root/scripts/shock-demo.rc" >shock
shock=(-D NX=64 -D NY=16 -D PATCH=16 -D T_END=.1 -D PICTURE=x.png)

# --- The same rows, asked both ways
run 0 ccafe --measure --experiment other.mm -D FLUX=HLLCFlux "${shock[@]}" "$root/scripts/shock-demo.rc"
cat >questions <<'Q'
model
model --of-class EFMFlux --at Q=200,axis=x
model --inclusive --metric WALL_TIME
graph
graph --contexts --by-mode
predict
predict ../other.mm --set flux=HLLCFlux
whatif flux.flux.compute=-30%
whatif --limit 0
choose ../other.mm
choose ../other.mm --within 3 --slot flux
cost EFMFlux compute Q=200,axis=x
Q
mkdir run copy
cat shock >lines
echo "connect asker program driver go
parameter asker config command 'cp -r run.mm ../copy'
parameter asker config questions ../questions" >>lines
script "$(cat lines)" | sed 's/append classes/append ..\/classes/' >run/ask.rc
cd run || exit 1
run 0 ccafe --measure --experiment run.mm -D FLUX=EFMFlux "${shock[@]}" ask.rc
mv out err ..
cd ../copy || exit 1
number=0
while read -r line; do
    number=$((number + 1))
    case $line in
    cost*) continue ;;
    predict* | whatif* | choose*) more=--so-far ;;
    *) more= ;;
    esac
    # shellcheck disable=SC2086
    set -- $line
    verb=$1
    shift
    mastermind "$verb" run.mm "$@" --json $more >wanted 2>err || fail "$line"
    cmp -s wanted "../run/answer-$number.json" ||
        fail "$line: in the run: $(diff wanted "../run/answer-$number.json" | head -n 10)"
    [ -s wanted ] || fail "$line: nothing"
done <../questions
cd .. || exit 1
python3 - <<'P' || fail "the cost of a call"
import json
wanted = [m["estimate"] for s in json.load(open("run/answer-2.json"))["methods"] for m in s["models"] if "estimate" in m]
assert len(wanted) == 1, wanted
found = json.load(open("run/answer-12.json"))
names = ["typical_ns", "mean_ns", "call_low_ns", "call_high_ns", "beyond"]
assert found == [wanted[0][n] for n in names], (found, wanted)
P

# --- While other threads record: each answer is of one state, and later ones of later states
echo graph >questions
load="instantiate MeasuredCaller caller
instantiate MeasuredWorker worker
instantiate MeasuredWorker second
connect caller flux worker flux
connect worker next second flux
connect asker program caller go
parameter caller config calls 3000
parameter caller config threads 4
parameter caller config depth 2"
script "$load
insert worker flux
insert second flux
parameter asker config beside true
parameter asker config command 'until [ -e load.mm/experiment.json ] && ls load.mm/*/thread* >/dev/null 2>&1; do :; done'
parameter asker config rounds 12" >load.rc
rm -f answer-*
run 0 ccafe --experiment load.mm load.rc
python3 - <<'P' || fail "answers under load"
import json
before = answers = 0
for i in range(1, 13):
    text = open(f"answer-{i}.json").read()
    if not text:
        continue
    graph = json.loads(text)
    outer, inner = (next((v for v in graph["vertices"] if v["instance"] == n), None) for n in ("worker", "second"))
    if not inner:
        continue
    edges = {(e["caller"], e["callee"]): e["calls"] for e in graph["edges"]}
    assert edges.get((outer["id"], inner["id"])) == inner["calls"], edges
    assert sum(n for (_, callee), n in edges.items() if callee == outer["id"]) == outer["calls"], edges
    # of each of four threads at most one call of the outer method is without its inner one
    assert abs(outer["calls"] - inner["calls"]) <= 4 and outer["open"] <= 4, (outer, inner)
    ended = outer["calls"] + inner["calls"] - outer["open"] - inner["open"]
    assert graph["rows"] >= ended >= before, (graph["rows"], ended, before)
    before = ended
    answers += 1
assert answers, "no answer"
P
says "sum $(python3 -c 'print(4 * sum((i + 1) * 2 for i in range(3000) if i % 3))')"

# --- Mistakes
printf '%s\n' graf 'graph --svg' 'choose --run' 'model --at Q=x' 'cost Nothing compute' 'whatif no.such.method=-1%' \
    'predict missing.mm' >questions
script "$load
parameter asker config questions questions
insert worker flux" >wrong.rc
run 0 ccafe --experiment wrong.mm wrong.rc
says "1: -22 found 'graf', expected model, graph, predict, whatif or choose; did you mean 'graph'?"
says "2: -22 '--svg' is no option of a question to graph, expected --prune --contexts --by-rank --by-mode --fold"
grep -q "^3: -22 '--run' is no option of a question to choose" out || fail "--run"
grep -q "^4: -22 'x' for 'Q' in --at, expected a number" out || fail "a number"
says "5: -74 no model of Nothing compute"
grep -q "^6: -[0-9]* .*no.such.method" out || fail "a method that there is not"
grep -q "^7: -74 .*missing.mm" out || fail "an experiment that there is not"
echo graph >questions
script "" >early.rc
run 0 ccafe --experiment early.mm early.rc
says "1: -61 no call was recorded yet"

# --- The analysis is loaded where the port is connected, and nowhere else
maps="parameter caller config command 'grep -c libmm_answers /proc/\$PPID/maps >maps; true'"
script "$load
$maps" >with.rc
grep -v 'asker' with.rc | sed 's/^quit/go caller go\nquit/' >without.rc
run 0 ccafe --measure --experiment without.mm without.rc
equal "analysis without the port" 0 "$(cat maps)"
run 0 ccafe --measure --experiment with.mm with.rc
[ "$(cat maps)" -gt 0 ] || fail "no analysis with the port"
mkdir alone && cp "$O/lib/mastermind/Mastermind.so" alone
{ echo "path set alone"; echo "path append $O/lib/mastermind"; cat with.rc; } >alone.rc
run 4 ccafe --measure --experiment alone.mm alone.rc
grep -q "no questions can be answered: .*libmm_answers.so: cannot open shared object file" err || fail "no library"
equal "lines" 1 "$(wc -l <err)"

# --- The installed example
cp -r "$root/examples/query" example && cd example || exit 1
make -s >make.out 2>&1 || fail "make: $(cat make.out)"
run 0 ccafe --measure --experiment run.mm adviser.rc
equal "costs of three runs" 3 "$(grep -c '^a call of EFMFlux at Q=400,axis=x: .* us, 95 % of calls from .* to .* us' out)"
python3 - <<'P' || fail "the example's document"
import json
text = open("out").read()
document = json.loads(text[text.index("{"):])
assert document["schema"] == "mastermind/whatif/1" and document["changes"][0]["percent"] == -30
P
cd ..
finish
