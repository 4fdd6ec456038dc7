#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Counters end to end, on Sod's tube: what GodunovFlux publishes is what it returns, through
# PAPI and without; what is not there is named and empty.
. "$(dirname "$0")/../lib/lib.sh"
counter=sde:::godunov::riemann_iterations



run() { # run ARGUMENTS...: keeps out and err
    ccafe "$@" >out 2>err || fail "ccafe $*: status $?: $(cat err)"
}

# assembly NAME FLUX BEFORE AFTER: Sod's tube with that flux class, lines put before its first
# instance and before its go
assembly() {
    sed -e "s/HLLCFlux /$2 /" -e 's/nx      200/nx      60/' \
        -e "s/^# --- Instances/$3/" -e "s/^go /$4\\ngo /" "$root/scripts/sod.rc" >"$1"
}

# look EXPERIMENT EXPRESSION: Python over about, rows (dictionaries of text) and flux, those of
# the method that publishes
look() {
    mastermind records "$1" --csv >records.csv 2>records.err || {
        cat records.err
        return
    }
    python3 - "$1" "$2" "c.$counter" "x.$counter" <<'PY'
import csv, json, os, sys
about = json.load(open(os.path.join(sys.argv[1], "experiment.json")))
rows = list(csv.DictReader(open("records.csv")))
flux = [r for r in rows if (r["instance"], r["method"]) == ("flux", "compute")]
c, x = sys.argv[3:5]
def why(name): return [m["why"] for m in about["counters"]["missing"] if m["name"] == name]
def outermost(): return [r for r in rows if r["instance"] == "driver"]
print(eval(sys.argv[2]))
PY
}

# exact EXPERIMENT: each row of the flux has counted the iterations that it has returned
exact() {
    equal "$1: rows" True "$(look "$1" 'len(flux) > 20')"
    equal "$1: each row is exact" True \
        "$(look "$1" 'all(r[c] == r["o.iterations"] == r[x] != "0" for r in flux)')"
    equal "$1: and so is the sum" True \
        "$(look "$1" 'int(outermost()[0][c]) == sum(int(r["o.iterations"]) for r in flux)')"
    equal "$1: nobody else counts" True \
        "$(look "$1" 'all(r[x] == "0" for r in rows if r not in flux)')"
}

# --- Lists of names that are none --------------------------------------------------------------
assembly sod.rc GodunovFlux '' ''
for list in '' , ,, ' ' 'CPU_TIME,' ',CPU_TIME' 'CPU_TIME, ,TIME'; do
    ccafe --measure --metrics "$list" --experiment none sod.rc >out 2>err
    equal "--metrics '$list': status, lines of words, of data" '2 1 0' "$? $(wc -l <err) $(wc -l <out)"
    grep -qF -- "--metrics '$list': expected names" err || fail "--metrics '$list': $(cat err)"
done
assembly list.rc GodunovFlux 'instantiate TauMeasurement tau\nparameter tau config metrics ,,' ''
run --measure list.rc
grep -q ': ,, is not measured: there is no name in this list' err || fail "a list of commas: $(cat err)"
run --measure --metrics cpu_time,Time,MPI_TIME --experiment words sod.rc
for said in 'cpu_time is not measured: .* did you mean CPU_TIME?' 'Time is .* did you mean TIME?' \
    'MPI_TIME is not measured: no library of MPI'; do
    grep -q "^experiment words: $said" err || fail "'$said' is not said: $(cat err)"
done

# --- The same program --------------------------------------------------------------------------
assembly sod.rc GodunovFlux '' ''
run sod.rc
cp out out.bare
run --measure --metrics "$counter" sod.rc
cmp -s out out.bare || fail 'the output differs with counters'
exact sod-1.mm
equal 'names' "['$counter']" "$(look sod-1.mm 'about["counters"]["names"]')"
equal 'one line on stderr' 1 "$(wc -l <err)"
grep -q " rows, 0 dropped; measuring cost " err || fail "the line at the end: $(cat err)"
[ "$(mastermind records sod-1.mm --jsonl | grep -c "\"c.$counter\":")" -gt 20 ] ||
    fail 'JSON lines have no counter'
fits records <(mastermind records sod-1.mm --jsonl)

