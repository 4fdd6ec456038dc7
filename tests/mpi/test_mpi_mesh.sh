#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The shock on 1 to 4 ranks: the same field, bit for bit, whatever the cut into patches; the same
# picture; the same measured calls, in one experiment.
. "$(dirname "$0")/../lib/mpi.sh"
mkdir classes && ln -s "$O"/tests/components/sh_field_dump.so classes
ccafe="ccafe --path $dir/classes"

# shock.rc, smaller
sed -e 's/FieldImage  *image/$OUT image/' -e 's/shock.png/$FILE/' \
    -e 's/config patch_nx .*/config patches_x $PX/' -e 's/config patch_ny .*/config patches_y $PY/' \
    -e 's/nx       256/nx 48/' -e 's/ny       64/ny 12/' -e 's/t_end    1/t_end .2/' \
    "$root/scripts/shock.rc" >shock.rc
grep -q 'patches_x \$PX' shock.rc && grep -q 'nx 48' shock.rc || fail "the script has changed"

# shock RANKS PX PY FILE OPTIONS...
shock() {
    local n=$1 px=$2 py=$3 file=$4
    shift 4
    ranks 0 "$n" $ccafe "$@" -D OUT=${class:-FieldDump} -D PX="$px" -D PY="$py" -D FILE="$file" shock.rc
}

ccafe --path "$dir/classes" -D OUT=FieldDump -D PX=1 -D PY=1 -D FILE=alone.dump shock.rc >alone.out ||
    fail "alone"
ccafe -D OUT=FieldImage -D PX=1 -D PY=1 -D FILE=alone.png shock.rc >/dev/null || fail "a picture alone"

meshes() {
    cp ../shock.rc ../alone.* .
    for run in '1 3 2' '2 1 1' '4 3 1' '4 6 3' ${SOAK:+'2 2 1' '3 4 2'}; do # 3 4 2 is measured below
        set -- $run
        rm -f field.dump
        shock $1 $2 $3 field.dump
        cmp -s alone.dump field.dump || fail "$flavour: $1 ranks, $2 x $3 patches: another field"
        cmp -s alone.out out || fail "$flavour: $1 ranks, $2 x $3 patches print $(cat out)"
    done
    rm -f field.png
    class=FieldImage shock 3 4 2 field.png
    cmp -s alone.png field.png || fail "$flavour: another picture"

    # Measured: each rank does its patches, and the reader takes all ranks.
    shock 3 4 2 field.dump --measure --experiment run.mm
    cmp -s alone.dump field.dump || fail "$flavour: measured, another field"
    [ "$(ls run.mm | tr '\n' ' ')" = 'experiment.json rank-0000 rank-0001 rank-0002 wiring.json ' ] ||
        fail "$flavour: in the experiment: $(ls run.mm)"
    holds err "experiment run.mm, ranks 0 to 2: "
    [ "$(grep -c '^experiment' err)" -le 2 ] || fail "$flavour: not only rank 0 speaks: $(cat err)"
    mastermind report --json run.mm >report.json 2>report.err || fail "report: $(cat report.err)"
    mastermind records --csv run.mm >records.csv || fail "records"
    python3 - <<'PY' || fail "$flavour: calls over ranks"
import csv, json, collections
rows = list(csv.DictReader(open("records.csv")))
count = collections.Counter((int(r["rank"]), r["instance"] + "." + r["method"]) for r in rows)
steps = count[0, "rk2.advance"]
patches = {0: 2, 1: 3, 2: 3}
for rank in range(3):
    assert count[rank, "driver.go"] == 1, count
    assert count[rank, "rk2.advance"] == steps > 5
    assert count[rank, "mesh.exchange"] == 2 * steps
    assert count[rank, "rhs.evaluate"] == 2 * steps * patches[rank], (rank, count)
report = json.load(open("report.json"))
assert report["finished"] is True
assert report.get("ranks", 3) == 3
total = sum(m["calls"] for m in report["methods"])
assert total == len(rows), (total, len(rows))
PY
    # Nobody's experiment is touched.
    ranks 2 2 $ccafe --measure --experiment run.mm -D OUT=FieldDump -D PX=1 -D PY=1 \
        -D FILE=field.dump shock.rc
    holds err "--experiment 'run.mm' exists already and is not empty"
    # A name that the ranks find themselves.
    mkdir numbered && cd numbered && cp ../shock.rc .
    for n in 1 2; do
        shock 2 2 1 field.dump --measure
        [ -d shock-$n.mm/rank-0001 ] && [ ! -d shock-$n.mm/rank-0002 ] || fail "$flavour: shock-$n.mm: $(ls)"
    done
    cd ..

    # A field that goes bad: whoever has such a cell says so, and all end.
    sed -e 's/config mach .*/config mach 1000/' -e '/^go/i parameter driver config cfl 1' \
        -e '/^go/i parameter rk2 config stages 1' -e '/^go/i parameter gas config gamma 1.01' \
        shock.rc >bad.rc
    ranks 4 3 $ccafe -D OUT=FieldDump -D PX=4 -D PY=2 -D FILE=field.dump bad.rc
    grep -q '^rank' err && grep -q 'density or pressure is not positive' err || fail "$flavour: $(cat err)"
}
under_each meshes "the shock on ranks"
