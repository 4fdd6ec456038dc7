#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# scripts/shock-amr.rc prints the same lines and draws the same picture on 1 to 4 ranks as alone.
# Starting ranks takes most of the time: each flavour runs two of the numbers, all with SOAK set.
. "$(dirname "$0")/../lib/mpi.sh"
script=$root/scripts/shock-amr.rc
words='-D FLUX=HLLCFlux -D STATES=States -D NX=64 -D NY=16 -D LEVELS=3 -D PATCH=8 -D GHOSTS=GhostsPerNeighbour
       -D BALANCE=every:3 -D T_END=0.04 -D PICTURE=shock.png'
run 0 ccafe $words "$script"
quiet
cp out alone.out && mv shock.png alone.png || fail "no picture"
grep -q '^all levels: ' alone.out || fail "no table of levels"

on_ranks() {
    local n numbers="1 2 3 4"
    if [ -z "${SOAK-}" ] && [ "$flavours" = " openmpi mpich" ]; then
        [ "$flavour" = openmpi ] && numbers="1 4" || numbers="2 3"
    fi
    for n in $numbers; do
        rm -f shock.png
        ranks 0 $n ccafe $words "$script"
        cmp -s ../alone.out out || fail "$flavour, $n ranks: other lines: $(diff ../alone.out out)"
        cmp -s ../alone.png shock.png || fail "$flavour, $n ranks: another picture"
    done
}
flavour=${flavours##* }
ranks 3 2 ccafe $words -D LEVELS=0 "$script"
[ "$(grep -c "parameter 'levels' of 'mesh' lies between 1 and 8, found '0'" err)" = 1 ] && [ ! -s out ] ||
    fail "$flavour: a wrong word is one line on ranks, too"

under_each on_ranks "the adaptive script on ranks"
