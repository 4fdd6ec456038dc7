#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A measured run is a forecast whose parameters are the base's: the same question by other words has the same answer,
# to the byte, and a run that happened is predicted at what it took.
. "$(dirname "$0")/../lib/lib.sh"
small="-D NX=128 -D NY=32 -D PATCH=16 -D T_END=.2 -D PICTURE="
for flux in Godunov EFM HLLC; do
    # shellcheck disable=SC2086
    run 0 ccafe --measure -o $flux.mm --metrics CPU_TIME -D FLUX=${flux}Flux $small "$root/scripts/shock-demo.rc"
done
all="Godunov.mm EFM.mm HLLC.mm"

same() # WORDS...: the two lists of words around -- say the same
{
    local first=() second=()
    while [ "$1" != -- ]; do first+=("$1") && shift; done
    shift
    second=("$@")
    run 0 mastermind "${first[@]}" && cp out one
    run 0 mastermind "${second[@]}"
    cmp -s out one || fail "${second[*]}: another answer: $(diff one out | head -n 5)"
    [ -s one ] || fail "${first[*]}: no answer"
}
# shellcheck disable=SC2086
for json in "" --json "--metric CPU_TIME"; do
    same choose $all $json -- choose $all --ranks 1 $json
    same choose $all $json -- choose $all --set NX=128 -D T_END=.2 $json
    same predict $all --set flux=HLLCFlux $json -- predict $all --class flux=HLLCFlux --ranks 1 $json
    same predict $all --set flux=HLLCFlux $json -- predict $all --set FLUX=HLLCFlux --set driver.config.nx=128 $json
    same predict $all $json -- predict $all --set flux=GodunovFlux --ranks 1 $json
done

# Totals and intervals of the classes are those of predict, the level is one.
# shellcheck disable=SC2086
run 0 mastermind choose $all --json && cp out choice.json
for flux in Godunov EFM HLLC; do
    # shellcheck disable=SC2086
    run 0 mastermind predict $all --set flux=${flux}Flux --json && cp out $flux.json
done
python3 - <<'END' || fail "choose and predict differ"
import json
choice = json.load(open("choice.json"))
for c in choice["slots"][0]["classes"]:
    p = json.load(open(c["class"].removesuffix("Flux") + ".json"))
    assert p["level"] == choice["level"] == .9
    for key in ("total_s", "low_s", "high_s"):
        assert (key in p) == (key in c), key
        assert key not in p or abs(p[key] / c[key] - 1) < 1e-9, (key, p[key], c[key])
    # Counts are as counted, by the class's own run.
    assert all(cell["calls"]["exact"] for part in p["parts"] for cell in part["cells"])
END

# Each class's run at what it took: alone to 2 %; with the others within what runs differ by.
for flux in Godunov EFM HLLC; do
    run 0 mastermind predict $flux.mm --metric CPU_TIME --json && cp out alone.json
    others=${all/$flux.mm/}
    # shellcheck disable=SC2086
    run 0 mastermind predict $flux.mm $others --metric CPU_TIME --json && cp out with.json
    python3 - <<'END' || fail "$flux: not predicted at its own value"
import json
alone, others = json.load(open("alone.json")), json.load(open("with.json"))
assert abs(alone["against"]["total_error"]) < .02, alone["against"]
# Three runs, one of each class: their own spread is all that is known.
assert abs(others["against"]["total_error"]) < max(.5, 3 * others.get("run_sd", .2)), others["against"]
END
done

# What the base took beside what is predicted; the list of slots is that of the instances that have several classes.
# shellcheck disable=SC2086
run 0 mastermind predict $all --set flux=HLLCFlux
grep -qE '^measured with FLUX=GodunovFlux in Godunov.mm: [0-9.]+ [mu]?s; predicted change [+-][0-9.]+ %$' out ||
    fail "the base: $(cat out)"
# shellcheck disable=SC2086
run 0 mastermind choose $all
says "at the parameters of Godunov.mm"

# A class that ran under another name stands in the slot, too.
sed 's/instantiate $FLUX flux/instantiate $FLUX riemann/; s/connect flux /connect riemann /
    s/connect rhs  *flux  *flux  *flux/connect rhs flux riemann flux/' "$root/scripts/shock-demo.rc" >renamed.rc
# shellcheck disable=SC2086
run 0 ccafe --measure -o renamed.mm -D FLUX=HLLCFlux $small renamed.rc
run 0 mastermind choose Godunov.mm renamed.mm --write best.rc --require 'oddeven_m6 >= .4'
holds out "choice: HLLCFlux "
holds best.rc "instantiate HLLCFlux flux"
run 0 ccafe check best.rc
finish
