#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs on ranks become one text for all of them: conditions on pid where they did other things, no time in MPI in costs,
# messages and collectives where the run recorded them. Calls that were summed up are counted exactly.
. "$(dirname "$0")/../lib/mpi.sh"
export MPIRUN_POLLS=1 # times are held against a model

flavour=${flavours# }
flavour=${flavour%% *}
scripts=$root/scripts
export CCA_LIB=$O/components
common=(-DFLUX=EFMFlux -DT_END=.2)
shock=("${common[@]}" -DNX=64 -DNY=16 -DPATCH=16 "-DPICTURE=shock.png" "$scripts/shock-demo.rc")
amr=("${common[@]}" -DSTATES=States -DNX=32 -DNY=8 -DLEVELS=3 -DPATCH=8 -DGHOSTS=GhostsPerNeighbour -DBALANCE=never
    -DPICTURE= "$scripts/shock-amr.rc")

# by_rank NAME: the time of each rank without MPI is as measured; records are as measured, with what recording cost
cat >ranks.py <<'END'
import collections, csv, subprocess, sys
def sums(path):
    rows = list(csv.DictReader(subprocess.run(["mastermind", "records", path, "--csv"], capture_output=True,
                                              text=True).stdout.splitlines()))
    own, below = collections.Counter(), collections.Counter()
    for r in rows:
        below[r["rank"], r["thread"], r["caller"]] += float(r["mpi_ns"] or 0)
    for r in rows:
        mpi = float(r["mpi_ns"] or 0) - below[r["rank"], r["thread"], r["invocation"]]
        own[r["rank"]] += float(r["exclusive_ns"]) - float(r["host_exclusive_ns"] or 0) - mpi
    return own
measured, simulated = sums(sys.argv[1]), sums("sim.mm")
for rank in measured:
    assert abs(simulated[rank] / measured[rank] - 1) < .08, (rank, measured[rank], simulated[rank])
END
by_rank() {
    python3 ranks.py "$1.mm" >out 2>err || fail "sums of each rank of $1"
}

# trip NAME RANKS [BOUND]: there and back with means; each count is as measured, and so are the sums
trip() {
    rm -rf sim.mm
    mastermind activity "$1.mm" --means -o "$1.act" >out 2>err || fail "activity $1"
    activity run "$1.act" --interpret --config "N1P$2" -o sim.mm >out 2>err || fail "run $1"
    ratio=$(python3 "$root/tests/activity/duals.py" "$1.mm" sim.mm 10 2>err) || fail "duals of $1"
    python3 -c "import sys; sys.exit(not abs(${ratio:-0} - 1) < ${3:-.05})" || fail "$1: sums are $ratio of the measured ones"
}

# --- No messages: the text says so
silent() {
    rm -rf silent.mm
    ranks 0 3 ccafe --measure --experiment silent.mm "${shock[@]}"
    trip silent 3
}
at_best silent
grep -q '^// .*none were recorded' silent.act || fail "nothing about messages"
grep -q 'Evaluate_turns\|Fill_turns\|fill_turns\[pid\]' silent.act || fail "no turns by rank"

# --- Messages: neighbours, a sum over all ranks, the picture that rank 0 gathers
talks() {
    rm -rf talks.mm
    ranks 0 3 ccafe --measure --messages P-1-FREQ,collectives=1 --experiment talks.mm "${shock[@]}"
    trip talks 3
    by_rank talks
}
at_best talks
grep -q 'exchange Exchange_exchange with pid - 1, pid + 1 bytes 1280' talks.act || fail "no exchange"
grep -q 'allreduce Minimum_allreduce bytes 8' talks.act || fail "no allreduce"
grep -q 'send Gather_send to 0 bytes 10240' talks.act || fail "no gather"
[ "$(grep -vc '^table' talks.act)" -le 100 ] || fail "$(wc -l <talks.act) lines"

# --- Several sizes: bytes are laws, too, and more processes have the same neighbours
for n in 32 64 96; do
    ranks 0 2 ccafe --measure --messages P-1-FREQ,collectives=1 --experiment "n$n.mm" -DFLUX=EFMFlux -DT_END=.05 \
        -DNX=$n -DNY=$((n / 2)) -DPATCH=8 -DPICTURE= "$scripts/shock-demo.rc"
done
run 0 mastermind activity n32.mm n64.mm n96.mm -o laws.act
grep -q 'with pid - 1, pid + 1 bytes floor(Exchange_bytes() + 0.5)' laws.act || fail "no scaling function of bytes"
grep -q 'allreduce Minimum_allreduce bytes 8' laws.act || fail "no allreduce by laws"
run 0 activity run laws.act --interpret --config N1P2,N2P4 --set NX=128 --set NY=64 --models n32.mm n64.mm n96.mm

# --- Three numbers of ranks: no scaling function of times in nproc, and no costs beyond them
for n in 1 2 3; do
    ranks 0 $n ccafe --measure --experiment "r$n.mm" -DFLUX=EFMFlux -DT_END=.05 -DNX=32 -DNY=16 -DPATCH=8 -DPICTURE= \
        "$scripts/shock-demo.rc"
done
run 0 mastermind activity r1.mm r2.mm r3.mm -o few.act
if grep -q 'pow(nproc' few.act; then fail "a law in nproc of three numbers"; fi
if grep -q '_s() = .*nproc' few.act; then
    grep -q '^// Runs on .* ranks determine no scaling function in the number of ranks' few.act || fail "no line on numbers of ranks"
    run 4 activity run few.act --interpret --config N64P1024 --models r1.mm r2.mm r3.mm
    grep -q 'beyond its table' err || fail "costs of 1,024 ranks"
fi

# --- An adaptive mesh on two ranks; nearly all calls summed up
adaptive() {
    rm -rf adaptive.mm
    ranks 0 2 ccafe --measure --experiment adaptive.mm "${amr[@]}"
    trip adaptive 2
}
summed() {
    rm -rf summed.mm
    ranks 0 2 ccafe --measure --storage auto:100 --experiment summed.mm "${amr[@]}"
    trip summed 2 .05
}
one() { # STORAGE
    rm -rf "one-$1.mm"
    ccafe --measure --storage "$1" --experiment "one-$1.mm" "${shock[@]}" >out 2>err || fail "$1"
    trip "one-$1" 1
}
at_best adaptive
at_best summed # time in MPI is known by method, and may be a little more than all of a method's
grep -q 'calls were summed up' summed.act || fail "nothing about sums"
for storage in aggregates sample:7; do
    at_best one "$storage"
done

finish
