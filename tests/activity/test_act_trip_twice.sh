#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# By laws of smaller runs, twice the resolution: CPU time within 5 % on a uniform mesh, 10 % on an adaptive one. Each size
# is run three times, in turn; the truth is the median.
# lane: alone, it measures time
. "$(dirname "$0")/../lib/lib.sh"

[ "${SOAK:-}" ] || skip "runs of a minute, for make soak"
skip_sanitized "a sanitizer changes the times"
scripts=$root/scripts
export CCA_LIB=$O/components

# twice NAME SCRIPT TO BOUND SIZES -- DEFINITIONS: runs of SIZES, then the law's time at TO against a run of it
twice() {
    local name=$1 script=$2 to=$3 bound=$4 sizes=$5 runs=() n again
    shift 6
    for again in 1 2 3; do
        for n in $sizes $to; do
            ccafe --measure --metrics CPU_TIME --experiment "$name-$n-$again.mm" "${@/#/-D}" -DNX="$n" -DNY=$((n / 4)) \
                "$scripts/$script" >out 2>err || fail "measure $name $n"
            [ "$n" = "$to" ] || runs+=("$name-$n-$again.mm")
        done
    done
    run 0 mastermind activity "${runs[@]}" -o "$name.act"
    rm -rf sim.mm
    run 0 activity run "$name.act" --set NX="$to" --set NY=$((to / 4)) --models "${runs[@]}" --metric CPU_TIME -o sim.mm
    python3 - "$name" "$name-$to" sim.mm "$bound" <<'END' || fail "$name at $to"
import json, subprocess, sys
def sums(path, *metric):
    text = subprocess.run(["mastermind", "report", path, "--json", *metric], capture_output=True, text=True).stdout
    methods = json.loads(text)["methods"]
    return sum(m.get("exclusive_ns", round(1e9 * m["exclusive_s"]) if "exclusive_s" in m else m.get("exclusive")) for m in methods), sum(m["calls"] for m in methods)
time, calls = sorted(sums(f"{sys.argv[2]}-{k}.mm", "--metric", "CPU_TIME") for k in (1, 2, 3))[1]
law_time, law_calls = sums(sys.argv[3])
print(f"{sys.argv[1]}: {calls} calls, by laws {law_calls / calls - 1:+.1%}; {time / 1e9:.3f} s, by laws {law_time / time - 1:+.1%}")
sys.exit(abs(law_time / time - 1) > float(sys.argv[4]))
END
}

twice uniform shock-demo.rc 512 .05 "64 96 128 192 256" -- FLUX=EFMFlux PATCH=32 T_END=.3 PICTURE=
twice godunov shock-demo.rc 384 .05 "48 64 96 128 192" -- FLUX=GodunovFlux PATCH=32 T_END=.3 PICTURE=
twice adaptive shock-amr.rc 128 .10 "24 32 40 48 64" -- FLUX=EFMFlux STATES=States LEVELS=3 PATCH=16 \
    GHOSTS=GhostsPerNeighbour BALANCE=never T_END=.3 PICTURE=
finish
