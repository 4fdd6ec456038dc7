#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Fields have the same bits whoever has which patch: random owners at random steps, a uniform and an
# adaptive mesh, 1 to 4 ranks; wrong answers of a balance port are named, once, and nobody hangs.
. "$(dirname "$0")/../lib/mpi.sh"
mkdir classes && ln -s "$O"/tests/components/{sh_field_dump,mesh/sh_shuffler}.so classes
ccafe="ccafe --path $dir/classes"

# A script and its twin with a Shuffler.
sed -e 's/FieldImage  *image/FieldDump image/' -e 's/shock.png/field.dump/' \
    -e 's/config patch_nx .*/config patches_x 5/' -e 's/config patch_ny .*/config patches_y 3/' \
    -e 's/nx       256/nx 48/' -e 's/ny       64/ny 12/' -e 's/t_end    1/t_end .2/' \
    "$root/scripts/shock.rc" >plain.rc
sed -e 's/FieldImage  *image/FieldDump image/' "$root/scripts/shock-amr.rc" >plain-amr.rc
for script in plain plain-amr; do
    sed -e '/^instantiate ShockDriver/a instantiate Shuffler shuffler' \
        -e '/^connect driver *mesh/a connect mesh balance shuffler balance' \
        -e '/^go/i parameter shuffler config seed $SEED\nparameter shuffler config every $EVERY\nparameter shuffler config fault $FAULT' \
        $script.rc >shuffled${script#plain}.rc
    grep -q 'connect mesh balance' shuffled${script#plain}.rc || fail "the script has changed"
done
amr='-D FLUX=HLLCFlux -D STATES=States -D NX=48 -D NY=12 -D LEVELS=3 -D PATCH=8 -D BALANCE=never
     -D T_END=0.04 -D PICTURE=field.dump -D GHOSTS=GhostsPerPatch'
$ccafe plain.rc >alone.out && mv field.dump alone.dump || fail "alone"
$ccafe $amr plain-amr.rc >alone-amr.out && mv field.dump alone-amr.dump || fail "adaptive, alone"

# shuffled RANKS SEED EVERY '' | -amr OPTIONS...
shuffled() {
    local n=$1 seed=$2 every=$3 amr=$4
    shift 4
    rm -f field.dump
    ranks 0 "$n" $ccafe "$@" -D SEED="$seed" -D EVERY="$every" -D FAULT=none ../shuffled$amr.rc
    cmp -s ../alone$amr.dump field.dump || fail "$flavour: $n ranks, seed $seed$amr: another field"
    cmp -s <(grep -v '^all levels\|^level' ../alone$amr.out) <(grep -v '^all levels\|^level' out) ||
        fail "$flavour: $n ranks, seed $seed$amr: prints $(diff ../alone$amr.out out)"
    [ "$n" = 1 ] || [ "$(sed -n 's/^moved \([0-9]*\) times/\1/p' err)" -gt 1 ] ||
        fail "$flavour: $n ranks, seed $seed$amr: nothing has moved: $(cat err)"
}

owners() {
    local seeds='1' seed fault whole=1
    # Starting ranks takes most of the time: with two flavours each does a part, all with SOAK set.
    [ -z "${SOAK-}" ] && [ "$flavours" = " openmpi mpich" ] && whole=
    [ -n "${SOAK-}" ] && seeds='1 2 3 4 5 6 7 8'
    for seed in $seeds; do
        [ "$flavour" = mpich ] && [ -z "${SOAK-}" ] && seed=2
        if [ "$flavour" = mpich ] || [ -n "$whole" ]; then
            shuffled 4 "$seed" 2 ''
            shuffled 3 "$seed" 1 -amr $amr
        fi
        if [ "$flavour" = openmpi ] || [ -n "$whole" ]; then
            shuffled 2 "$seed" 1 ''
            shuffled 4 "$seed" 2 -amr ${amr/PerPatch/PerNeighbour}
        fi
    done
    [ "$flavour" = openmpi ] || [ -n "$whole" ] || return 0
    shuffled 1 1 1 ''
    for fault in outside differ fail alone; do
        ranks bad 3 $ccafe -D SEED=1 -D EVERY=2 -D FAULT=$fault ../shuffled.rc
        case $fault in
        outside) wanted='balance: found rank 3 for patch 14 of level 0, expected 0 to 2' ;;
        differ) wanted='balance: the ranks got different owners' ;;
        fail) wanted='no owners today' ;;
        alone) wanted='no owners here' ;;
        esac
        grep -q "$wanted" err || fail "$flavour: $fault: $(cat err)"
    done
}
under_each owners "random owners"
