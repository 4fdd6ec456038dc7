#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Balancer in the shock scripts: fields have the same bits as without it; ranks have the work that a
# schedule gives them, counted here; what mastermind balance predicts for a policy comes true; wrong
# schedules and policies are named, and nobody hangs.
# lane: agents, its runs have names in /dev/shm
. "$(dirname "$0")/../lib/mpi.sh"
mkdir classes && ln -s "$O"/tests/components/sh_field_dump.so classes
ccafe="ccafe --path $dir/classes"

sed -e 's/FieldImage  *image/FieldDump image/' -e 's/shock.png/field.dump/' -e 's/GodunovFlux/$FLUX/' \
    -e 's/config patch_nx .*/config patches_x 24/' -e 's/config patch_ny .*/config patches_y 6/' \
    -e 's/nx       256/nx 48/' -e 's/ny       64/ny 12/' -e 's/t_end    1/t_end .12/' \
    "$root/scripts/shock.rc" >plain.rc
sed -e 's/FieldImage  *image/FieldDump image/' "$root/scripts/shock-amr.rc" >plain-amr.rc
for script in plain plain-amr; do
    sed -e '/^instantiate ShockDriver/a instantiate Balancer balancer' \
        -e '/^connect driver *mesh/a connect mesh balance balancer balance\nconnect rk2 probe balancer watch\nconnect flux probe balancer watch' \
        -e '/^go/i parameter balancer config report report.csv\nparameter balancer config schedule "$SCHEDULE"\nparameter balancer config policy $POLICY\nparameter balancer config every $EVERY\nparameter balancer config weight $WEIGHT\nparameter balancer config price .02x' \
        $script.rc >balanced${script#plain}.rc
    sed '/^connect flux *probe/d' balanced${script#plain}.rc >quiet${script#plain}.rc # of a flux that counts nothing
    [ "$(grep -c 'connect.*balancer' balanced${script#plain}.rc)" = 3 ] || fail "the script has changed"
done
amr='-D FLUX=GodunovScalar -D STATES=States -D NX=48 -D NY=12 -D LEVELS=3 -D PATCH=8 -D BALANCE=never
     -D T_END=0.06 -D PICTURE=field.dump -D GHOSTS=GhostsPerPatch'
export MM_MESH_SLOTS=16 # a slot for each step: none is lost while the agents start
for flux in EFMFlux GodunovScalar; do
    $ccafe -D FLUX=$flux --cells work -o work-$flux.mm plain.rc >alone-$flux.out 2>&1 && mv field.dump $flux.dump ||
        fail "alone: $(cat alone-$flux.out)"
done
$ccafe $amr plain-amr.rc >alone-amr.out 2>&1 && mv field.dump amr.dump || fail "adaptive, alone"

# Three parts by whole patches of 4 x 2 cells, other ones from step 4 on.
python3 - <<'PY'
import json
def owners(step):
    return [((i // 4 + (j // 2) * 5 + step) * 7 // 3) % 3 if i < 40 else 2 for j in range(12) for i in range(48)]
def runs(values):
    out = []
    for v in values:
        if out and out[-1][0] == v: out[-1][1] += 1
        else: out.append([v, 1])
    return out
steps = [{"step": s, "runs": runs(owners(s))} for s in (0, 4)]
json.dump({"mastermind": "mesh schedule", "version": 1, "shape": [12, 48], "levels": 1, "parts": 3, "steps": steps},
          open("hand.json", "w"))
# Two stages, of which each gives 2 to a cell.
with open("hand.expected", "w") as f:
    for step in range(8):
        for rank in range(3):
            print(step, rank, 4 * owners(0 if step < 4 else 4).count(rank), sep=",", file=f)
PY

# balanced RANKS SCRIPT DUMP SCHEDULE POLICY EVERY WEIGHT OPTIONS...
balanced() {
    local n=$1 script=$2 dump=$3
    rm -f field.dump report.csv
    ranks 0 "$n" $ccafe -D SCHEDULE="$4" -D POLICY="$5" -D EVERY="$6" -D WEIGHT="$7" "${@:8}" ../$script.rc
    cmp -s ../$dump.dump field.dump || fail "$flavour: $n ranks, $script, $*: another field"
}

# predicted EXPERIMENT RANKS POLICY PERCENT: from step 3 on the work of the busiest rank over that of the mean,
# summed over steps, is what mastermind balance says within so much (patches have 2 x 2 cells)
predicted() {
    mastermind balance ../$1 --parts $2 --lag 1 --price .02x --move 0 --policy $3 --csv >predicted.csv ||
        fail "$flavour: balance $1"
    python3 - $4 <<'PY' || fail "$flavour: $*: other loads than predicted"
import csv, sys
loads = {}
for row in csv.DictReader(open("report.csv")):
    loads.setdefault(int(row["step"]), []).append(int(row["work"]))
    assert int(row["cpu_ns"]) >= 0 and int(row["move_ns"]) >= 0
said = {int(r["step"]): r for r in csv.DictReader(open("predicted.csv"))}
steps = [s for s in loads if s >= 3] # the first partition of a run knows no weights
found = sum(max(loads[s]) for s in steps) / sum(sum(loads[s]) / len(loads[s]) for s in steps)
wanted = sum(float(said[s]["largest"]) for s in steps) / sum(float(said[s]["mean"]) for s in steps)
print("found", found, "predicted", wanted)
assert abs(found - wanted) < float(sys.argv[1]) / 100 * wanted and len(steps) > 6, (found, wanted)
PY
}

# Schedules, policies and files that are wrong; under one MPI.
wrong() {
    echo '{"shape": [12, 48]' >torn.json
    sed 's/"shape": .12, 48./"shape": [48, 12]/' ../hand.json >shape.json
    sed 's/"parts": 3/"parts": 4/' ../hand.json >parts.json
    for file in torn shape parts none; do
        ranks bad 3 $ccafe -D FLUX=EFMFlux -D SCHEDULE=$file.json -D POLICY=never -D EVERY=1 -D WEIGHT=work ../quiet.rc
        grep -q "$file.json" err || fail "$flavour: $file.json: $(cat err)"
    done
    for policy in oracle sometimes fixed:0; do
        ranks bad 2 $ccafe -D FLUX=EFMFlux -D SCHEDULE= -D POLICY=$policy -D EVERY=1 -D WEIGHT=work ../quiet.rc
        grep -q "$policy" err || fail "$flavour: $policy: $(cat err)"
    done
    sed '/connect rk2 *probe/d' ../quiet.rc >blind.rc
    ranks bad 2 $ccafe -D FLUX=EFMFlux -D SCHEDULE= -D POLICY=each -D EVERY=1 -D WEIGHT=work blind.rc
    grep -q "no weights came through the port 'watch'" err || fail "$flavour: no watch: $(cat err)"
    mkdir -p report.csv.d && sed 's/config report report.csv/config report report.csv.d/' ../quiet.rc >folder.rc
    ranks bad 2 $ccafe -D FLUX=EFMFlux -D SCHEDULE= -D POLICY=each -D EVERY=1 -D WEIGHT=work folder.rc
    grep -q "report.csv.d" err || fail "$flavour: no report: $(cat err)"
}

by_schedule() {
    balanced 3 quiet EFMFlux ../hand.json never 1 work -D FLUX=EFMFlux
    sed -n 2,25p report.csv | cut -d, -f1-3 | cmp -s - ../hand.expected ||
        fail "$flavour: by schedule: $(head -12 report.csv) $(cat ../hand.expected)"
    balanced 2 balanced GodunovScalar '' fixed:3 1 work -D FLUX=GodunovScalar
    predicted work-GodunovScalar.mm 2 fixed:3 8
    balanced 3 balanced-amr amr '' expect 2 time $amr
}

by_policy() {
    balanced 4 balanced GodunovScalar '' each 1 work -D FLUX=GodunovScalar
    predicted work-GodunovScalar.mm 4 each 15
    balanced 4 balanced GodunovScalar '' loss 1 cells -D FLUX=GodunovScalar
    balanced 2 balanced-amr amr '' each 1 work $amr
    [ -z "${SOAK-}" ] || balanced 1 balanced-amr amr '' each 1 work $amr
}

# Starting ranks takes most of the time: with two flavours each does a part, all with SOAK set.
balancer() {
    local whole=1
    [ -z "${SOAK-}" ] && [ "$flavours" = " openmpi mpich" ] && whole=
    [ -z "$whole" ] && [ "$flavour" = mpich ] || by_schedule
    [ -z "$whole" ] && [ "$flavour" = openmpi ] || by_policy
    [ "$flavour" != "${flavours##* }" ] || wrong
}
under_each balancer "Balancer"
