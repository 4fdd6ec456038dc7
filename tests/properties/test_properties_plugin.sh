#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Components that are properties: listed, linted and asked like files; severities are what Python computes from the
# same store; one that crashes, hangs, floods or lies is named, and the others' answers stay.
. "$(dirname "$0")/../lib/lib.sh"
python3 "$root/tests/properties/synthetic.py" store.sqlite --units 1,3,4 --regions 6 >/dev/null || fail "synthetic.py"
own=$components/property
cp "$own"/pr_overhead.so "$own"/pr_imbalance.so . && mkdir bad && cp "$own"/pr_bad.so "$own"/pr_mute.so bad
# answers WORDS: the verb finds something or nothing, and prints answers.csv
answers() {
    mastermind properties store.sqlite --csv "$@" >answers.csv 2>err
    status=$?
    [ $status -le 1 ] || fail "properties $*: status $status"
}

same_as_python() {
    answers --path . --all --property PrOverhead --property PrImbalance --property PrSlowdown
    quiet
    python3 - <<'END' >out 2>&1 || fail "values of components"
import csv, sqlite3
db = sqlite3.connect("store.sqlite")
def rows(sql, *args):
    return db.execute(sql, args).fetchall()
names = dict(rows("SELECT id, name FROM region"))
kinds = dict(rows("SELECT id, kind FROM region"))
paths = dict(rows("SELECT id, path FROM experiment"))
units = dict(rows("SELECT id, units FROM experiment"))
roots = dict(rows("SELECT id, root FROM experiment"))
ranks = dict(rows("SELECT id, rank FROM unit"))
one = [e for e in units if units[e] == 1]
assert len(one) == 1
times = {}
expected = {}
for e, r, u, t, m in rows("SELECT experiment, region, unit, exec_time, mpi_time FROM rs"):
    times[e, r, u] = t, m
for (e, r, u), (t, m) in times.items():
    if e not in one:
        expected["PrOverhead", paths[e], names[r], str(ranks[u])] = m / times[e, roots[e], u][0]
for e in paths:
    for r in names:
        of = [t for (x, y, u), (t, m) in times.items() if (x, y) == (e, r)]
        if e in one or not of:
            continue
        n = len(of)
        if n > 1:
            expected["PrImbalance", paths[e], names[r], ""] = (1 - sum(of) / n / max(of)) / (1 - 1 / n)
        alone = [t for (x, y, u), (t, m) in times.items() if (x, y) == (one[0], r)]
        if alone:
            expected["PrSlowdown", paths[e], names[r], ""] = max(0, 1 - alone[0] / max(of))
found = {}
for row in csv.DictReader(open("answers.csv")):
    assert row["holds"] in "01", row
    found[row["property"], row["run"], row["region"], row["rank"]] = float(row["severity"])
assert len(expected) > 20 and set(found) == set(expected), (len(found), len(expected))
worst = max(abs(found[k] - expected[k]) for k in expected)
print(len(found), "answers, off by at most", worst)
exit(worst > 1e-12)
END
    # A confidence that is stated stays; one that is not comes from the runs.
    equal "stated confidence" .5 "$(python3 -c 'import csv
print(*sorted({r["confidence"].lstrip("0") for r in csv.DictReader(open("answers.csv")) if r["property"] == "PrSlowdown"}))')"
}

listed() {
    run 0 mastermind properties --list --path .
    holds out "PrOverhead                    summary      component: time in MPI as a share of the basis"
    holds out "PrSlowdown                    experiments  component: "
    CCA_COMPONENT_PATH=nowhere:$dir run 0 mastermind properties --list --property 'Pr*'
    equal "found by the variable" 3 "$(grep -c component: out)"
    # A file names its own.
    answers --property ./pr_imbalance.so
    equal "properties of a file" "PrImbalance PrSlowdown" "$(python3 -c 'import csv
print(*sorted({r["property"] for r in csv.DictReader(open("answers.csv"))}))')"
    expect 2 "did you mean PrOverhead;" mastermind properties store.sqlite --path . --property PrOverheed
    expect 3 "nowhere" mastermind properties store.sqlite --path nowhere
    # A file has the name: the file's stays.
    printf 'name: PrOverhead\ndoc: another\nfor: summary\nseverity: 0.5\n' >same.property
    run 0 mastermind properties --list --path . --property same.property
    holds err "pr_overhead.so: found property PrOverhead, which same.property has, too: left out"
    says "PrOverhead  summary      another"
    # Members of a Metaproperty may be components.
    printf 'name: Most\ndoc: most of it\nfor: properties\nof: PrOverhead\nseverity: max(severity)\n' >most.property
    answers --path . --property PrOverhead --property most.property --all
    python3 - <<'END' >out 2>&1 || fail "a Metaproperty of a component"
import csv
rows = list(csv.DictReader(open("answers.csv")))
most = {}
for r in rows:
    if r["property"] == "PrOverhead":
        key = r["run"], r["region"]
        most[key] = max(most.get(key, 0), float(r["severity"]))
found = {(r["run"], r["region"]): float(r["severity"]) for r in rows if r["property"] == "Most"}
assert found == most and len(found) > 5, (found, most)
END
}

