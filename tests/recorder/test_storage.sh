#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What is kept of calls, chosen by option and by script: the call graph is the same, what has no
# row is told, models hardly differ.
. "$(dirname "$0")/../lib/lib.sh"
measure() { # EXPERIMENT OPTIONS...
    local name=$1
    shift
    ccafe --measure --experiment "$name" "$@" -D FLUX=EFMFlux -D NX=48 -D NY=24 -D PATCH=12 -D T_END=.06 \
        -D PICTURE="$name.png" "$root/scripts/shock-demo.rc" > "$name.log" 2>&1 || {
        cat "$name.log"
        fail "cannot measure: $*"
    }
}
measure all.mm --storage rows
measure default.mm
measure auto.mm --storage auto:20
measure sample.mm --storage sample:10
measure reservoir.mm --storage reservoir:10
measure none.mm --storage aggregates
measure limit.mm --storage rows --size-limit 1M

# --- The same calls whatever is kept
for e in all default auto sample reservoir none limit; do
    for verb in report graph; do
        mastermind $verb $e.mm --json 2> /dev/null > $e.$verb || fail "$verb $e"
        fits "$verb" $e.$verb
    done
    mastermind records $e.mm --csv > $e.csv 2> $e.note || fail "records $e"
    mastermind model $e.mm > $e.model 2> $e.model.note || fail "model $e"
done
python3 - << 'END' || fail "the numbers"
import collections, csv, json, sys
bad = 0
def expect(what, found, wanted):
    global bad
    if found != wanted:
        print(f"FAIL: {what}: found {found}, expected {wanted}")
        bad += 1
def load(name):
    return json.load(open(f"{name}.report")), json.load(open(f"{name}.graph"))
report, graph = load("all")
calls = lambda r: {m["name"]: (m["calls"], m["subrs"]) for m in r["methods"]}
edges = lambda g: {(e["caller"], e["callee"]): e["calls"] for e in g["edges"]}
total = sum(m["calls"] for m in report["methods"])
for name in ("default", "auto", "sample", "reservoir", "none", "limit"):
    r, g = load(name)
    expect(f"{name}: calls", calls(r), calls(report))
    expect(f"{name}: edges", edges(g), edges(graph))
    rows = collections.Counter(".".join((row["instance"], row["port"], row["method"]))
                               for row in csv.DictReader(open(f"{name}.csv")))
    about = json.load(open(f"{name}.mm/experiment.json"))
    expect(f"{name}: totals", about["totals"]["rows"], sum(rows.values()))
    expect(f"{name}: dropped", about["totals"]["dropped"], 0)
    expect(f"{name}: all", r["rows"] + r["aggregated"], total)
    expect(f"{name}: sampled", about["totals"]["sampled"], r["sampled"])
    expect(f"{name}: aggregated", r["aggregated"], sum(m["aggregated"] for m in r["methods"]))
    exclusive = sum(m["exclusive_ns"] for m in r["methods"])
    # Each call rounds twice. Own times are not below 0, also where recording is taken to have cost more than there was.
    over = exclusive - r["total_ns"]
    expect(f"{name}: times add up: {over} ns over", -2 * total <= over <= 2 * total + r["overhead_ns"], True)
    for m in r["methods"]:
        kept = {"default": m["calls"], "auto": min(20, m["calls"]), "none": 0,
                "reservoir": min(10, m["calls"])}.get(name)
        if kept is not None:
            expect(f"{name}: rows of {m['name']}", rows[m["name"]], kept)
        if name == "sample":
            expect(f"sample: rows of {m['name']}", abs(rows[m["name"]] - m["calls"] / 10) <= 1, True)
    expect(f"{name}: storage", about["storage"].split(":")[0],
           {"default": "auto", "none": "aggregates", "limit": "rows"}.get(name, name))
sys.exit(bad > 0)
END

# --- And it is told
for e in auto sample reservoir none; do
    for said in $e.note $e.model.note; do
        grep -q ' of [0-9,]* invocations are kept as aggregates' $said || fail "$said: $(cat $said)"
    done
    mastermind report $e.mm | grep -q 'invocations are kept as aggregates' || fail "report $e"
    grep -q ' invocations in aggregates, 0 dropped' $e.mm.log || fail "$e.mm.log: $(tail -n 1 $e.mm.log)"
done
[ -s all.note ] && fail "a note of a run with all rows: $(cat all.note)"

