#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# `mastermind whatif --run`: runs with delays and with other classes, beside a truth that is known: the work of each call is a
# number of steps of one loop.
. "$(dirname "$0")/../lib/lib.sh"
skip_sanitized "costs are those of the sanitizer"
flavour=openmpi
[ -e "$O/lib/libcca_openmpi.so" ] || flavour=mpich
[ -e "$O/tests/components/$flavour/mp_burner.so" ] || skip "no MPI in this build"
mkdir classes && cp "$O/tests/components/$flavour/mp_burner.so" "$components/me_stepper.so" classes
cat >phases.rc <<'RC'
path append classes
instantiate Burner a
instantiate Burner b
instantiate Burner c
instantiate Stepper driver
connect driver a a flux
connect driver b b flux
connect driver c c flux
parameter a config on 0
parameter b config on $ON
parameter c config waits true
parameter driver config steps 80
parameter driver config nx_a $A
parameter driver config nx_b $B
go driver go
quit
RC
# value EXPRESSION: of the document in what.json
value() { python3 -c "import json; d = json.load(open('what.json')); print($1)"; }

# --- Two methods with half of the work each
one_rank() {
    rm -rf one.mm
    run 0 ccafe --measure --experiment one.mm -D A=100 -D B=100 -D ON=0 phases.rc
    for case in "a.flux.compute=-50% -.25" "b.flux.compute=+60% .3"; do
        # shellcheck disable=SC2086
        set -- $case
        mastermind whatif one.mm "$1" --run --beside --pairs 3 --json >what.json 2>err || fail "$1"
        python3 - "$2" <<'P' || fail "$1: by delays"
import json, sys
d, truth = json.load(open("what.json")), float(sys.argv[1])
model, found = d["change_s"] / d["base_total_s"], d["by_delays"]["change"]
assert abs(found - truth) < .03 and abs(model - truth) < .03 and d["by_delays"]["pairs"] == 3, (truth, model, found)
P
    done
}
at_best one_rank
fits whatif what.json

# --- Delays on ranks: rank 1 computes b while rank 0 computes a, and both wait; all but a is stretched
on_ranks() {
    rm -rf two.mm
    MASTERMIND_DELAYS=a.flux.compute=0.5 LD_PRELOAD=$O/tests/lib/yield.so \
        run 0 "$root/tests/lib/mpirun.sh" "$flavour" 2 ccafe --measure --experiment two.mm -D A=100 -D B=75 -D ON=1 \
        --set driver.config.steps=60 phases.rc
    mastermind report two.mm --json >what.json 2>err
    python3 - <<'P' || fail "delays on ranks"
import json
own = {m["name"]: m["exclusive_ns"] for m in json.load(open("what.json"))["methods"]}
ratio = own["b.flux.compute"] / own["a.flux.compute"]
assert 1.1 < ratio < 2, ratio # .75 without delays, 1.5 with them; cores of two paces
P
}
at_best on_ranks
mastermind model two.mm >out 2>err
grep -q "calls were delayed, as of mastermind whatif --run: costs are not those of the program" out err || fail "no note"

# --- Another class, and results that stay
shock=(-D NX=64 -D NY=16 -D PATCH=16 -D T_END=.1 -D PICTURE="$dir/picture.png" "$root/scripts/shock-demo.rc")
run 0 ccafe --measure --experiment hllc.mm -D FLUX=HLLCFlux "${shock[@]}"
run 0 ccafe --measure --experiment efm.mm -D FLUX=EFMFlux "${shock[@]}"
cp picture.png plain.png
MASTERMIND_DELAYS=flux.flux.compute=.3 run 0 ccafe --measure --experiment slow.mm -D FLUX=EFMFlux "${shock[@]}"
cmp -s picture.png plain.png || fail "delays changed a result"
expect 0 "by the swap flux=HLLCFlux: " mastermind whatif efm.mm hllc.mm flux.flux.compute=HLLCFlux --run --pairs 1
mastermind predict efm.mm hllc.mm --set flux=HLLCFlux --json >predict.json 2>err
mastermind whatif efm.mm hllc.mm flux.flux.compute=HLLCFlux --json >what.json 2>err
python3 - <<'P' || fail "the class's cost"
import json
what, predict = (json.load(open(f)) for f in ("what.json", "predict.json"))
then = what["changes"][0]["then_s"]
other = next(m for m in predict["parts"] if m["name"] == "flux.flux.compute")
assert abs(then / other["predicted_s"] - 1) < 1e-6, (then, other)
P

# --- Mistakes, one line each
refuse() { # STATUS LINE ARGUMENTS...
    expect "$1" "mastermind: $2" mastermind whatif efm.mm "${@:3}"
    equal "lines: ${*:3}" 1 "$(wc -l <err)"
}
refuse 2 "--run proves a change: give METHOD=CHANGE" --run
refuse 2 "flux.flux.compute: runs can show at most 95 % less, by 20 times the length" flux.flux.compute=-99% --run
refuse 2 "--run: give the command of the run after --, with the word ccafe" flux.flux.compute=-9% --run -- true
refuse 4 "a run failed with status 5: cannot read script 'none.rc'" flux.flux.compute=-9% --run -- ccafe none.rc
refuse 3 "the run has made no delays" flux.flux.compute=-9% --run -- env -u MASTERMIND_DELAYS ccafe --measure -D FLUX=EFMFlux "${shock[@]}"
MASTERMIND_DELAYS=a.b.c=0 expect 4 "'a.b.c=0' in MASTERMIND_DELAYS, expected METHOD=FACTOR with a factor of at least 0.05" \
    ccafe --measure --experiment wrong.mm -D FLUX=EFMFlux "${shock[@]}"
finish
