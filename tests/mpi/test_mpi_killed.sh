#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A rank that kills itself after calls of MPI whose number is known: all of them are in the report, on
# each rank, and which rank it was. Files that are cut or broken are refused.
# lane: waits, for launchers
. "$(dirname "$0")/../lib/mpi.sh"

# report EXPERIMENT VICTIM ROUNDS INSIDE: of 3 ranks
report() {
    mastermind report "$1" --by-rank --json >report.json 2>words || { fail "$flavour: $(cat words)" && return; }
    fits report report.json
    python3 - "$2" "$3" "$4" <<'END' || fail "$flavour, $*: $(cat report.json)"
import json, sys
victim, rounds, inside = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
report = json.load(open("report.json"))
calls = {f["name"]: [b["calls"] for b in f["by_rank"]] for f in report["mpi"]}
# Those who wait may be in the last of them still.
found = calls["MPI_Allreduce()"]
assert found[victim] == rounds and all(rounds - 1 <= n <= rounds for n in found), calls
assert calls["MPI_Init()"] == [1, 1, 1], calls
assert calls["MPI_Comm_rank()"] == [1, 1, 1], calls
ends = {e["rank"]: e for e in report["rank_ends"]}
assert not ends[victim]["finished"] and ends[victim].get("inside", "") == inside, ends
assert report["ended_first"] == victim, ends
assert all(e["last_ns"] > 0 for e in ends.values()), ends
for f in report["mpi"]:
    spread = f["ranks"]
    assert spread["with_calls"] == sum(b["calls"] > 0 for b in f["by_rank"]), f
END
}

# profiles EXPERIMENT ROUNDS: one of TAU for the calls of each rank
profiles() {
    rm -rf profiles
    mastermind export tau "$1" -o profiles 2>words || { fail "$flavour: export: $(cat words)" && return; }
    local rank folder=profiles
    [ ! -d profiles/MULTI__TIME ] || folder=profiles/MULTI__TIME
    for rank in 0 1 2; do
        grep -Eq "^\"MPI_Allreduce\(\)\" ($2|$(($2 - 1))) 0 " $folder/profile.$rank.1.0 ||
            fail "$flavour: rank $rank: $(ls $folder; cat $folder/profile.$rank.1.0)"
    done
}

record() {
    local how inside status
    "mpicc.$flavour" -o dies "$root/tests/mpi/dies.c" >log 2>&1 || fail "$flavour: $(cat log)"
    for how in '' inside aborts; do
        rm -rf run.mm
        ranks bad 3 mastermind record -o run.mm -- ./dies 1 25 $how
        case $how in inside) inside='MPI_Reduce_local()' ;; aborts) inside='MPI_Abort()' ;; *) inside= ;; esac
        report run.mm 1 25 "$inside"
        mastermind report run.mm >words 2>&1
        holds words "rank 1 did not end in order: last seen"
        holds words "look at rank 1 first: "
        profiles run.mm 25
    done
    mastermind report run.mm --rank 0 >words 2>&1
    holds words "rank 0 did not end in order"
    ! grep -q "rank 1" words || fail "$flavour: of rank 0 alone: $(cat words)"
    # One that hangs, in a run that somebody ends: the others wait for it.
    rm -rf run.mm
    MPIRUN_SECONDS=4 "$root/tests/lib/mpirun.sh" "$flavour" 3 mastermind record -o run.mm -- ./dies 2 25 hangs >out 2>err </dev/null
    report run.mm 2 25 ''
    mastermind report run.mm >words 2>&1
    holds words "look at rank 2 first: it was not inside MPI"
    # Who ends in order leaves no such file, and the same numbers.
    ranks 0 3 mastermind record -o done.mm -- ./dies -1 25
    [ -z "$(find done.mm -name mpi.calls)" ] || fail "$flavour: left behind: $(find done.mm)"
    profiles done.mm 25
    # As it comes with a disk that is full, or a file that is broken.
    truncate -s 3000 run.mm/rank-0001/mpi.calls
    mastermind report run.mm >out 2>err && fail "$flavour: a file cut short is taken"
    holds err "rank-0001/mpi.calls: found the end of the file, expected calls of MPI"
    printf 'something else' | dd of=run.mm/rank-0001/mpi.calls conv=notrunc status=none
    mastermind report run.mm >out 2>err && fail "$flavour: another file is taken"
    holds err "rank-0001/mpi.calls: found another kind of file"
    : >run.mm/rank-0001/mpi.calls
    mastermind report run.mm >out 2>err || fail "$flavour: a rank that has just begun: $(cat err)"
    holds out "; ranks without data count as 0"
}
under_each record "calls of MPI of killed ranks"
