#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# `swap` on four ranks, each with eight calling threads: all exchange the class at the same step, or none does. A rank
# that has lost a call fails.
. "$(dirname "$0")/../lib/mpi.sh"
. "$root/tests/data/swap/make.sh"
tallies TallyA TallyB BadRank:BAD_RANK

swaps_on_ranks() {
    cp ../*.so .
    script 'parameter loader config classes TallyB,TallyA' 'parameter loader config steps 13' 'swap tally' 'go loader go'
    ranks 0 4 ccafe swap.rc
    equal 'in turn' '12 swaps in 13 steps, 0 calls lost' "$(cat out)"
    script 'parameter loader config steps 5' 'swap tally TallyB at 3' 'go loader go' 'swap tally TallyA' 'go loader go'
    ranks 0 4 ccafe swap.rc
    equal 'by the script' "1 swaps in 5 steps, 0 calls lost
0 swaps in 5 steps, 0 calls lost" "$(cat out)"

    # A class that fails on one rank: no rank has it.
    script 'parameter loader config steps 5' 'swap tally BadRank at 3' 'go loader go' 'swap tally TallyB' 'go loader go'
    ranks 0 4 ccafe swap.rc
    equal 'a rank fails' '0 swaps in 5 steps, 0 calls lost' "$(sort -u out)"
    equal 'one reason' "swap.rc:7: 'tally' stays TallyA, no BadRank: rank 1: 'tally_BadRank' takes no state: rank 1 takes nothing" "$(cat err)"

    # A rank alone requests a swap.
    for only in 0 2; do
        script 'parameter loader config classes TallyB' "parameter loader config only_rank $only" \
            'parameter loader config steps 2' 'swap tally' 'go loader go'
        ranks 0 4 ccafe swap.rc
        equal 'they disagree' '0 swaps in 2 steps, 0 calls lost' "$(cat out)"
        equal 'why not' "swap.rc:9: 'tally' stays TallyA, no TallyB: the ranks disagree: this is the request of rank $only" "$(cat err)"
    done

    # The script's swap is made although a rank requests another one.
    script 'parameter loader config classes TallyA' 'parameter loader config only_rank 2' \
        'parameter loader config steps 4' 'swap tally TallyB at 3' 'go loader go'
    ranks 0 4 ccafe swap.rc
    equal 'script and a request' '1 swaps in 4 steps, 0 calls lost' "$(cat out)"
}
under_each swaps_on_ranks 'swaps on ranks'
