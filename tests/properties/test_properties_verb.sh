#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# `mastermind properties`: exit codes, the table, CSV, the document, stores of answers; runs of each MPI, of none and
# killed ones; wrong words and damaged files are one line.
. "$(dirname "$0")/../lib/mpi.sh"
small="-D FLUX=EFMFlux -D NX=32 -D NY=16 -D PATCH=16 -D T_END=.04 -D PICTURE=small.png $root/scripts/shock-demo.rc"

# repeats.sqlite: three runs of two ranks that differ by a hundredth, 30 % in MPI; method a has 3 of it, b 27.
make_repeats() {
    python3 - "$root/properties/store/schema.sql" <<'END' || fail "cannot make a store"
import sqlite3, sys
db = sqlite3.connect("repeats.sqlite")
db.executescript(open(sys.argv[1]).read())
db.execute("INSERT INTO application VALUES (1, 'a')")
db.execute("INSERT INTO version VALUES (1, 1, 'b')")
db.execute("INSERT INTO machine VALUES (1, 'm')")
db.execute("INSERT INTO node VALUES (1, 1, 'h', 'c', 8)")
for r, name in enumerate(("program", "x.y.a", "x.y.b"), 1):
    db.execute("INSERT INTO region (id, version, kind, name) VALUES (?, 1, ?, ?)",
               (r, "program" if r == 1 else "method", name))
for e in (1, 2, 3):
    db.execute("""INSERT INTO experiment (id, version, machine, path, name, problem, configuration, ranks, threads,
        units, state, root) VALUES (?, 1, 1, ?, ?, '', 'c', 2, 1, 2, 'finished', 1)""", (e, "r%d.mm" % e, "r%d.mm" % e))
    for rank in (0, 1):
        u = 2 * e + rank
        db.execute("INSERT INTO unit (id, experiment, rank, thread, node) VALUES (?, ?, ?, 0, 1)", (u, e, rank))
        for r, (time, mpi) in enumerate(((10, 3), (4, .3), (5, 2.7)), 1):
            db.execute("""INSERT INTO summary (experiment, region, unit, calls, exec_time, own_time, mpi_time)
                VALUES (?, ?, ?, 1, ?, ?, ?)""", (e, r, u, time, time, mpi * (1 + .01 * e)))
db.commit()
END
}

# exits STATUS WORDS: about the repeats
exits() {
    local want=$1
    shift
    run "$want" mastermind properties repeats.sqlite "$@"
}

decides() {
    make_repeats
    exits 1 --property MPIOverhead
    quiet
    grep -q '^ *0.31 (0.[0-9]* .. 0.[0-9]*)  *0.99[0-9]  MPIOverhead  program  *all$' out || fail "no finding of 0.306 +- 0.007"
    grep -q '0.28 .*MPIOverhead  x.y.b' out || fail "no finding of 0.275"
    ! grep -q 'x.y.a' out || fail "x.y.a is below the threshold"
    exits 0 --property MPIOverhead --threshold .5
    says "1 of 1 do not hold"
    exits 1 --property MPIOverhead --threshold .25 --confidence .9
    # Nobody is as sure as that.
    exits 0 --property MPIOverhead --threshold .3 --confidence .999999
    exits 1 --property MPIOverhead --region x.y.b
    exits 0 --property MPIOverhead --region x.y.a
    says "1 of 1 do not hold"
    # Half of method b is MPI: a share of b is another than that of the program.
    exits 1 --property MPIOverhead --basis x.y.b --region x.y.b
    grep -q '^ *0.55 ' out || fail "the basis is not x.y.b"
    # One line of three answers that are one: the repeats.
    exits 1 --property MPIOverhead --csv
    equal "answers" 6 "$(grep -c '^"MPIOverhead","r1.mm","[px].*"3 runs' out)"
    # Documents.
    exits 1 --json
    cp out plain.json
    exits 1 --json --all
    cp out all.json
    fits properties plain.json
    fits properties all.json
    python3 - <<'END' || fail "the document"
import json
d, a = json.load(open("plain.json")), json.load(open("all.json"))
assert "answers" not in d and len(a["answers"]) > 20
assert d["confident"] == sum(f["confident"] for f in d["findings"]) > 0
assert [c for c in d["causes"] if c["depth"] == 0]
assert {"property": "Inefficiency", "reason": "no sequential run: --seq EXP"} in d["not_evaluated"]
f = [f for f in d["findings"] if f["property"] == "MPIOverhead" and f["region"] == "program"][0]
assert abs(f["severity"] - .306) < 1e-9 and f["low"] < .306 < f["high"] and f["unit"] == "all", f
END
}

