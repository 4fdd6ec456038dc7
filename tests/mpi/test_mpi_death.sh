#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Ranks that are killed at random moments: what every rank had recorded is readable, no row is less
# than whole, and the report names the ranks that did not end and where they were. Many processes
# write one experiment. FAULT_KILLS: how often (SOAK: 50 a flavour), over 2 to 4 ranks.
# lane: waits, for launchers
. "$(dirname "$0")/../lib/mpi.sh"
kills=${FAULT_KILLS:-$([ -n "${SOAK-}" ] && echo 50 || echo 1)}

# each rank tells its process id, then becomes ccafe
cat >start <<'END'
#!/bin/bash
rank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}
echo $$ >"pid-$rank.new" && mv "pid-$rank.new" "pid-$rank"
exec ccafe --measure --experiment run.mm -D NX=64 -D NY=16 -D PATCH=8 -D T_END=1000 \
    -D PICTURE=none.png -D FLUX=HLLCFlux "$SHOCK"
END
chmod +x start
export SHOCK=$root/scripts/shock-demo.rc

# 0: all ranks write rows; nobody hurries
wait_for_rows() {
    for _ in $(seq 600); do
        [ "$(ls -d run.mm/rank-*/thread-000.ring 2>/dev/null | wc -l)" = "$1" ] && return
        kill -0 "$2" 2>/dev/null || return 1
        sleep 0.1
    done
    return 1
}

look_at() {
    local n=$1 victim=$2
    mastermind report run.mm --by-rank --json >report.json 2>words || { fail "$flavour: report: $(cat words)" && return; }
    mastermind records run.mm >records.csv 2>words || { fail "$flavour: records: $(cat words)" && return; }
    fits report report.json
    python3 - "$n" "$victim" <<'END' || fail "$flavour, $n ranks, killed rank $victim"
import csv, json, sys
n, victim = int(sys.argv[1]), int(sys.argv[2])
report = json.load(open("report.json"))
ends = {e["rank"]: e for e in report["rank_ends"]}
assert report["finished"] is False and len(ends) == n, ends
assert ends[victim]["finished"] is False, ends
rows = {rank: {"done": [], "open": 0} for rank in range(n)}
for row in csv.DictReader(open("records.csv")):
    assert row["status"] in ("done", "open"), row
    assert row["status"] == "open" or (row["mpi_ns"] != "" and int(row["wall_ns"]) >= 0), row
    rank = rows[int(row["rank"])]
    if row["status"] == "done":
        rank["done"].append(int(row["invocation"]))
    else:
        rank["open"] += 1
for rank in range(n):
    done = rows[rank]["done"]
    assert len(done) == len(set(done)), (rank, len(done))
    # Nothing is missing in between: all that began have ended or are open.
    assert not done or max(done) <= len(done) + rows[rank]["open"], (rank, max(done), len(done), rows[rank]["open"])
    # So it is with calls of MPI, function by function.
    calls = {f["name"]: f["by_rank"][rank]["calls"] for f in report["mpi"]}
    assert calls["MPI_Init_thread()"] == 1 and calls["MPI_Isend()"] > 0, (rank, calls)
    assert (ends[rank]["calls"], ends[rank]["open"]) == (len(done), rows[rank]["open"]), (rank, ends[rank])
END
    mastermind report run.mm >words 2>&1
    holds words "rank $victim did not end in order"
}

deaths() {
    local n job victim status rows=0
    cp ../start .
    for _ in $(seq "$kills"); do
        n=$((2 + RANDOM % 3))
        victim=$((RANDOM % n))
        rm -rf run.mm pid-*
        MPIRUN_SECONDS=120 "$root/tests/lib/mpirun.sh" "$flavour" "$n" ./start >out 2>err </dev/null &
        job=$!
        wait_for_rows "$n" $job || fail "$flavour: $n ranks do not begin: $(cat out err)"
        sleep "0.$((RANDOM % 5))$((RANDOM % 10))"
        kill -9 "$(cat "pid-$victim")"
        wait $job
        status=$?
        [ $status != 0 ] && [ $status != 124 ] || fail "$flavour: status $status after a kill"
        look_at "$n" $victim
        rows=$((rows + $(wc -l <records.csv)))
    done
    echo "$flavour: $kills runs killed, $rows rows read"
    [ "$rows" -gt $((kills * 10)) ] || fail "$flavour: only $rows rows"
}

# Many processes of one job, none of which talks to another, make one experiment.
crowd() {
    local count=${FAULT_PROCESSES:-$([ -n "${SOAK-}" ] && echo 1000 || echo 20)} left
    OMPI_CC=$CC MPICH_CC=$CC "mpicc.$flavour" -o alone "$root/tests/mpi/alone.c" >log 2>&1 ||
        fail "$flavour: alone.c: $(cat log)"
    seq 0 $((count - 1)) | OMPI_COMM_WORLD_SIZE=$count MASTERMIND_JOB=crowd xargs -P 8 -I{} \
        env OMPI_COMM_WORLD_RANK={} mastermind record --mpi "$flavour" -o crowd.mm -- ./alone >out 2>err ||
        fail "$flavour: crowd: $(tail -5 err)"
    left=$(ls -d crowd.mm/rank-* | wc -l)
    [ "$left" = "$count" ] || fail "$flavour: $left of $count processes in the experiment"
    mastermind report crowd.mm --by-rank --json >report.json || fail "$flavour: report of a crowd"
    python3 - "$count" <<'END' || fail "$flavour: crowd"
import json, sys
report = json.load(open("report.json"))
calls = {f["name"]: [b["calls"] for b in f["by_rank"]] for f in report["mpi"]}
assert report["finished"] and calls == {"MPI_Initialized()": int(sys.argv[1]) * [3]}, (report["finished"], calls)
END
    echo "$flavour: $count processes in one experiment"
}

death() {
    deaths
    crowd
}
under_each death "deaths of ranks"
