#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The program mastermind on measured runs of the shock problem: every verb, its documents, its exit
# codes, runs that go on and runs that were killed.
. "$(dirname "$0")/../lib/lib.sh"
runner=
cleanup() { [ -z "$runner" ] || kill -9 "$runner" 2> /dev/null; }
measure() { # FLUX PATCH T_END EXPERIMENT
    ccafe --measure --experiment "$4" -D FLUX="$1" -D NX=48 -D NY=24 -D PATCH="$2" -D T_END="$3" \
        -D PICTURE="$4.png" "$root/scripts/shock-demo.rc" > "$4.log" 2>&1 || {
        cat "$4.log"
        echo "cannot measure"
        exit 1
    }
}
for flux in GodunovFlux EFMFlux HLLCFlux; do
    for patch in 6 8 12 24; do
        measure $flux $patch .06 $flux-$patch.mm
    done
done

# --- Documents follow their schemas
for verb in report graph; do
    fits "$verb" <(mastermind $verb EFMFlux-8.mm --json)
done
for command in "model EFMFlux-8.mm GodunovFlux-8.mm" "predict EFMFlux-8.mm" \
    "predict EFMFlux-8.mm GodunovFlux-8.mm --set flux=GodunovFlux" \
    "predict EFMFlux-8.mm --set flux=States" "choose EFMFlux-8.mm GodunovFlux-8.mm HLLCFlux-8.mm" \
    "choose EFMFlux-8.mm GodunovFlux-8.mm --require sod_l1_200<0"; do
    # shellcheck disable=SC2086
    fits "${command%% *}" <(mastermind $command --json)
done
fits records <(mastermind records EFMFlux-8.mm --jsonl)

# --- Report and graph are what the rows say
mastermind records EFMFlux-8.mm --csv > rows.csv || fail "records --csv"
mastermind report EFMFlux-8.mm --json > report.json
mastermind graph EFMFlux-8.mm --json > graph.json
python3 - << 'END' || fail "report or graph differs from the rows"
import collections, csv, json
rows = list(csv.DictReader(open("rows.csv")))
report, graph = json.load(open("report.json")), json.load(open("graph.json"))
name = lambda r: ".".join((r["instance"], r["port"], r["method"]))
by_number = {r["invocation"]: r for r in rows}
assert report["rows"] == len(rows) > 500
calls = collections.Counter(name(r) for r in rows)
assert {m["name"]: m["calls"] for m in report["methods"]} == dict(calls)
edges = collections.Counter(
    (name(by_number[r["caller"]]) if r["caller"] else "<thread>", name(r)) for r in rows)
names = {v["id"]: v["name"] for v in graph["vertices"]}
assert {(names[e["caller"]], names[e["callee"]]): e["calls"] for e in graph["edges"]} == dict(edges)
assert sum(m["exclusive_ns"] for m in report["methods"]) == report["total_ns"]
driver = report["methods"][0]
assert driver["name"] == "driver.go.go" and driver["inclusive_ns"] == report["total_ns"]
for m in report["methods"]:
    measured = sum(int(r["exclusive_ns"]) - int(r["host_exclusive_ns"]) for r in rows if name(r) == m["name"])
    assert abs(measured - m["exclusive_ns"] - m["overhead_ns"]) <= m["subrs"] + m["calls"]
assert not any("proxy" in v.get("class", "").lower() or v.get("class") in ("Mastermind",
               "TauMeasurement") for v in graph["vertices"])
assert all(r["p.Q"] == str(int(r["p.nx"]) * int(r["p.ny"])) for r in rows if r["p.Q"])
END
expect 0 "100.0" mastermind report EFMFlux-8.mm
known=$(python3 -c 'import json; print(json.load(open("EFMFlux-8.mm/experiment.json"))["totals"]["methods"])')
expect 0 " of $known methods" mastermind report EFMFlux-8.mm # as the run has said
expect 0 "are subtracted" mastermind report EFMFlux-8.mm --sort calls --limit 3
mastermind report EFMFlux-8.mm | awk 'length > 100 { exit 1 }' || fail "report is wider than 100 columns"
mastermind graph EFMFlux-8.mm > dual.dot
grep -q '"flux.flux.compute\\nEFMFlux\\n' dual.dot || fail "no vertex for flux"
[ "$(mastermind graph EFMFlux-8.mm --prune 20 | grep -c label=)" -lt "$(grep -c label= dual.dot)" ] ||
    fail "--prune leaves all"
if command -v dot > /dev/null; then
    dot -Tsvg dual.dot | grep -q '</svg>' || fail "dot does not draw the dual"
fi

