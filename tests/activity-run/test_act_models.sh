#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Costs of model("..") come from experiments and repositories: totals against the law that made the samples, in as many
# of 20 sets of samples as the interval says; another class and size; what is missing is named.
. "$(dirname "$0")/../lib/lib.sh"

# --- Samples of a law: (5 + .02 Q) us along axis 0, (5 + .04 Q) us along axis 1; class Fast takes half of it.
cat >samples.py <<'END'
import random, sys
seed, half = int(sys.argv[1]), sys.argv[2]
random.seed(seed)
print("t,method,class,Q,axis")
for q in (100, 200, 400, 800, 1600, 3200):
    for axis in (0, 1):
        for k in range(10):
            t = (5 + (.02, .04)[axis] * q) * (.5 if half == "Fast" else 1) * random.gauss(1, .03)
            print(f"{t:.7g},flux.flux.compute,{half},{q},{axis}")
for k in range(20):
    print(f"{7 * random.gauss(1, .02):.7g},mesh.mesh.size,Mesh,,")
END
for seed in $(seq 1 20); do
    python3 samples.py "$seed" Slow >s.csv
    mastermind import csv s.csv --time t:us --method-column method --class-column class --params Q --modes axis -o "slow-$seed.mm" \
        >/dev/null 2>&1 || fail "import $seed"
done
python3 samples.py 99 Fast >s.csv
mastermind import csv s.csv --time t:us --method-column method --class-column class --params Q --modes axis -o fast.mm >/dev/null 2>&1

cat >steps.act <<'END'
model steps
global long NX = 40
global long STEPS = 100
activity Main {
  loop i = 1..STEPS {
    call Sweep
  }
}
activity Sweep method "rk2.rk2.advance" {
  action X method "flux.flux.compute" cost model("flux.flux.compute", axis = 0, Q = NX*NX)
  action Y method "flux.flux.compute" cost model("flux.flux.compute", Q = NX*NX, axis = 1)
  action S method "mesh.mesh.size" cost model("mesh.mesh.size")
}
END

# --- The law, and how often the interval has it
held=0
for seed in $(seq 1 20); do
    activity run steps.act --interpret --json --models "slow-$seed.mm" >"o-$seed.json" 2>err || fail "run $seed"
    python3 - "o-$seed.json" <<'END' && held=$((held + 1))
import json, sys
run = json.load(open(sys.argv[1]))["runs"][0]
truth = 100 * (10 + .06 * 1600 + 7) * 1e-6
assert abs(run["total_s"] - truth) < .03 * truth, run["total_s"]
low, high = run["interval"]["low_s"], run["interval"]["high_s"]
assert low < run["total_s"] < high and high - low < .2 * truth
sys.exit(not low <= truth <= high)
END
done
[ $held -ge 17 ] || fail "the 95 % interval had the law in $held of 20"

# --- Compiled and interpreted; several experiments; another size is extrapolated, and told
run 0 activity run steps.act --models slow-1.mm slow-2.mm --interpret --elements
grep -v operations out >interpreted
run 0 activity run steps.act --models slow-1.mm slow-2.mm --elements
holds out '(0.011'
grep -v operations out | cmp - interpreted || fail "compiled is not interpreted"
run 0 activity run steps.act --models slow-1.mm --set NX=80
holds err 'note: Slow flux.flux.compute, axis 0: Q = 6400 is extrapolated, 2 times beyond the sizes measured, 100 to 3200'

# --- A class exchanged: half the cost
run 0 activity run steps.act --models slow-1.mm fast.mm --class flux=Fast --json -o fast-run.mm
fits activity-run out
python3 - <<'END' || fail "the class Fast"
import json
run = json.load(open("out"))["runs"][0]
truth = 100 * (5 + .03 * 1600 + 7) * 1e-6
assert abs(run["total_s"] - truth) < .02 * truth
END
run 0 mastermind records fast-run.mm
[ "$(grep -c ',flux,flux,compute,Fast,' out)" = 200 ] || fail "200 rows of class Fast"
run 0 mastermind model fast-run.mm
holds out 'flux.flux.compute   Fast   200 invocations'
run 0 mastermind records fast-run.mm
equal "its parameters" 2 "$(head -3 out | grep -c 'done,1600,[01],')"
run 3 activity run steps.act --models slow-1.mm fast.mm
equal "what it says" "activity: steps.act:10:44: found classes Slow and Fast of 'flux' in the experiments, expected one: type \"Slow\", or --class flux=Slow" "$(cat err)"
sed 's/action X/action X type "Fast"/' steps.act >typed.act
run 0 activity run typed.act --models slow-1.mm fast.mm

# --- A repository
run 0 mastermind model slow-1.mm --save kept
run 0 activity run steps.act --models kept --class flux=Slow --class mesh=Mesh
run 3 activity run steps.act --models kept
holds err "found no instance 'flux' in experiments, expected type \"CLASS\" or --class flux=CLASS, one of Slow"

# --- What is missing
run 4 activity run steps.act
holds err 'activity: steps.act:10:44: a model of which no experiment was given (X, process 0)'
sed 's/"flux.flux.compute", axis = 0/"flux.flux.comptue", axis = 0/' steps.act >bad.act
run 3 activity run bad.act --models slow-1.mm
equal "what it says" "activity: bad.act:10:44: found no model of 'flux.flux.comptue', expected a method of the experiments or repositories; did you mean 'flux.flux.compute'?" "$(cat err)"
sed 's/axis = 0/axes = 0/' steps.act >bad.act
run 3 activity run bad.act --models slow-1.mm
equal "what it says" "activity: bad.act:10:44: found the parameter 'axes', expected those of flux.flux.compute: Q, axis" "$(cat err)"
sed 's/axis = 0, Q = NX.NX/axis = 0/' steps.act >bad.act
run 3 activity run bad.act --models slow-1.mm
equal "what it says" "activity: bad.act:10:44: found no 'Q' of flux.flux.compute, expected Q, axis" "$(cat err)"
sed 's/axis = 0/axis = 2/' steps.act >bad.act
for how in --interpret --deadline=60; do
    run 4 activity run bad.act --models slow-1.mm $how
    equal "what it says" "activity: bad.act:10:44: no model of flux.flux.compute for axis 2 (measured: axis 0; axis 1) (X, process 0)" "$(cat err)"
done
run 3 activity run steps.act --models nothing.mm
run 2 activity run steps.act slow-1.mm
run 2 activity run steps.act --models slow-1.mm --class flux
run 3 activity run steps.act --models slow-1.mm --metric NOISE
finish "the interval had the law in $held of 20"
