#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# `mastermind export sqlite` of real runs, under each MPI: sums are those of `report` and, added up again, of
# `records`; aggregated, killed and merged runs; mistakes are one line and leave no file.
. "$(dirname "$0")/../lib/mpi.sh"
small="-D FLUX=EFMFlux -D NX=32 -D NY=16 -D PATCH=16 -D T_END=.04 -D PICTURE=small.png $root/scripts/shock-demo.rc"
amr="-D FLUX=HLLCFlux -D STATES=States -D NX=32 -D NY=8 -D LEVELS=3 -D PATCH=8 -D GHOSTS=GhostsPerNeighbour
    -D BALANCE=never -D T_END=.02 -D PICTURE= $root/scripts/shock-amr.rc"
# answer STORE QUESTION EXPECTED: noted, and asked by settle, all at once
answer() { printf '%s\x1f%s\x1f%s\x1e' "$@" >>questions; }
settle() {
    python3 - <<'END' >told 2>&1 || fail "$(cat told)"
import sqlite3
wrong = 0
for question in open("questions").read().split("\x1e")[:-1]:
    store, sql, expected = question.split("\x1f")
    found = "\n".join("|".join(map(str, row)) for row in sqlite3.connect(store).execute(sql))
    if found != expected:
        wrong += 1
        print("%s: %s: expected %r, found %r" % (store, sql, expected, found))
exit(wrong > 0)
END
}
check() { python3 "$root/tests/properties/check_store.py" "$@" >checked || fail "$*: $(cat checked)"; }

runs() {
    # On two ranks, with messages: rows of all tables.
    ranks 0 2 ccafe --measure --messages P-1-STAT,via=files -o two.mm $small
    run 0 mastermind export sqlite two.mm -o two.sqlite
    check two.sqlite two.mm --rows
    answer two.sqlite "SELECT ranks, threads, units, state FROM experiment" "2.0|1.0|2.0|finished"
    answer two.sqlite "SELECT count(*) FROM missing WHERE what = 'mpi_time'" 0
    answer two.sqlite "SELECT reason FROM missing WHERE what = 'recv_time'" "the run was without --metrics MPI_SPLIT"
    # What is outside methods is in the program alone: MPI_Init.
    answer two.sqlite "SELECT count(*) FROM rs JOIN region r ON r.id = region WHERE kind = 'program' AND
        own_mpi_time > 0 AND mpi_ctl_time BETWEEN .5 * own_mpi_time AND mpi_time AND exec_time > mpi_time" 2
    answer two.sqlite "SELECT count(*) FROM message WHERE samples <> n OR src = dst" 0
    answer two.sqlite "SELECT min(n) > 0 AND min(latency) > 0 FROM message, network" 1
    # Where methods are: the file that has the function.
    local place path
    python3 - <<'END' >told 2>&1 || fail "$(cat told)"
import sqlite3
print(*sqlite3.connect("two.sqlite").execute(
    "SELECT path, first_line FROM region JOIN source_file s ON s.id = source_file WHERE kind = 'method' AND name = ?",
    ("flux.flux.compute",)).fetchone())
END
    place=$(cat told)
    path=$(find "$root/components" -name "${place% *}")
    sed -n "$((${place#* } - 3)),${place#* }p" "$path" | grep -q "efm_compute(" || fail "flux.flux.compute is at $place"
    # Of all messages sampled, waiting is at most the time inside MPI, give or take the clocks.
    answer two.sqlite "SELECT count(*) FROM rs WHERE wait_time IS NULL OR wait_time > 1.05 * mpi_time + 1e-4" 0
    answer two.sqlite "SELECT count(*) > 0 FROM region WHERE kind = 'callsite'" 1
    # Rows and sums: the same as the report.
    ranks 0 2 ccafe --measure --storage auto:5 -o auto.mm $amr
    ranks 0 2 ccafe --measure --metrics MPI_SPLIT,CPU_TIME -o amr.mm $amr
    run 0 mastermind export sqlite auto.mm -o auto.sqlite
    run 0 mastermind export sqlite amr.mm -o amr.sqlite
    check auto.sqlite auto.mm
    check amr.sqlite amr.mm --rows
    run 0 mastermind export sqlite two.sqlite amr.mm -o merged.sqlite
    # The parts of MPI add up, also of contexts; what they are is in the counters, too.
    answer amr.sqlite "SELECT count(*) > 10, max(abs(identified - mpi_time)) < 1e-8 FROM rs WHERE recv_time > 0" "1|1"
    answer amr.sqlite "SELECT count(*) FROM rs JOIN summary_counter c USING (experiment, region, unit) JOIN region r ON
        r.id = region WHERE c.name = 'MPI_RECV_TIME' AND kind <> 'program' AND abs(value / 1e9 - recv_time) > 1e-12" 0
    answer amr.sqlite "SELECT count(*) FROM rs WHERE cpu_time IS NULL OR cpu_time > 1.5 * exec_time + 2e-3" 0
    # Contexts are the same ones, whether rows tell them or sums. Merged with a store nothing is lost, nothing is
    # there twice.
    python3 - <<'END' >told 2>&1 || fail "$(cat told)"
import sqlite3
some, sums = (set(sqlite3.connect(s + ".sqlite").execute(
    "SELECT name, rank, calls FROM rs JOIN region r ON r.id = region JOIN unit u ON u.id = unit WHERE kind = 'context'"))
    for s in ("amr", "auto"))
names = {name for name, _, _ in some} & {name for name, _, _ in sums}
differ = {row for row in some ^ sums if row[0] in names}
assert len(names) > 10 and not differ, (len(names), differ)
merged, two, amr = (sqlite3.connect(s + ".sqlite") for s in ("merged", "two", "amr"))
for table in "summary batch message collective missing unit".split():
    counts = [db.execute("SELECT count(*) FROM " + table).fetchone()[0] for db in (merged, two, amr)]
    assert counts[0] == counts[1] + counts[2], (table, counts)
END
    answer merged.sqlite "PRAGMA foreign_key_check" ""
    answer merged.sqlite "SELECT count(*) FROM region AS r LEFT JOIN region AS p ON p.id = r.parent WHERE
        r.kind = 'context' AND (p.id IS NULL OR (p.kind = 'context' AND substr(r.name, 1, length(p.name)) <> p.name))" 0
    expect 3 "two.mm: is in the store already" mastermind export sqlite merged.sqlite two.mm -o x.sqlite
    expect 3 "two.mm/: is in the store already" mastermind export sqlite two.mm ../"$flavour"/two.mm/ -o x.sqlite
    expect 3 "has a run that is in the store already" mastermind export sqlite merged.sqlite two.sqlite -o x.sqlite
    # Penalties are those that are kept for this host and processor.
    mkdir -p cache/mastermind
    printf '%s\t%s\t1\t3e-9\n%s\tother\t2\t1\n' "$(hostname)" "$(python3 -c 'import json
print(json.load(open("two.mm/experiment.json"))["machine"]["cpu"])')" "$(hostname)" >cache/mastermind/penalties
    run 0 env XDG_CACHE_HOME="$PWD/cache" mastermind export sqlite two.mm -o kept.sqlite
    if [ "$(python3 -c 'import json; print(len(json.load(open("two.mm/experiment.json"))["machine"]["caches"]))')" -gt 0 ]; then
        answer kept.sqlite "SELECT penalty FROM cache WHERE level = 1" 3e-09
        answer kept.sqlite "SELECT count(*) FROM cache WHERE level > 1 AND penalty IS NOT NULL" 0
    fi
    killed
    settle
}