# --- Every verb says alike what was not kept
says_each() { # EXPERIMENT TEXT...: what every verb prints has each text
    local e=$1 verb text said
    shift
    for verb in report graph records model predict "choose --slot flux"; do
        # shellcheck disable=SC2086
        said=$(mastermind ${verb%% *} "$e" ${verb#"${verb%% *}"} 2>&1)
        for text; do grep -q -- "$text" <<< "$said" || fail "$verb $e does not say '$text'"; done
    done
}
calls() { python3 -c 'import json, sys
for m in sorted(json.load(sys.stdin)["methods"], key=lambda m: m["name"]): print(m["name"], m["calls"], m["subrs"])'; }
says_each auto.mm 'invocations are kept as aggregates (storage auto:20)'
says_each sample.mm '(storage sample:10)' '[0-9] of these have a row as a sample'
for mode in rows auto sample:1 reservoir:100000; do
    ccafe --measure --experiment "full-$mode.mm" --storage "$mode" --size-limit 1M -D FLUX=EFMFlux -D NX=48 -D NY=24 \
        -D PATCH=6 -D T_END=.15 -D PICTURE=full.png "$root/scripts/shock-demo.rc" > full.log 2>&1 || fail "full: $(cat full.log)"
    grep -q ', size limit reached, 0 dropped' full.log || fail "$mode: $(cat full.log)"
    says_each "full-$mode.mm" 'size limit of 1,048,576 bytes reached)' 'these keep no out-parameters'
    python3 -c 'import json, sys
d = json.load(sys.stdin)
assert d["size_limit_reached"] and d["dropped"] == 0, d' <<< "$(mastermind report "full-$mode.mm" --json)" || fail "$mode --json"
    mastermind report "full-$mode.mm" --json | calls > full.calls
    diff -u full-rows.calls full.calls 2> /dev/null || [ "$mode" = rows ] || fail "$mode: other calls"
    [ "$mode" = rows ] && cp full.calls full-rows.calls
done
measure far.mm --storage aggregates --size-limit 64M
says_each far.mm '(storage aggregates, size limit of 67,108,864 bytes)'
lose() { # EXPERIMENT PYTHON...: experiment.json as another writer may make it, without a check
    python3 - "$@" << 'END'
import json, sys
path = sys.argv[1] + "/experiment.json"
about = json.load(open(path))
del about["check"]
exec(sys.argv[2])
json.dump(about, open(path, "w"))
END
}
cp -r all.mm lossy.mm
lose lossy.mm 'about["totals"].update(dropped=1234, nested=1); about["finished"] = False'
says_each lossy.mm '1,234 invocations were not kept' '1 call from signal handlers was not recorded' \
    'did not end in order'
cp -r all.mm one.mm
lose one.mm 'about["totals"].update(dropped=1, nested=2)'
says_each one.mm '1 invocation was not kept' '2 calls from signal handlers were not recorded'
mastermind report lossy.mm --json > lossy.json && mastermind graph lossy.mm --json > lossy.graph 2> /dev/null
python3 -c 'import json
for name in "lossy.json", "lossy.graph":
    d = json.load(open(name))
    assert (d["dropped"], d["nested"], d["size_limit_reached"]) == (1234, 1, False), (name, d)' || fail "lossy --json"

# Without a file of any thread it is not known whether nothing was called, or nothing could be kept.
cp -r all.mm bare.mm
rm bare.mm/rank-0000/thread-*
lose bare.mm 'about["finished"] = False; del about["totals"]'
mastermind report bare.mm | grep -q 'none was called yet, or there was no room for the files of its thread$' ||
    fail "no file of any thread: $(mastermind report bare.mm 2>&1)"

# --- A script says it, too, and comes before the option
cat > own.rc << END
instantiate TauMeasurement tau
instantiate Mastermind mastermind
connect mastermind measurement tau measurement
parameter mastermind config storage sample:2
parameter mastermind config size_limit 100M
END
cat "$root/scripts/shock-demo.rc" >> own.rc
ccafe --measure --storage rows --experiment own.mm -D FLUX=EFMFlux -D NX=24 -D NY=12 -D PATCH=12 -D T_END=.02 \
    -D PICTURE=own.png own.rc > own.log 2>&1 || fail "own.rc: $(cat own.log)"
grep -q '"storage": *"sample:2"' own.mm/experiment.json || fail "storage of own.rc"
grep -q '"size_limit": *104857600' own.mm/experiment.json || fail "size limit of own.rc"

# --- Wrong words: one line with what is expected, nothing left behind
for wrong in "--storage some" "--storage rows:3" "--storage sample" "--storage sample:0" "--storage auto:1x" \
    "--storage reservoir:100001" "--size-limit 5" "--size-limit 1T" "--size-limit -1"; do
    # shellcheck disable=SC2086
    said=$(ccafe --measure --experiment wrong.mm $wrong -D FLUX=EFMFlux -D NX=24 -D NY=12 \
        -D PATCH=12 -D T_END=.02 -D PICTURE=wrong.png "$root/scripts/shock-demo.rc" 2>&1 > /dev/null)
    status=$?
    [ $status = 2 ] || fail "$wrong: status $status"
    case $said in "ccafe: "*" is empty or one of "*", found '${wrong##* }'") ;; *) fail "$wrong: $said" ;; esac
    [ "$(wc -l <<< "$said")" = 1 ] || fail "$wrong: $said"
    [ ! -e wrong.mm ] || fail "$wrong: left something behind"
    # shellcheck disable=SC2086
    ccafe check $wrong "$root/scripts/shock-demo.rc" 2> /dev/null
    [ $? = 2 ] || fail "check $wrong: status $?"
done
# A variable of the shell that nobody has set is no word at all.
for option in --storage --size-limit; do
    said=$(ccafe --measure $option "" own.rc 2>&1 > out)
    [ "$? $(wc -l <<< "$said") $(wc -c < out)" = "2 1 0" ] || fail "$option '': $said"
    case $said in "ccafe: $option needs "*) ;; *) fail "$option '': $said" ;; esac
    said=$(mastermind record $option "" -o wrong.mm -- true 2>&1)
    [ "$? $(wc -l <<< "$said")" = "2 1" ] || fail "mastermind record $option '': $said"