# --- Models, predictions, choices
expect 0 "axis x" mastermind model EFMFlux-*.mm --of-class EFMFlux
# On a busy machine waiting may hide what decides a time: then once more.
for _ in 1 2 3 4; do
    mastermind model EFMFlux-*.mm --of-class EFMFlux | grep -q ' \* Q' && break
    for patch in 6 8 12 24; do
        rm -r EFMFlux-$patch.mm
        measure EFMFlux $patch .06 EFMFlux-$patch.mm
    done
done
expect 0 " * Q" mastermind model EFMFlux-*.mm --of-class EFMFlux
expect 0 "GodunovFlux" mastermind predict EFMFlux-8.mm GodunovFlux-8.mm --set flux=GodunovFlux
expect 0 "EFMFlux-8.mm took " mastermind predict EFMFlux-8.mm
expect 3 "these experiments have no class 'Nothing'" mastermind predict EFMFlux-8.mm --set flux=Nothing
expect 3 "no class 'EMFFlux'; did you mean 'EFMFlux'?" mastermind predict EFMFlux-8.mm --set flux=EMFFlux
expect 3 "no class 'Godunovflux'; did you mean 'GodunovFlux'?" mastermind model GodunovFlux-8.mm --of-class Godunovflux
expect 1 "no prediction" mastermind predict EFMFlux-8.mm --set flux=States
# One size does not tell what another one costs.
run 0 mastermind predict EFMFlux-24.mm GodunovFlux-6.mm --set flux=GodunovFlux
grep -qE '^flux.flux.compute .* x/ ([3-9]|[0-9]{2,}|[0-9]e)[0-9.+]*  GodunovFlux$' out || fail "one size: $(cat out)"
expect 2 "'nobody'" mastermind predict EFMFlux-8.mm --set nobody=EFMFlux
expect 1 "driver.config.nx was 48 in all runs: the effect of 8 is unknown" mastermind predict EFMFlux-8.mm --set driver.config.nx=8
expect 2 "NAME=VALUE" mastermind predict EFMFlux-8.mm --set flux
expect 2 "twice" mastermind predict EFMFlux-8.mm --set flux=A --set flux=B
all="EFMFlux-8.mm $(echo ./*-*.mm)"
# shellcheck disable=SC2086
{
    expect 0 "choice: " mastermind choose $all
    expect 0 "choice: EFMFlux" mastermind choose $all --require 'oddeven_m6 <= .05'
    expect 0 "  not oddeven_m6 <= 0.05: " mastermind choose $all --require 'oddeven_m6 <= .05'
    expect 0 "flux=GodunovFlux" mastermind choose $all --require 'sod_l1_200 <= .00251' --quiet
    expect 1 "choice: none" mastermind choose $all --require 'sod_l1_200 <= .00251' --require 'oddeven_m6 <= .05'
    expect 3 "'speed'" mastermind choose $all --require 'speed > 1'
    expect 2 "expected a number" mastermind choose $all --require 'sod_l1_200 <= x'
    expect 3 "'nobody'" mastermind choose $all --slot nobody
    expect 3 "no invocation of an instance 'fulx'; did you mean 'flux'?" mastermind choose $all --slot fulx
}
expect 1 "no slot" mastermind choose EFMFlux-8.mm

# --- Mistakes
expect 2 "did you mean 'report'" mastermind reprot EFMFlux-8.mm
expect 2 "expected a verb" mastermind
expect 0 "mastermind VERB EXPERIMENT" mastermind help
expect 0 "--set NAME=VALUE" mastermind help predict
expect 2 "unknown verb 'predictt'; did you mean 'predict'?" mastermind help predictt
expect 2 "did you mean '--sort'" mastermind report EFMFlux-8.mm --srot calls
expect 2 "cannot sort by" mastermind report EFMFlux-8.mm --sort size
expect 2 "at least 1" mastermind report EFMFlux-8.mm --limit x
expect 2 "a whole number" mastermind report EFMFlux-8.mm --limit 1.5
expect 2 "a whole number" mastermind report EFMFlux-8.mm --rank .5
expect 2 "expected the directory of an experiment, found ''" mastermind report ""
expect 3 "no/such: Not a directory" mastermind report /dev/null/no/such
expect 2 "expected the directory" mastermind report
expect 2 "one experiment" mastermind report EFMFlux-8.mm EFMFlux-8.mm
expect 2 "at once" mastermind records EFMFlux-8.mm --csv --jsonl
expect 2 "needs a value" mastermind choose EFMFlux-8.mm --require
expect 3 "mastermind: " mastermind report nowhere.mm
mkdir empty
for verb in report graph model predict choose records; do
    expect 3 "mastermind: " mastermind $verb empty
    expect 3 "mastermind: " mastermind $verb rows.csv
    expect 0 "mastermind $verb" mastermind $verb --help
