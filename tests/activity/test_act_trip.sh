#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# From a measured run to a model and back: the simulated dual has each vertex, edge and count of the measured one; costs
# add up to the measured sums; the text is short; of the adaptive mesh, too, and of several ranks.
. "$(dirname "$0")/../lib/lib.sh"

scripts=$root/scripts
here=$root/tests/activity
export CCA_LIB=$O/components

measure() { # NAME SCRIPT DEFINITIONS...
    local name=$1 script=$2
    shift 2
    ccafe --measure --experiment "$name.mm" "${@/#/-D}" "$scripts/$script" >out 2>err || fail "measure $name"
}

# trip NAME RANKS OPTIONS...: there and back; the ratio of sums in `ratio`
trip() {
    local name=$1 ranks=$2
    shift 2
    rm -rf sim.mm
    mastermind activity "$name.mm" "$@" -o "$name.act" >out 2>err || fail "activity $name"
    activity print "$name.act" --as text >again.act 2>err || fail "print $name"
    cmp -s "$name.act" again.act || fail "$name.act is not as printed"
    models=()
    [[ " $* " == *" --means "* ]] || models=(--models "$name.mm")
    activity run "$name.act" --interpret --config "N1P$ranks" "${models[@]}" -o sim.mm >out 2>err || fail "run $name"
    ratio=$(python3 "$here/duals.py" "$name.mm" sim.mm 10 2>err) || fail "duals of $name"
}

near() { # RATIO BOUND
    python3 -c "import sys; sys.exit(not abs($1 - 1) <= $2)" || fail "$3: sums are $1 of the measured ones"
}

below() { # RATIO: models leave out what the host took from calls
    python3 -c "import sys; sys.exit(not .05 < $1 < 1.1)" || fail "$2: sums are $1 of the measured ones"
}

# --- A uniform mesh: short, no table
measure uniform shock-demo.rc FLUX=EFMFlux NX=64 NY=16 PATCH=16 T_END=.3 PICTURE=
trip uniform 1 --means
near "$ratio" .0001 uniform
[ "$(wc -l <uniform.act)" -le 60 ] || fail "$(wc -l <uniform.act) lines"
! grep -q '^table' uniform.act || fail "a table"
trip uniform 1
below "$ratio" "uniform, models"
[ "$(wc -l <uniform.act)" -le 60 ] || fail "$(wc -l <uniform.act) lines with models"

# --- Patches of several sizes: costs by turn
measure uneven shock-demo.rc FLUX=GodunovFlux NX=62 NY=20 PATCH=16 T_END=.1 PICTURE=
trip uneven 1 --means
near "$ratio" .0001 uneven
grep -q '^table double' uneven.act || fail "no table of costs"
[ "$(wc -l <uneven.act)" -le 100 ] || fail "$(wc -l <uneven.act) lines"

# --- An adaptive mesh: counts are tables
measure adaptive shock-amr.rc FLUX=EFMFlux STATES=States NX=32 NY=8 LEVELS=3 PATCH=8 GHOSTS=GhostsPerNeighbour \
    BALANCE=never T_END=.3 PICTURE=
trip adaptive 1 --means
near "$ratio" .01 adaptive
trip adaptive 1
below "$ratio" "adaptive, models"

# --- Several sizes: counts are laws. Steps follow the solution, patches at the border those of the runs.
for n in 32 48 64; do
    measure "n$n" shock-demo.rc FLUX=EFMFlux NX=$n NY=$((n / 4)) PATCH=8 T_END=.5 PICTURE=
done
measure truth shock-demo.rc FLUX=EFMFlux NX=128 NY=32 PATCH=8 T_END=.5 PICTURE=
sizes=(n32.mm n48.mm n64.mm)
run 0 mastermind activity "${sizes[@]}" -o laws.act
grep -q '^cost nFill() = ceil(NX/PATCH)\*ceil(NY/PATCH)$' laws.act || fail "no law of patches"
[ "$(wc -l <laws.act)" -le 100 ] || fail "$(wc -l <laws.act) lines of laws"
rm -rf sim.mm
run 0 activity run laws.act --interpret --set NX=128 --set NY=32 --models "${sizes[@]}" -o sim.mm
ratio=$(python3 "$here/duals.py" truth.mm sim.mm 10 boundary.boundary.apply 2>err) || fail "duals of laws"
run 0 activity run laws.act --interpret --models "${sizes[@]}" -o base.mm
python3 "$here/duals.py" n32.mm base.mm 10 >out 2>err || fail "laws have their own base"

# --- What is wrong
expect 2 "activity takes experiments" mastermind activity
expect 2 "expected letters" mastermind activity uniform.mm --name 9
expect 3 "nowhere.mm" mastermind activity nowhere.mm

finish
