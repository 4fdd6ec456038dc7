#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# choose: lists, the script that it writes, and the run of the choice.
. "$(dirname "$0")/../lib/lib.sh"
measure() { # EXPERIMENT FLUX OPTIONS...
    local name=$1 flux=$2
    shift 2
    ccafe --measure --metrics CPU_TIME --experiment "$name" "$@" -D FLUX="$flux" -D NX=32 -D NY=16 -D PATCH=16 \
        -D T_END=.05 -D "PICTURE=p '\$1.png" "$root/scripts/shock-demo.rc" > log 2>&1 || fail "cannot measure: $(cat log)"
}
measure efm.mm EFMFlux
measure hllc.mm HLLCFlux
measure godunov.mm GodunovFlux
all="efm.mm hllc.mm godunov.mm"

# --- Lists
# shellcheck disable=SC2086
choose() { run 0 mastermind choose $all "$@"; }
choose --front oddeven_m6 --json
fits choose out
python3 - out << 'END' || fail "the front is not that of the candidates"
import json, sys
document = json.load(open(sys.argv[1]))
candidates = [(c["total_s"], c["qualities"]["oddeven_m6"], c["class"]) for c in document["slots"][0]["classes"]]
front = sorted(c for c in candidates if not any(o[0] <= c[0] and o[1] <= c[1] and o != c for o in candidates))
found = [(i["total_s"], i["value"], i["classes"]["flux"]) for i in document["list"]]
assert found == front and not document["greater_is_better"], (found, front)
least = document["assemblies"][0]["total_s"]
ties = [a for a in document["assemblies"][1:] if a["tie"]]
for tie in ties:
    assert 1 / 2 <= tie["total_s"] / least <= 2 and tie["apart_low_s"] <= 0 <= tie["apart_high_s"], tie
assert not (ties and document["decided"]), document
END
choose --within 1.0 --json
equal "within 1" 1 "$(python3 -c 'import json; print(len(json.load(open("out"))["list"]))')"
choose --within 1000 --json
equal "within 1000" 3 "$(python3 -c 'import json; print(len(json.load(open("out"))["list"]))')"
choose --front oddeven_m6:greater
holds out "oddeven_m6, greater is better"
awk 'length > 100 { exit 1 }' out || fail "a line of more than 100 columns"
# shellcheck disable=SC2086
{
    expect 3 "'speed'" mastermind choose $all --front speed
    expect 2 "expected :greater or :smaller" mastermind choose $all --front oddeven_m6:less
    expect 2 "list different things" mastermind choose $all --front oddeven_m6 --within 2
    expect 2 "at least 1" mastermind choose $all --within .5
    expect 2 "--output without --run" mastermind choose $all -o x.mm
    expect 2 "words behind -- without --run" mastermind choose $all -- -D X=1
    expect 2 "--force without --write" mastermind choose $all --force
}

# --- The script: of the chosen class, checked, not written twice
choose --require 'oddeven_m6 <= .05' --write best.rc
holds out "best.rc makes the choice: ccafe best.rc"
expect 0 "no mistakes: 11 instances, 15 connections" ccafe check best.rc
holds best.rc "instantiate EFMFlux flux"
holds best.rc "parameter driver config t_end 0.05"
choose --require 'sod_l1_200 <= .00251' --write other.rc
holds other.rc "instantiate GodunovFlux flux"
holds out "  ccafe --class flux=GodunovFlux -D FLUX=EFMFlux"
awk 'length > 100 { exit 1 }' out || fail "a line of more than 100 columns"
eval "$(sed -n '/^  ccafe/,$p' out)" > by-options 2>&1 || fail "$(cat by-options)"
ccafe other.rc > by-script 2>&1 || fail "$(cat by-script)"
equal "script and options" "$(cat by-options)" "$(cat by-script)"
cp best.rc before.rc
# shellcheck disable=SC2086
expect 2 "best.rc exists; --force" mastermind choose $all --write best.rc
cmp -s best.rc before.rc || fail "a refused script was written"
choose --require 'sod_l1_200 <= .00251' --write best.rc --force
cmp -s best.rc other.rc || fail "--force has not written it"
equal "no file is left" "" "$(find . -name '*.new')"
# shellcheck disable=SC2086
expect 5 "No such file" mastermind choose $all --write no/such/folder.rc

# --- The run: what the choice says, and what its experiment says
choose --require 'oddeven_m6 <= .05' --run --metric CPU_TIME --json -o run.mm -- --deadline 60
fits choose-metric out
python3 - out << 'END' || fail "the run is not what its experiment says"
import json, subprocess, sys
document = json.load(open(sys.argv[1]))
report = json.loads(subprocess.run(["mastermind", "report", "run.mm", "--metric", "CPU_TIME", "--json"],
                                   check=True, capture_output=True, text=True).stdout)