writes_stores() {
    exits 1 -o found.sqlite
    python3 - <<'END' || fail "the store of answers"
import sqlite3
db = sqlite3.connect("found.sqlite")
rows = db.execute("""SELECT severity, low, high, confidence, holds FROM property_result JOIN region r ON r.id = region
    WHERE property = 'MPIOverhead' AND r.name = 'x.y.b'""").fetchall()
assert len(rows) == 2 and all(abs(s - .27 * 1.02) < 1e-9 and l < s < h and c > .9 and o == 1 for s, l, h, c, o in rows), rows
assert db.execute("SELECT count(*) FROM property_result WHERE holds IS NULL AND reason IS NULL").fetchone() == (0,)
assert db.execute("SELECT count(*) FROM summary").fetchone() == (18,)
END
    expect 5 "found.sqlite: exists" mastermind properties repeats.sqlite -o found.sqlite
    cp out first
    run 1 mastermind properties found.sqlite --csv
    cp out again
    exits 1 --csv
    cmp -s out again || fail "a store with answers is asked like one without"
    # Answers are written anew, not added.
    run 1 mastermind properties found.sqlite -o more.sqlite
    equal "answers in both" 0 "$(python3 -c "
import sqlite3
count = lambda name: sqlite3.connect(name).execute('SELECT count(*) FROM property_result').fetchone()[0]
print(count('found.sqlite') - count('more.sqlite'))")"
}

# asked EXP...: answers, as text, CSV and a document that agree; the exit code says whether one is sure
asked() {
    mastermind properties "$@" >table 2>err
    local found=$?
    quiet
    [ $found -le 1 ] || fail "$*: status $found"
    ! LC_ALL=C.UTF-8 grep -n '^.\{101,\}$' table || fail "$*: more than 100 columns"
    mastermind properties "$@" --json >doc.json
    equal "$*: status with --json" $found $?
    fits properties doc.json
    mastermind properties "$@" --csv >answers.csv
    equal "$*: status with --csv" $found $?
    python3 - $found <<'END' || fail "$*: the document and its exit code"
import csv, json, sys
d = json.load(open("doc.json"))
assert (d["confident"] > 0) == (sys.argv[1] == "1")
rows = list(csv.DictReader(open("answers.csv")))
assert {r["property"] for r in rows} >= {f["property"] for f in d["findings"]}
for r in rows:
    assert r["holds"] in ("", "0", "1") and (r["holds"] != "" or r["reason"]), r
    assert r["holds"] == "" or r["severity"] != "", r
    assert r["confidence"] == "" or 0 <= float(r["confidence"]) <= 1, r
END
}

without_mpi() {
    run 0 ccafe --measure -o one.mm $small
    asked one.mm
    holds table "the run had no MPI"
    mastermind properties one.mm --all >all
    ! LC_ALL=C.UTF-8 grep -n '^.\{101,\}$' all || fail "--all: more than 100 columns"
    tr '\n' ' ' <table | grep -qF "no sequential run: --seq EXP" || fail "what a sequential run would answer"
    killed
}

real_runs() {
    ranks 0 2 ccafe --measure --metrics MPI_SPLIT --messages P-1-STAT,via=files -o two.mm $small
    # The only run on one unit is the sequential one, unless one is named.
    asked two.mm --why ../one.mm
    holds table "sequential run: one.mm"
    # A store of the run answers as the run does.
    run 0 mastermind export sqlite two.mm -o two.sqlite
    mastermind properties two.sqlite ../one.mm --csv >from_store
    cmp -s answers.csv from_store || fail "store and run: $(diff answers.csv from_store | head -4)"
    rm -rf two.mm two.sqlite
}

