#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Programs that know nothing of us, under `mastermind record` and without: the same output and exit status;
# every call is in the report, with the time that the program's own clock around it has found.
. "$(dirname "$0")/../lib/mpi.sh"

# compare EXPERIMENT RANKS: with what the ranks wrote to own.RANK
compare() {
    mastermind report "$1" --by-rank --json >report.json 2>words || { fail "$flavour, $1: $(cat words)" && return; }
    fits report report.json
    python3 - "$2" <<'END' || fail "$flavour, $1"
import json, sys
ranks = int(sys.argv[1])
report = json.load(open("report.json"))
assert report["finished"] and [e["rank"] for e in report["rank_ends"] if e["finished"]] == list(range(ranks)), report
found = {f["name"]: {b["rank"]: (b["calls"], b["inclusive_ns"]) for b in f["by_rank"]} for f in report["mpi"]}
whole = {rank: [0, 0] for rank in range(ranks)}
for rank in range(ranks):
    for line in open(f"own.{rank}"):
        name, calls, ns = line.split()
        has = found[name + "()"][rank]
        assert has[0] == int(calls), (rank, name, has, calls)
        # The program's clock runs before ours and after it.
        assert has[1] <= 1.02 * int(ns) + 20000, (rank, name, has, ns)
        whole[rank][0] += has[1]
        whole[rank][1] += int(ns)
for f in found:
    assert sum(c for c, _ in found[f].values()) == 0 or any(
        line.split()[0] + "()" == f for rank in range(ranks) for line in open(f"own.{rank}")), f
# What is between both clocks may hold a wait for a core, but not mostly.
ours, own = (sum(w[i] for w in whole.values()) for i in (0, 1))
assert ours >= 0.5 * own, (ours, own)
END
    rm -f own.*
}

# program RANKS STATUS PATTERN...
program() {
    local n=$1 status=$2
    shift 2
    ranks "$status" "$n" ./typical "$@"
    cp out plain
    rm -rf run.mm
    OWN=own ranks "$status" "$n" mastermind record -o run.mm -- ./typical "$@"
    cmp -s plain out || fail "$flavour: $* print another result: $(cat plain out)"
    [ "$status" != 0 ] || compare run.mm "$n"
}

programs() {
    OMPI_CC=$CC MPICH_CC=$CC "mpicc.$flavour" -D_GNU_SOURCE -O1 ${SOAK:+-DROUNDS=30} -o typical "$root/tests/mpi/typical.c" -pthread >log 2>&1 ||
        fail "$flavour: $(cat log)"
    program 3 0 ring halo reduce nonblocking types comms rma io persistent threads
    program 2 5 fails
    [ $flavour = openmpi ] || program 2 0 sessions

    # What it spawns is not followed, and that is said. (MPICH over UCX cannot spawn.)
    if [ $flavour = openmpi ]; then
        program 2 0 spawn
        holds err "1 call of MPI_Comm_spawn: processes that it started are not in this experiment"
        mastermind report run.mm >out 2>&1
        holds out "1 call of MPI_Comm_spawn: processes that it started are not in this experiment"
    fi

    "mpif77.$flavour" -o old "$root/tests/mpi/old.f" >log 2>&1 || fail "$flavour: $(cat log)"
    ranks 0 3 ./old
    cp out plain
    rm -rf run.mm
    ranks 0 3 mastermind record -o run.mm -- ./old
    cmp -s plain out || fail "$flavour: Fortran prints another result: $(cat out)"
    calls_of_fortran
}

calls_of_fortran() {
    mastermind report run.mm --by-rank --json >report.json || fail "$flavour: report of Fortran"
    python3 - <<'END' || fail "$flavour: calls of Fortran"
import json
found = {f["name"]: [b["calls"] for b in f["by_rank"]] for f in json.load(open("report.json"))["mpi"]}
wanted = {"MPI_Init()": 1, "MPI_Comm_rank()": 1, "MPI_Comm_size()": 1, "MPI_Irecv()": 50, "MPI_Isend()": 50,
          "MPI_Waitall()": 50, "MPI_Sendrecv()": 1, "MPI_Reduce()": 1, "MPI_Finalize()": 1}
assert found == {name: 3 * [calls] for name, calls in wanted.items()}, found
END
}
under_each programs "programs of others"