total = sum(m["exclusive"] for m in report["methods"])
assert abs(document["run"]["measured"] / total - 1) < 1e-6, (document["run"], total)
assert document["run"]["predicted"] == document["assemblies"][0]["total"]
about = json.load(open("run.mm/experiment.json"))
assert about["classes"]["flux"] == "EFMFlux" and "--deadline" in about["command"], about["command"]
END
run 0 mastermind choose efm.mm hllc.mm --run
grep -qE '^(EFM|HLLC)Flux: predicted .* measured .* \([+-][0-9.]+ %\)' out || fail "no line of the run"
[ -d choice-1.mm ] || fail "no choice-1.mm"
run 2 mastermind choose efm.mm hllc.mm --run -- --no-such-option
holds err "the run failed with status 2"

# --- Runs that never happened: the forecast of the choice is that of predict, the run that of the script
run 0 mastermind sweep -D NX=32,48,64 --class flux=EFMFlux,HLLCFlux --repeat 1 -o sweep -- ccafe -D FLUX=EFMFlux \
    -D NY=16 -D PATCH=16 -D T_END=.05 -D PICTURE= "$root/scripts/shock-demo.rc"
expect 2 "NX varied and is not set" mastermind choose sweep
expect 2 "no instance, parameter or variable" mastermind choose sweep --set NZ=3
expect 3 "no invocation of an instance 'flx'; did you mean 'flux'?" mastermind choose sweep --set NX=96 --slot flx
expect 3 "'speed'" mastermind choose sweep --set NX=96 --require 'speed > 1'
expect 1 "choice: none" mastermind choose sweep --set NX=96 --require 'oddeven_m6 < 0'
expect 1 "no slot" mastermind choose sweep --set NX=96 --class flux=EFMFlux
run 0 mastermind choose sweep --set NX=96 --metric CPU_TIME --front sod_l1_200
holds out "NX=96 (1.5 x beyond the runs)"
awk 'length > 100 { exit 1 }' out || fail "a line of more than 100 columns"
run 0 mastermind choose sweep --set NX=96 --json
fits choose out
run 0 mastermind choose sweep --set NX=96 --metric CPU_TIME --front sod_l1_200 --json
fits choose-metric out
cp out choice.json
chosen=$(python3 -c 'import json; print(json.load(open("choice.json"))["choice"]["flux"])')
run 0 mastermind predict sweep --set NX=96 --class flux="$chosen" --metric CPU_TIME --json
python3 - << 'END' || fail "the forecast of the choice is not that of predict"
import json
choice, forecast = json.load(open("choice.json")), json.load(open("out"))
assert abs(choice["assemblies"][0]["total"] / forecast["total"] - 1) < 1e-9
totals = [a["total"] for a in choice["assemblies"]]
assert len(totals) == 2 and (totals == sorted(totals) or choice["assemblies"][1]["tie"])
assert {c["class"] for c in choice["slots"][0]["classes"]} == {"EFMFlux", "HLLCFlux"}
END
run 0 mastermind choose sweep --set NX=96 --require 'oddeven_m6 <= .05' --write open.rc --run -o open.mm --json
fits choose out
cp out run.json
holds open.rc "instantiate EFMFlux flux"
holds open.rc "parameter driver config nx 96"
expect 0 "no mistakes" ccafe check open.rc
python3 - << 'END' || fail "the run is another one"
import json
about, run = json.load(open("open.mm/experiment.json")), json.load(open("run.json"))["run"]
assert about["variables"]["NX"] == "96" and about["classes"]["flux"] == "EFMFlux"
assert run["measured_s"] > 0 and run["experiment"].endswith("/open.mm")
END

# A class of which no call was seen is named, and never chosen; one that ran alone is composed from its run.
ccafe --measure --metrics CPU_TIME --experiment zero.mm -D FLUX=GodunovFlux -D NX=64 -D NY=16 -D PATCH=16 -D T_END=0 \
    -D PICTURE= "$root/scripts/shock-demo.rc" > log 2>&1 || fail "$(cat log)"
run 0 mastermind choose sweep zero.mm --set NX=96 --set T_END=.05
holds out "  -  GodunovFlux: no cost: flux.flux.compute"
run 0 mastermind choose sweep zero.mm --set NX=96 --set T_END=.05 --json
fits choose out
python3 - << 'END' || fail "a class without a cost"
import json
document = json.load(open("out"))
godunov = next(c for c in document["slots"][0]["classes"] if c["class"] == "GodunovFlux")
assert not godunov["has_cost"] and godunov["why"] and "total_s" not in godunov, godunov
assert len(document["assemblies"]) == 2 and document["choice"]["flux"] != "GodunovFlux"
END
expect 2 "'FLUX' names classes" mastermind choose sweep zero.mm --set NX=96 --set T_END=.05 -D FLUX=EFMFlux
ccafe --measure --metrics CPU_TIME --experiment alone.mm -D FLUX=GodunovFlux -D NX=64 -D NY=16 -D PATCH=16 -D T_END=.05 \
    -D PICTURE= "$root/scripts/shock-demo.rc" > log 2>&1 || fail "$(cat log)"
run 0 mastermind choose sweep alone.mm --set NX=96
grep -qE '^  [123]  GodunovFlux +[0-9]' out || fail "no prediction for a class that ran alone"
finish