# --- Without PAPI ------------------------------------------------------------------------------
tau='instantiate TauMeasurement tau\nparameter tau config papi none'
assembly plain.rc GodunovFlux "$tau" ''
run --measure --metrics "$counter,PAPI_TOT_CYC" plain.rc
cmp -s out out.bare || fail 'the output differs without PAPI'
exact plain-1.mm
equal 'PAPI is off' "['PAPI is switched off']" "$(look plain-1.mm 'why("PAPI_TOT_CYC")')"

# --- By hand, as in the paper; metrics by parameter ----------------------------------------------
tau="instantiate TauMeasurement tau\\nparameter tau config metrics TIME,$counter"
assembly hand.rc GodunovFlux "$tau" \
    'connect flux counters tau counters\ninsert flux flux\ninsert driver go'
run hand.rc
cmp -s out out.bare || fail 'the output differs with a flux connected by hand'
exact hand-1.mm

# --- Several at once, some of them missing -------------------------------------------------------
run --measure --metrics "CPU_TIME, PAPI_TOT_CYC,$counter,PROCESS_CPU_TIME,NO_SUCH,sde:::no::body" sod.rc
cmp -s out out.bare || fail 'the output differs with missing counters'
exact sod-2.mm
equal 'CPU time' True "$(look sod-2.mm 'all(int(r["cpu_ns"]) >= 0 for r in rows)')"
equal 'process CPU time' True \
    "$(look sod-2.mm 'all(int(r["c.PROCESS_CPU_TIME"]) >= .9 * int(r["cpu_ns"]) - 1e5 for r in rows)')"
equal 'unknown: empty' "{''}" "$(look sod-2.mm '{r["c.NO_SUCH"] for r in rows}')"
equal 'unpublished: empty' "{''}" "$(look sod-2.mm '{r["c.sde:::no::body"] for r in rows}')"
equal 'unpublished: why' "['no component publishes it']" "$(look sod-2.mm 'why("sde:::no::body")')"
grep -c 'NO_SUCH is not measured: .' err | grep -qx 1 || fail "NO_SUCH is not named once: $(cat err)"
grep -c 'sde:::no::body is not measured: no component publishes it' err | grep -qx 1 ||
    fail "sde:::no::body is not named once: $(cat err)"
if [ "$(look sod-2.mm 'bool(why("PAPI_TOT_CYC"))')" = True ]; then
    echo "PAPI_TOT_CYC: $(look sod-2.mm 'why("PAPI_TOT_CYC")[0]')"
    equal 'cycles: empty, never zero' "{''}" "$(look sod-2.mm '{r["c.PAPI_TOT_CYC"] for r in rows}')"
    grep -c 'PAPI_TOT_CYC is not measured: .' err | grep -qx 1 ||
        fail "PAPI_TOT_CYC is not named once: $(cat err)"
else
    equal 'cycles' True "$(look sod-2.mm 'all(int(r["c.PAPI_TOT_CYC"]) > 0 for r in rows)')"
fi
equal 'reports still read it' 0 "$(mastermind report sod-2.mm >/dev/null 2>&1; echo $?)"

# --- As profiles of TAU --------------------------------------------------------------------------
# profiles EXPERIMENT METRICS THREADS: written, and read by an independent reader
profiles() {
    rm -rf profiles
    mastermind export tau "$1" -o profiles >out 2>err || fail "export of $1: $(cat err)"
    mastermind records "$1" --csv >records.csv
    equal "profiles of $1" "$2 $3" "$(python3 "$root/tests/lib/tau_profile.py" profiles records.csv 2>&1 | tail -n 1)"
}
profiles sod-1.mm "TIME $counter" 1
run --measure sod.rc
profiles sod-3.mm TIME 1
profiles sod-2.mm "PROCESS_CPU_TIME TIME $counter" 1
grep -q "note: sod-2.mm: 'sde:::no::body' was not measured: no component publishes it" err ||
    fail "a counter without values is not left out: $(cat err)"
mkdir classes && ln -s "$O"/tests/components/me_*.so classes
printf '%s\n' 'instantiate MeasuredCaller caller' 'instantiate MeasuredWorker a' \
    'instantiate MeasuredWorker b' 'connect caller flux a flux' 'connect a next b flux' \
    'parameter caller config threads 5' 'parameter caller config calls 50' \
    'parameter caller config depth 2' 'go caller go' >threads.rc