killed() {
    local process rows=0
    ccafe --measure -o killed.mm -D FLUX=EFMFlux -D NX=64 -D NY=32 -D PATCH=16 -D T_END=50 -D PICTURE=k.png \
        "$root/scripts/shock-demo.rc" >killed.out 2>&1 &
    process=$!
    while kill -0 $process 2>/dev/null && [ $rows -lt 200000 ]; do
        sleep .1
        rows=$(du -bs killed.mm 2>/dev/null | cut -f1)
        rows=${rows:-0}
    done
    kill -9 $process
    wait $process 2>/dev/null
    mastermind properties killed.mm >table 2>err || [ $? = 1 ] || fail "a killed run: $(cat err)"
    holds table "killed.mm: killed: times of open calls are lower bounds"
    rm -rf killed.mm
}

wrong_words() {
    expect 2 "properties takes experiments or stores, found none" mastermind properties
    expect 2 "found no property 'MPIOverhed', did you mean MPIOverhead" mastermind properties repeats.sqlite --property MPIOverhed
    expect 2 "'1.5' for --confidence, expected 0 to 1" mastermind properties repeats.sqlite --confidence 1.5
    expect 2 "'x' for --threshold" mastermind properties repeats.sqlite --threshold x
    expect 2 "found --csv and --json" mastermind properties repeats.sqlite --csv --json
    expect 2 "--bases" mastermind properties repeats.sqlite --bases x
    expect 3 "did you mean driver.go" mastermind properties one.mm --basis driver.g
    expect 3 "nothing.mm: No such file" mastermind properties nothing.mm
    expect 3 "found no region 'x.y.c', did you mean x.y." mastermind properties repeats.sqlite --basis x.y.c
    expect 3 "is in the store already" mastermind properties one.mm one.mm
    mkfifo pipe
    expect 3 "pipe" timeout 20 mastermind properties pipe
    expect 3 "found no region like 'z*'" mastermind properties repeats.sqlite --region 'z*'
    expect 3 "no.property" mastermind properties repeats.sqlite --property no.property
    expect 3 "nothing.mm" mastermind properties repeats.sqlite --seq nothing.mm
    printf 'name: Bad\ndoc: d\nfor: summary\nseverity: exec_tme / basis.exec_time\n' >bad.property
    expect 3 "bad.property:4: found 'exec_tme', expected" mastermind properties repeats.sqlite --property bad.property
    expect 3 "bad.property:4: found 'exec_tme', expected" mastermind properties --lint bad.property
    # Damaged stores: cut, and with bytes of another kind.
    head -c 5000 repeats.sqlite >cut.sqlite
    expect 3 "cut.sqlite: " mastermind properties cut.sqlite
    python3 - <<'END'
data = bytearray(open("repeats.sqlite", "rb").read())
for i in range(4096, len(data), 7):
    data[i] ^= 0x55
open("bent.sqlite", "wb").write(data)
END
    expect 3 "bent.sqlite: " mastermind properties bent.sqlite
    equal "lines about a damaged store" 1 "$(wc -l <err)"
    mkdir nothing_here
    expect 3 "nothing_here" mastermind properties nothing_here
    MASTERMIND_PROPERTIES=$dir/nothing_here expect 3 "found no property files" mastermind properties repeats.sqlite
    MASTERMIND_PROPERTIES=$dir/here
    mkdir here
    printf 'name: Mine\ndoc: mine\nfor: summary\nseverity: mpi_time / basis.exec_time\n' >here/mine.property
    export MASTERMIND_PROPERTIES
    run 0 mastermind properties --list
    equal "properties of another directory" "Mine  summary      mine" "$(cat out)"
    unset MASTERMIND_PROPERTIES
    # All that comes with the program is right.
    local file
    for file in "$root"/properties/library/*.property; do
        run 0 mastermind properties --lint "$file"
    done
}

decides
writes_stores
without_mpi
wrong_words
under_each real_runs "properties"
