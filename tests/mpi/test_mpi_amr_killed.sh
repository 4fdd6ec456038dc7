#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The adaptive code on three ranks, measured, one of which is killed when a rank has finished so many
# calls: each call that any rank is known to have finished has a row, and the rows of each rank are
# those of L0 L1 L2 L2 L1 L2 L2 up to where it ended. A rank that kills itself dies inside a flux, one
# that another rank kills anywhere. FAULT_KILLS: how often (SOAK: 40 a flavour).
. "$(dirname "$0")/../lib/mpi.sh"
kills=${FAULT_KILLS:-$([ -n "${SOAK-}" ] && echo 40 || echo 2)}
sed -E -e 's/^connect rhs +flux .*/connect rhs flux counting flux\nconnect counting behind flux flux/' \
    -e 's/^instantiate InviscidFlux .*/&\ninstantiate CountingFlux counting/' \
    -e 's/^go .*/parameter counting config killer $KILLER\nparameter counting config victim $VICTIM\nparameter counting config kill_at $KILL_AT\n&/' \
    "$root/scripts/shock-amr.rc" >killed.rc
grep -q '^connect counting' killed.rc && grep -q '^instantiate CountingFlux' killed.rc || fail "the script has changed"
words='-D FLUX=HLLCFlux -D STATES=States -D NX=64 -D NY=16 -D LEVELS=3 -D PATCH=8 -D GHOSTS=GhostsPerNeighbour
       -D BALANCE=every:3 -D T_END=1000 -D PICTURE=none.png'

# look VICTIM KILLER KILL_AT
look() {
    mastermind report run.mm --by-rank --json >report.json 2>words || { fail "$flavour: report: $(cat words)" && return; }
    mastermind records run.mm >records.csv 2>words || { fail "$flavour: records: $(cat words)" && return; }
    fits report report.json
    python3 - "$@" <<'END' || fail "$flavour: rank $1 killed by $2 at $3 calls"
import csv, json, struct, sys
victim, killer, kill_at = (int(word) for word in sys.argv[1:])
report = json.load(open("report.json"))
ends = {e["rank"]: e for e in report["rank_ends"]}
assert report["finished"] is False and sorted(ends) == [0, 1, 2] and not ends[victim]["finished"], ends
rows = {rank: [] for rank in range(3)}
for row in csv.DictReader(open("records.csv")):
    assert row["status"] in ("done", "open"), row
    rows[int(row["rank"])].append(row)
ORDER = [level for level in (0, 1, 2, 2, 1, 2, 2) for stage in range(2)]
for rank in range(3):
    try:
        finished = struct.unpack("qq", open("calls.%d" % rank, "rb").read())[1]
    except FileNotFoundError: # killed before its first flux
        finished = 0
    def of(instance, method, status):
        found = [r for r in rows[rank] if (r["instance"], r["method"], r["status"]) == (instance, method, status)]
        return sorted(found, key=lambda r: int(r["invocation"]))
    # The newest may have ended without being counted.
    done = len(of("flux", "compute", "done"))
    assert finished <= done <= finished + 1, (rank, finished, done)
    outer = len(of("counting", "compute", "done"))
    assert finished - 1 <= outer <= finished, (rank, finished, outer)
    if rank == killer:
        assert finished >= kill_at, (rank, finished)
    if rank == killer == victim:
        still = {r["instance"] for r in rows[rank] if r["status"] == "open"}
        assert (finished, outer) == (kill_at, kill_at - 1), (finished, outer)
        assert still == {"driver", "rk2", "rhs", "counting"}, still
    # Nothing is missing in between, and out-parameters are those of whole rows.
    numbers = [int(r["invocation"]) for r in rows[rank]]
    assert len(set(numbers)) == len(numbers) == max(numbers, default=0), (rank, len(numbers), max(numbers))
    assert (ends[rank]["calls"], ends[rank]["open"]) == (
        sum(r["status"] == "done" for r in rows[rank]), sum(r["status"] == "open" for r in rows[rank])), ends[rank]
    steps = of("rk2", "advance", "done") + of("rk2", "advance", "open")
    exchanged = of("mesh", "exchange", "done")
    for step in steps:
        found = [int(r["p.level"]) for r in exchanged if r["caller"] == step["invocation"]]
        whole = step["status"] == "done"
        # The interface is refined from the start, so there are always three levels.
        assert found == ORDER[:len(ORDER) if whole else len(found)], (rank, step["status"], found)
    assert all(int(r["o.bytes"]) >= 0 and 0 <= int(r["o.peers"]) <= 2 for r in exchanged), rank
    print("rank", rank, "of", finished, "known calls of the flux", done, "rows,", len(steps), "steps,", len(numbers), "rows in all")
END
    mastermind report run.mm >words 2>&1 || fail "$flavour: report"
    holds words "rank $1 did not end in order"
}

killed() {
    local try victim killer kill_at
    mkdir classes && ln -s "$O/tests/components/$flavour/mp_counting_flux.so" classes
    for try in $(seq "$kills"); do
        victim=$(((try + (${#flavour} & 1)) % 3))
        # every second one by itself
        killer=$(((victim + (try & 1)) % 3))
        kill_at=$((try % 10 * (try % 10) * 40 + 1 + RANDOM % 40))
        rm -rf run.mm calls.*
        ranks bad 3 ccafe --path "$dir/$flavour/classes" --measure --experiment run.mm $words \
            -D KILLER=$killer -D VICTIM=$victim -D KILL_AT=$kill_at ../killed.rc
        look $victim $killer $kill_at
    done
}
under_each killed "ranks of the adaptive code, killed"