run --path classes --measure --metrics PROCESS_CPU_TIME threads.rc
profiles threads-1.mm 'PROCESS_CPU_TIME TIME' 6
# --- What another library publishes through PAPI, and native events by name ---------------------
printf '%s\n' 'instantiate MeasuredCaller caller' 'instantiate ForeignCounts a' 'connect caller flux a flux' \
    'parameter caller config calls 20' 'parameter caller config depth 3' 'go caller go' >foreign.rc
run --path classes --measure --metrics "sde:::foreign::cells,sde:::foreign::other,perf::PAGE-FAULTS" foreign.rc
mastermind records foreign-1.mm --csv >records.csv
python3 - <<'PY' || fail 'what another library publishes'
import csv, json
rows = list(csv.DictReader(open("records.csv")))
cells, other, faults = "c.sde:::foreign::cells", "c.sde:::foreign::other", "c.perf::PAGE-FAULTS"
why = {m["name"]: m["why"] for m in json.load(open("foreign-1.mm/experiment.json"))["counters"]["missing"]}
if "sde:::foreign::cells" in why: # no libsde here
    assert all(r[cells] == "" for r in rows), why
else:
    calls = [r for r in rows if r["instance"] == "a"]
    assert len(calls) == 20 and all(r[cells] == r[cells.replace("c", "x", 1)] == r["p.Q"] for r in calls), calls
    assert [r[cells] for r in rows if r["instance"] == "caller"] == [str(sum(int(r[cells]) for r in calls))]
assert "no component publishes it" in why["sde:::foreign::other"] and all(r[other] == "" for r in rows), why
if "perf::PAGE-FAULTS" in why:
    assert why["perf::PAGE-FAULTS"] and all(r.get(faults, "") == "" for r in rows), why
else:
    assert all(int(r[faults]) >= 0 for r in rows)
PY

# Timers and events that components have themselves: in a context of their own.
printf '%s\n' 'instantiate TauMeasurement tau' 'instantiate MeasuredTimers own' \
    'connect own measurement tau measurement' 'go own go' >own.rc
rm -rf own.tau && run --path classes --measure --tau-profiles own.tau own.rc
mastermind records own-1.mm --csv >records.csv
equal 'profiles with timers of components' 'TIME 1 own' \
    "$(python3 "$root/tests/lib/tau_profile.py" own.tau records.csv own-1.mm/experiment.json 2>&1 | tail -n 1)"
equal 'what components timed' "[('smooth', '', 20, 0), ('solve', 'solver', 10, 20)] [('residual', 10, 1, 10, 5.5)]" \
    "$(python3 -c '
import json
about = json.load(open("own-1.mm/experiment.json"))
print(sorted((t["name"], t["group"], t["calls"], t["subroutines"]) for t in about["timers"]),
      [(e["name"], e["count"], int(e["min"]), int(e["max"]), e["mean"]) for e in about["events"]])')"
rm -rf at-end && run --measure --metrics "$counter" --tau-profiles at-end --experiment ends sod.rc
cmp -s out out.bare || fail 'the output differs with profiles at the end'
mastermind records ends --csv >records.csv
equal 'profiles at the end' "TIME $counter 1" "$(python3 "$root/tests/lib/tau_profile.py" at-end records.csv 2>&1 | tail -n 1)"
mastermind export tau ends -o again 2>err && diff -r at-end again >/dev/null ||
    fail 'profiles at the end are not those of the experiment'
ccafe --measure --tau-profiles at-end --experiment ends2 sod.rc >out 2>err
equal 'an option that names a full directory: status' 2 $?
equal 'an option that names a full directory' "ccafe: --tau-profiles 'at-end' exists already and is not empty" "$(cat err)"
[ ! -s out ] && [ ! -e ends2 ] || fail 'something ran though there was no place for its profiles'
ccafe --measure --tau-profiles no/where sod.rc >out 2>err
equal 'an option that leads nowhere: status' 5 $?
ccafe --measure --tau-profiles ends2/tau --experiment ends2 sod.rc >out 2>err
equal 'profiles below the experiment' '0 1' "$? $(ls -d ends2/tau | wc -l)"
{
    printf '%s\n' 'instantiate TauMeasurement tau' 'instantiate Mastermind mastermind' \
        'connect mastermind measurement tau measurement' 'parameter mastermind config tau_profiles at-end'
    cat sod.rc
} >full.rc
ccafe --measure --experiment ends3 full.rc >out 2>err
equal 'no place for profiles: status, said before anything runs' '5 1 0' "$? $(wc -l <err) $(wc -c <out)"
grep -q "cannot make directory 'at-end' for profiles of TAU: it exists and is not an empty directory" err ||
    fail "no place for profiles: $(cat err)"
