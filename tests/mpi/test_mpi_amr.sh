#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The shock on an adaptive mesh of three levels on 1 to 4 ranks: the same patches and the same
# fields on all levels, bit for bit, whatever the cut into patches and whoever owns them.
. "$(dirname "$0")/../lib/mpi.sh"
mkdir classes && ln -s "$O"/tests/components/sh_amr_driver.so classes

# shock.rc, on AMRMesh
sed -e '/^instantiate RK2/a instantiate $GHOSTS ghosts\ninstantiate ProlongRestrict icc' \
    -e '/^connect rk2 *mesh/a connect mesh ghosts ghosts ghosts\nconnect mesh prolong_restrict icc prolong_restrict' \
    -e '/FieldImage/d' -e '/ image /d' -e '/^parameter image/d' -e 's/UniformMesh/AMRMesh/' -e 's/ShockDriver/AmrDriver/' \
    -e 's/config patch_nx .*/config patch_nx $PATCH/' -e 's/config patch_ny .*/config patch_ny $PATCH/' \
    -e 's/nx       256/nx 40/' -e 's/ny       64/ny 12/' -e 's/t_end    1/t_end 10/' \
    -e '/^go/i parameter driver config steps 12' -e '/^go/i parameter driver config file $FILE' \
    -e '/^go/i parameter driver config adopt_at 7' -e '/^go/i parameter mesh config patches_x $PX' -e '/^go/i parameter mesh config balance $BALANCE' \
    -e '/^go/i parameter boundary config xlo $X\nparameter boundary config xhi $X' \
    "$root/scripts/shock.rc" >amr.rc
grep -q 'AmrDriver' amr.rc && grep -q 'nx 40' amr.rc && grep -q 'patch_nx $PATCH' amr.rc || fail "the script has changed"

for x in outflow periodic; do
    for patch in 0 8; do
        ccafe --path "$dir/classes" -D GHOSTS=GhostsPerNeighbour -D PATCH=$patch -D PX=1 -D BALANCE=never -D X=$x -D FILE=alone-$x-$patch.dump amr.rc \
            >alone-$x-$patch.out || fail "alone, $x, $patch"
    done
    cmp -s alone-$x-0.dump alone-$x-8.dump || fail "$x: cut patches, another field"
    ! cmp -s alone-$x-0.out alone-$x-8.out || fail "$x: the patches are not cut"
done

meshes() {
    cp ../amr.rc .
    # ranks, patches of level 0 in x, cells of a patch, redistributions, borders, messages
    # for each patch or neighbour
    for run in '2 1 8 every:3 periodic Neighbour' '1 1 8 never outflow Patch' '4 2 0 never outflow Patch' \
        ${SOAK:+'2 1 0 never outflow Neighbour' '4 2 0 every:5,above:1.2 periodic Patch' '3 5 8 at:4 outflow Neighbour'}; do
        set -- $run
        [ $4 != never ] || turn || continue
        rm -f field.dump
        ranks 0 $1 ccafe --path "$dir/classes" -D GHOSTS=GhostsPer$6 -D PX=$2 -D PATCH=$3 -D BALANCE=$4 -D X=$5 -D FILE=field.dump amr.rc
        cmp -s ../alone-$5-$3.dump field.dump || fail "$flavour: $run: another field"
        [ $2 != 1 ] || cmp -s ../alone-$5-$3.out out || fail "$flavour: $run: other patches: $(diff ../alone-$5-$3.out out)"
        [ $4 = never ] || grep -q '^moves [1-9]' err || fail "$flavour: $run: nothing has moved: $(cat err)"
    done
    turn || return 0
    # Measured: the out-parameters are in the rows.
    for class in GhostsPerNeighbour GhostsPerPatch; do
        ranks 0 3 ccafe --path "$dir/classes" --measure --experiment $class.mm -D GHOSTS=$class -D PX=4 -D PATCH=8 \
            -D BALANCE=every:4 -D X=outflow -D FILE=field.dump amr.rc
        cmp -s ../alone-outflow-8.dump field.dump || fail "$flavour: $class, measured, another field"
        mastermind records --csv $class.mm >$class.csv || fail "records"
    done
    python3 - <<'PY' || fail "$flavour: rows of the mesh"
import csv
def read(name):
    rows = list(csv.DictReader(open(name)))
    def values(instance, method, value):
        return [int(r[value]) for r in rows if r["instance"] == instance and r["method"] == method and r[value]]
    assert len(values("mesh", "balance", "o.moved")) == 3 * 12
    assert sum(values("mesh", "balance", "o.moved")) > 0
    assert len(values("mesh", "regrid", "o.moved")) >= 3 * 5
    exchanged = values("mesh", "exchange", "o.bytes")
    assert len(exchanged) == 3 * 12 * 7 * 2, len(exchanged)   # L0 L1 L2 L2 L1 L2 L2, two stages
    assert min(values("mesh", "exchange", "o.cells")) >= 0 and max(values("mesh", "exchange", "o.peers")) == 2
    # Each byte is sent by one rank and received by another, and so is each message.
    assert sum(exchanged) > 0 and sum(exchanged) % 80 == 0
    for value in "bytes", "messages", "peers":
        assert sum(values("ghosts", "finish", "o." + value)) % 2 == 0
    assert len(values("icc", "prolong", "p.cells")) > 0 and len(values("icc", "restrict_cells", "p.Q")) > 0
    return {v: values("ghosts", "finish", "o." + v) for v in ("bytes", "messages", "peers", "cells")}
neighbour, patch = read("GhostsPerNeighbour.csv"), read("GhostsPerPatch.csv")
for value in "bytes", "peers", "cells":
    assert sorted(neighbour[value]) == sorted(patch[value]), value
# One message to each neighbour and one from it at most; more for pairs of patches.
assert all(m <= 2 * p for m, p in zip(neighbour["messages"], neighbour["peers"]))
assert sum(patch["messages"]) > 2 * sum(neighbour["messages"])
PY
}
under_each meshes "the adaptive mesh on ranks"