done
# Options of a measurement that nobody makes: the run is as without, and a line says so.
plain() { ccafe "$@" -D FLUX=EFMFlux -D NX=24 -D NY=12 -D PATCH=12 -D T_END=.02 -D PICTURE=plain.png \
    "$root/scripts/shock-demo.rc" > out 2> err; }
plain --storage rows --experiment wrong.mm || fail "options without --measure: $(cat err)"
grep -q '^ccafe: no component uses --experiment, --storage; without --measure' err ||
    fail "options without --measure: $(cat err)"
[ ! -e wrong.mm ] || fail "options without --measure: something was measured"
plain || fail "without options: $(cat err)"
[ ! -s err ] || fail "without options: $(cat err)"
plain --measure --storage rows --experiment asked.mm --metrics CPU_TIME --size-limit 2M --tau-profiles asked
! grep 'no component' err || fail "options that are asked for"
grep -q '^ccafe: no component uses --storage$' own.log || fail "an option that comes after the script: $(cat own.log)"
# --- Recording is switched off for a go, and on again
{
    sed -n '1,/^connect mastermind/p' own.rc
    echo 'parameter mastermind config recording false'
    sed -e '/^go /,$d' "$root/scripts/shock-demo.rc"
    printf '%s\n' 'go driver go' 'parameter mastermind config recording true' 'go driver go' \
        'parameter mastermind config recording false' 'go driver go'
} > switch.rc
demo() { ccafe "$@" -D FLUX=EFMFlux -D NX=24 -D NY=12 -D PATCH=12 -D T_END=.02 -D PICTURE=x.png switch.rc; }
demo --measure --experiment switched.mm > out 2> err || fail "recording off and on: $(cat err)"
grep -q '^experiment switched.mm: recording was off in 2 of 3 gos$' err || fail "recording off is not told: $(cat err)"
says_each switched.mm 'recording was switched off for 2 gos: their calls are missing'
mastermind report switched.mm --json > switched.json
fits report switched.json
sed -i '/recording/d' switch.rc
demo --measure --experiment steady.mm > out.steady 2> err || fail "recording on: $(cat err)"
cmp -s out out.steady || fail "the output differs with recording switched off"
mastermind report steady.mm --json > steady.json
python3 -c 'import json
calls = lambda d: {m["name"]: m["calls"] for m in d["methods"]}
off, on = json.load(open("switched.json")), json.load(open("steady.json"))
assert {m: 3 * c for m, c in calls(off).items()} == calls(on), (calls(off), calls(on))
assert off["gos_not_recorded"] == 2 and on["gos_not_recorded"] == 0' || fail "other calls than those of the go that was recorded"

# In a script they are its mistakes, found before anything runs.
while read -r name value; do
    printf '%s\n' 'instantiate TauMeasurement tau' 'instantiate Mastermind mastermind' \
        'connect mastermind measurement tau measurement' \
        "parameter mastermind config $name $value" > wrong.rc
    for how in "" check; do
        # shellcheck disable=SC2086
        said=$(ccafe $how wrong.rc 2>&1)
        status=$?
        [ $status = 3 ] || fail "$how $name $value: status $status"
        case $said in "wrong.rc:4: "*" is empty or one of "*", found '$value'") ;; *) fail "$name $value: $said" ;; esac
    done
done << END
storage some
storage reservoir:0
size_limit 12
END
# All that is right is taken.
for right in "auto" "auto:1" "sample:4294967295" "reservoir:100000" "aggregates" "rows"; do
    ccafe check --storage "$right" --size-limit 1M "$root/scripts/shock.rc" > /dev/null || fail "--storage $right"
done
finish