# Killed under way: lower bounds, and which calls were open.
killed() {
    ccafe --measure -o killed.mm -D FLUX=EFMFlux -D NX=128 -D NY=32 -D PATCH=16 -D T_END=50 -D PICTURE= \
        "$root/scripts/shock-demo.rc" >/dev/null 2>&1 &
    local runner=$! rows=0
    for _ in {1..300}; do
        rows=$(mastermind records killed.mm 2>/dev/null | wc -l)
        [ "$rows" -gt 500 ] && break
        sleep .1
    done
    run 0 mastermind export sqlite killed.mm -o running.sqlite
    kill -9 $runner
    wait $runner 2>/dev/null
    answer running.sqlite "SELECT state FROM experiment" running
    run 0 mastermind export sqlite killed.mm -o killed.sqlite
    check killed.sqlite killed.mm
    answer killed.sqlite "SELECT state FROM experiment" killed
    answer killed.sqlite "SELECT unfinished FROM rs JOIN region r ON r.id = region WHERE name = 'driver.go.go' AND
        kind = 'method' AND exec_time > 0" 1.0
    answer killed.sqlite "SELECT count(*) FROM rs a, rs b JOIN region r ON r.id = a.region JOIN region p ON
        p.id = b.region WHERE r.kind = 'method' AND p.kind = 'program' AND a.exec_time > b.exec_time + 1e-9" 0
    # Damaged: one line, no file.
    dd if=/dev/urandom of=killed.mm/rank-0000/thread-000.seg bs=1 seek=64 count=4096 conv=notrunc 2>/dev/null
    run 3 mastermind export sqlite killed.mm -o x.sqlite
    equal "lines on stderr" 1 "$(wc -l <err)"
    holds err "killed.mm/rank-0000/thread-000.seg"
    mkdir empty.mm
    expect 3 "found no experiment.json" mastermind export sqlite empty.mm -o x.sqlite
    expect 5 "two.sqlite: exists" mastermind export sqlite two.mm -o two.sqlite
    expect 3 "no.mm: No such file" mastermind export sqlite no.mm -o x.sqlite
    expect 2 "export takes a format" mastermind export sqlite two.mm
    head -c 5000 two.sqlite >cut.sqlite
    run 3 mastermind export sqlite cut.sqlite -o x.sqlite
    ls x.sqlite* >left 2>/dev/null && fail "left behind: $(cat left)"
}

under_each runs "stores"