[ -e ends3 ] && fail 'no place for profiles: an experiment is left'
ccafe --measure --tau-profiles ends4 --experiment ends4 sod.rc >out 2>err
equal 'profiles where the experiment is: status' '5 1 0' "$? $(wc -l <err) $(wc -c <out)"
ccafe --measure --tau-profiles out/x --experiment ends4 sod.rc >out 2>err
equal 'profiles in a file: status' '5 Not a directory' "$? $(sed 's/.*: //' err)"
mastermind export tau sod-3.mm -o profiles >out 2>err
equal 'a directory that is not empty' 2 $?
grep -q 'profiles: found files, expected an empty directory' err || fail "not empty: $(cat err)"
mastermind export tau nowhere -o p2 2>/dev/null
equal 'no experiment' 3 $?
mastermind export otf2 sod-3.mm -o p2 2>/dev/null
equal 'another format' 2 $?
mastermind export tau sod-3.mm 2>/dev/null
equal 'no directory' 2 $?
mastermind export tau sod-3.mm -o no/such/place 2>err
equal 'a directory that cannot be made' 5 $?

# --- Reports of a counter -------------------------------------------------------------------------
mastermind report sod-1.mm --metric "$counter" >report.out 2>err || fail "report: $(cat err)"
equal 'the first line is the driver' driver.go.go "$(sed -n 2p report.out | awk '{print $NF}')"
sum=$(look sod-1.mm 'sum(int(r[x]) for r in flux)')
equal 'what the flux has' "100.0 $sum $sum" \
    "$(awk '$NF == "flux.flux.compute" { gsub(",", ""); print $1, $2, $3 }' report.out)"
grep -qi 'recording took' report.out && fail 'recording takes nothing of a counter'
mastermind report sod-2.mm --metric NO_SUCH >out 2>err
equal 'a metric that is missing' 3 $?
grep -q "'NO_SUCH' was not measured: ." err || fail "a metric that is missing: $(cat err)"
mastermind report sod-1.mm --metric TIMES >out 2>err
equal 'a metric that nobody asked for' 3 $?
grep -q "expected one of: TIME, WALL_TIME, CPU_TIME, HOST_TIME, WAIT_TIME, $counter" err || fail "unknown metric: $(cat err)"
mastermind report sod-1.mm --metric "$counter" --json | python3 -c '
import json, sys
report = json.load(sys.stdin)
flux = [m for m in report["methods"] if m["name"] == "flux.flux.compute"][0]
assert report["metric"] == sys.argv[1] and flux["exclusive"] == int(sys.argv[2]), flux
assert "exclusive_ns" not in flux and report["total"] == int(sys.argv[2])
' "$counter" "$sum" || fail 'the JSON report of a counter'

fits report-metric <(mastermind report sod-1.mm --metric "$counter" --json)

# --- Nobody publishes ----------------------------------------------------------------------------
assembly efm.rc EFMFlux '' ''
run --measure --metrics "$counter" efm.rc
equal 'EFM: empty, never zero' "{''}" "$(look efm-1.mm '{r[c] for r in rows}')"
equal 'EFM: why' "['no component publishes it']" "$(look efm-1.mm "why('$counter')")"

# --- Nobody asks ---------------------------------------------------------------------------------
equal 'no column' False "$(look sod-3.mm 'any(k.startswith(("c.", "x.")) for k in rows[0])')"
run --measure --metrics CPU_TIME sod.rc
equal 'CPU time alone' 'True' "$(look sod-4.mm 'all(int(r["cpu_ns"]) >= 0 for r in rows)')"

finish "counters: all as expected"