linted() {
    run 0 mastermind properties --lint pr_overhead.so
    says "pr_overhead.so: right"
    expect 3 "component test.PrMute (pr_mute.so) died of signal 6" mastermind properties --lint bad/pr_mute.so
    expect 3 "pr_bad.so: requires_data: table rs: found no column 'exec_tme'; did you mean 'exec_time'?" \
        mastermind properties --lint bad/pr_bad.so
    expect 3 "RK2.so: found no component with a PropertyPort" mastermind properties --lint "$O/lib/mastermind/RK2.so"
    mkdir open
    cp pr_overhead.so open
    head -c 3000 pr_overhead.so >open/cut.so
    chmod a+w open/pr_overhead.so
    expect 3 "open/pr_overhead.so: everybody can write to" mastermind properties --lint open/pr_overhead.so
    run 0 mastermind properties --lint open/pr_overhead.so --trust
    expect 3 "open/cut.so: " mastermind properties --trust --lint open/cut.so
    expect 3 "./nothing.so: No such file or directory" mastermind properties --lint ./nothing.so
}

# Each by its name with what it did; what is good is answered as without them.
bad_ones_are_named() {
    answers --path . --all --property PrOverhead
    sort answers.csv >alone.csv
    # What they eat and how they die is another matter under a sanitizer.
    local also=(--property BadEat)
    case $BUILD in asan | tsan) also=() ;; esac
    answers --path bad --path . --all --deadline 1 --property PrMute --property BadCrash --property BadHang \
        --property BadLeave --property BadFlood --property BadBabble --property BadInfinite --property BadStranger \
        --property BadWrite --property BadMisread --property BadInject --property BadNeeds "${also[@]}" --property PrOverhead
    quiet
    grep '"PrOverhead"\|^property,' answers.csv | sort >among.csv
    cmp -s alone.csv among.csv || fail "answers of a good component change among bad ones"
    # told PROPERTY WORDS: not evaluated, and why; no answer of it counts
    told() {
        grep -q "^\"$1\",.*,\"component test.*$2" answers.csv || fail "$1: $(grep "\"$1\"" answers.csv | head -1)"
        ! grep "^\"$1\"" answers.csv | grep -q ',[01],' || fail "$1 has answers: $(grep "\"$1\"" answers.csv)"
    }
    told PrMute "died of signal 6 (Aborted)"
    told BadCrash "(pr_bad.so) died of signal 11 (Segmentation fault); its output: 'about to fall'"
    told BadHang "took longer than 1 s"
    told BadLeave "ended the process, with exit status 7"
    told BadFlood "gave more than 10... answers"
    told BadBabble "wrote an invalid answer"
    told BadInfinite "answered with severity inf, expected a number"
    told BadStranger "answered with region 9.87654e+08, expected a region of the store"
    told BadWrite "died of signal 25 (File size limit exceeded)"
    told BadMisread "failed: table rs: found no column 'exec_tme'; did you mean 'exec_time'?"
    told BadInject "failed: table rs: found no column 'FROM'"
    told BadNeeds "requires missing data: table rs: found no column 'exec_tme'; did you mean 'exec_time'?"
    [ ${#also[@]} = 0 ] || told BadEat "failed: out of memory"
    [ ! -s pr_bad.written ] || fail "a component wrote into a file"
    # The store is what it was, and nobody is left behind.
    equal "tables" 1 "$(python3 -c "import sqlite3
print(sqlite3.connect('store.sqlite').execute('SELECT count(*) > 0 FROM summary').fetchone()[0])")"
    local process
    for process in /proc/[0-9]*; do
        [ "$(readlink "$process/cwd" 2>/dev/null)" != "$dir" ] || [ "$(cat "$process/comm")" != mastermind ] ||
            fail "still there: ${process#/proc/}"
    done
}

# What a run lacks is told with its reason, per run; what only one run lacks, of that run.
lacks_are_told() {
    python3 - <<'END' || fail "a store without MPI times"
import shutil, sqlite3
shutil.copy("store.sqlite", "lacking.sqlite")
db = sqlite3.connect("lacking.sqlite")
e = db.execute("SELECT id FROM experiment WHERE units = 3").fetchone()[0]
db.execute("UPDATE summary SET mpi_time = NULL WHERE experiment = ?", (e,))
db.execute("DELETE FROM missing WHERE what = 'mpi_time'")
db.execute("INSERT INTO missing VALUES (?, 'mpi_time', 'nobody looked')", (e,))
db.commit()
END
    mastermind properties lacking.sqlite --path . --all --property PrOverhead --csv >answers.csv 2>err
    equal "runs without" ',"","mpi_time: nobody looked"' "$(cut -d, -f12- answers.csv | sort -u | grep nobody)"
    grep -q '^"PrOverhead".*,1,0\.' answers.csv || fail "nothing is said of the other runs"
    python3 - <<'END' || fail "a store without a sequential run"
import shutil, sqlite3
shutil.copy("store.sqlite", "parallel.sqlite")
db = sqlite3.connect("parallel.sqlite")
db.execute("UPDATE experiment SET units = 2 WHERE units = 1")
db.commit()
END
    run 0 mastermind properties parallel.sqlite --path . --property PrSlowdown
    holds out "PrSlowdown: no sequential run: --seq EXP"
}

same_as_python
listed
linted
bad_ones_are_named
lacks_are_told
finish
