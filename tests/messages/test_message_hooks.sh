#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The hooks in the wrappers around MPI: programs in C and Fortran that send and receive in every way
# there is, and check what they get, statuses too. Both halves of each sampled message are in the
# files of the ranks, with the serial and the size that the program knows; channels have its counts.
. "$(dirname "$0")/../lib/mpi.sh"
halves="python3 $root/tests/messages/halves.py"

# sampled REQUEST RANKS PROGRAM WORDS...: into the experiment x.mm
sampled() {
    local request=$1 n=$2 program=$3
    shift 3
    rm -rf x.mm
    ranks 0 "$n" mastermind record --mpi "$flavour" --messages "$request" -o x.mm -- "$bin/$program" "$@"
    cp out said
}

# right WORDS...: what halves.py says of x.mm
right() {
    $halves x.mm "$@" >found 2>&1 || fail "$flavour: $what: halves.py $*: $(cut -c1-600 found | head -n 20)"
}

# In C, with threads, too. The truth of the program has serials and times of each message.
storms() {
    local seed
    for seed in 1 ${SOAK:+2 3}; do
        what="storm $seed"
        sampled P-1-OFF,via=files,collectives=1 2 storm $seed --truth truth --rounds 30
        right --truth truth --all --program storm
        rm truth.*
    done
    what="storm 4 at 0.3"
    sampled P-0.3-OFF,via=files,seed=5 2 storm 4 --truth truth --rounds 30
    right --truth truth
    rm truth.*
    what="storm 5, threads"
    sampled P-1-OFF,via=files 2 storm 5 --threads 3 --truth truth --rounds 15
    right --truth truth --all --program storm
    rm truth.*
}

# What each way to call MPI from Fortran gives: mpif.h, `use mpi`, `use mpi_f08`.
fortran() {
    local program
    for program in calls_f calls_f08; do
        what=$program
        sampled P-1-OFF,via=files,collectives=1 2 $program
        grep -q "all as expected" said || fail "$flavour: $program"
        right --sizes said --all --program $program
        sampled P-0.2-OFF,via=files,seed=7 2 $program
        right --sizes said --program $program
    done
    for program in storm_f storm_77; do
        what=$program
        sampled P-1-OFF,via=files,collectives=1 2 $program
        right --pairs said --program $program
    done
}

hooks() {
    local bin=$O/programs/$flavour what
    storms
    [ -x "$bin/calls_f" ] && fortran
}
under_each hooks "the hooks"