done
expect 0 "help all lists the other verbs" mastermind -h
# --- One table of options: each is in the help of its verb and on the page of reference
run 0 mastermind help --reference
cp out page
for verb in $(mastermind help all | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
    grep -q "^### mastermind $verb\$" page || fail "no $verb on the page of reference"
    mastermind help "$verb" | sed -n 's/^  \(-[^ ]*\(, --[a-z-]*\)\{0,1\}\).*/\1/p' >options
    [ -s options ] || fail "$verb has no options"
    while read -r option; do
        sed -n "/^### mastermind $verb\$/,/^###* /p" page | grep -q "^| \`$option[ \`]" || fail "$verb $option is on no page"
    done <options
done
sed -n 's/^### mastermind \([a-z]*\).*/\1/p' page | sort -u >verbs
mastermind help all | sed -n 's/^  \([a-z]*\) .*/\1/p' | sort | diff verbs - || fail "help all and the page have other verbs"
[ "$(mastermind help | grep -c '^  [a-z]')" = 6 ] || fail "help lists more or less than six verbs"
run 2 mastermind help --schema nothing
run 0 mastermind help --schema
for name in $(cat out); do
    mastermind help --schema "$name" | python3 -c 'import json, sys; json.load(sys.stdin)' || fail "schema $name"
done
if [ -w /dev/full ]; then
    for verb in report graph model records; do
        mastermind $verb EFMFlux-8.mm > /dev/full 2> said && fail "$verb to a full disk succeeds"
        grep -q "cannot write" said || fail "$verb to a full disk: $(cat said)"
    done
fi

# --- Names from files do not steer the terminal; damaged files are refused with their name
cp -r EFMFlux-8.mm evil.mm
sed -i 's/{"check": "[0-9a-f]*",/{/; s/"flux"/"fl\\u001b[2Jux\\n"/g' evil.mm/rank-0000/methods.json
for verb in report graph model predict; do
    mastermind $verb evil.mm 2>&1 | LC_ALL=C grep -q $'\x1b' && fail "$verb prints an escape"
done
mastermind report evil.mm | grep -q 'fl\\x1b\[2Jux\\x0a' || fail "the evil name is not escaped"
cp -r EFMFlux-8.mm damaged.mm
echo '{"format": 1, "instances": [{"name": 3}]}' > damaged.mm/wiring.json
expect 3 "wiring.json" mastermind choose damaged.mm EFMFlux-8.mm

# --- Methods with a proxy, and nothing called
cp -r EFMFlux-8.mm silent.mm
rm silent.mm/rank-0000/thread-*
sed -i 's/{"check": "[0-9a-f]*",/{/; s/"finished": *true/"finished": false/' silent.mm/experiment.json
expect 0 "nothing was measured" mastermind report silent.mm
expect 0 "nothing was measured" mastermind model silent.mm
expect 1 "silent.mm: the run did not end in order" mastermind predict silent.mm
expect 0 "choice: " mastermind choose silent.mm EFMFlux-8.mm GodunovFlux-8.mm
expect 0 "digraph" mastermind graph silent.mm

# --- A run that goes on is read; killed, it is read too and says what was running
ccafe --measure --experiment killed.mm -D FLUX=EFMFlux -D NX=64 -D NY=32 -D PATCH=16 -D T_END=1000 \
    -D PICTURE=killed.png "$root/scripts/shock-demo.rc" > killed.log 2>&1 &
runner=$!
calls=0
for _ in $(seq 300); do # a look takes some milliseconds
    [ "$calls" -lt 1000 ] || break
    calls=$(mastermind report killed.mm --json 2> said |
        python3 -c 'import json, sys; print(json.load(sys.stdin)["rows"])' 2> /dev/null || echo 0)
done
[ "$calls" -ge 1000 ] || fail "the running experiment was not read: $(cat said killed.log)"
kill -9 $runner || fail "the run has ended"
wait $runner 2> /dev/null
runner=
expect 0 "did not end in order" mastermind report killed.mm
expect 0 "running at the end, rank 0 thread 0: driver.go.go" mastermind report killed.mm
expect 0 "EFMFlux" mastermind model killed.mm
expect 0 "digraph" mastermind graph killed.mm
mastermind report killed.mm --json | python3 -c '
import json, sys
r = json.load(sys.stdin)
assert not r["finished"] and r["rows"] >= 1000 and r["open"][-1]["name"] == "driver.go.go"
lacking = sum(m["exclusive_ns"] for m in r["methods"]) - r["total_ns"]
assert abs(lacking) <= 1000, lacking # a nanosecond where the share of the host leaves a call less than nothing' || fail "report of the killed run"
mastermind records killed.mm | grep -q '^0,0,1,,driver,go,go,ShockDriver,[0-9]*,,,,,open' ||
    fail "records of the killed run"

finish
