#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The circulation that is measured on 2 and 3 ranks is that of one process, bit for bit.
. "$(dirname "$0")/../lib/mpi.sh"

# circulation RANKS LEVELS FILE
circulation() {
    local n=$1 levels=$2 file=$3 command
    command="ccafe -D FLUX=HLLCFlux -D MACH=2 -D ETA=3 -D ANGLE=20 -D LEVELS=$levels -D NX=64 -D NY=16
        -D T_END=0.23 -D FILE=$file $root/scripts/circulation.rc"
    if [ "$n" = 1 ]; then
        run 0 $command
    else
        ranks 0 "$n" $command
    fi
    grep '^gauge: deposition' out >"$file.out" || fail "$n ranks: no result"
}

circulation 1 1 alone-1
circulation 1 2 alone-2
[ "$(wc -l <alone-2)" -gt 40 ] || fail "samples: $(cat alone-2)"

gauges() {
    for levels in 1 2; do
        for n in 2 3; do
            circulation $n $levels ranked
            cmp -s ../alone-$levels ranked && cmp -s ../alone-$levels.out ranked.out ||
                fail "$flavour: $n ranks, $levels levels: $(cat ranked.out)"
            rm -f ranked ranked.out
        done
    done
}
under_each gauges "circulation"
