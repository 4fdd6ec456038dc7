#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# `mastermind messages` of real runs: exact counts are those of the program, each way of the halves
# finds the same messages, and a run that is killed can be read.
. "$(dirname "$0")/../lib/lib.sh"
needs_preload
for flavour in openmpi mpich; do
    [ -x "$O/programs/$flavour/multigrid" ] && break
done
[ -x "$O/programs/$flavour/multigrid" ] || skip "no MPI here"
program="$O/programs/$flavour/multigrid"
small="--n 16 --nz 8 --solves 1"

# record DIR WORD: multigrid on two ranks
record() {
    run 0 "$root/tests/lib/mpirun.sh" "$flavour" 2 mastermind record --messages "$2" -o "$1" -- "$program" $small --count
    cp out told
}

record p.mm P-1-WRITE,seed=3
run 0 mastermind messages p.mm --channels --csv
python3 - <<'END' || fail "counts of channels differ from the program's: $(cat out told)"
import csv, collections
told, found = collections.Counter(), collections.Counter()
for line in open("told"):
    w = line.split()
    if w and w[0] == "pair":
        told[w[1], w[2]] = (int(w[4]), int(w[6]))
for row in csv.DictReader(open("out")):
    m, b = found[row["from"], row["to"]] or (0, 0)
    found[row["from"], row["to"]] = (m + int(row["messages"]), b + int(row["bytes"]))
assert told and told == found, (told, found)
END

# With the same seed each way samples the same messages.
for via in batch files; do
    record "$via.mm" "P-0.2-WRITE,seed=3,via=$via"
    run 0 mastermind messages "$via.mm" --records --csv
    cut -d, -f1-8 out | sort >"$via.csv"
done
[ "$(wc -l <batch.csv)" -gt 50 ] || fail "few records: $(head batch.csv)"
cmp batch.csv files.csv || fail "batch and files have other messages"
grep -q 'multigrid_.*\.c:[0-9]' batch.csv || fail "no callsites: $(head -3 batch.csv)"
for view in "" "--matrix ranks" --sizes --histogram --records; do
    mastermind messages files.mm $view --json >document || fail "$view: status $?"
    fits messages document
done
run 0 mastermind report files.mm --json
fits report out

# Killed under way: what was joined is there.
"$root/tests/lib/mpirun.sh" "$flavour" 2 mastermind record --messages P-0.5-FREQ -o k.mm -- "$program" \
    --n 64 --nz 48 --solves 1000 >/dev/null 2>&1 &
runner=$!
joined=0
for _ in {1..600}; do
    mastermind messages k.mm --json >live 2>/dev/null &&
        joined=$(python3 -c 'import json; print(json.load(open("live"))["counts"]["joined"])') &&
        [ "$joined" -gt 0 ] && break
    sleep .05
done
[ "$joined" -gt 0 ] || fail "nothing to read while it runs"
below() { # all descendants of a process
    local child
    for child in $(pgrep -P "$1"); do
        echo "$child"
        below "$child"
    done
}
for process in $(below $runner); do
    [ "$(readlink "/proc/$process/exe")" = "$(realpath "$program")" ] && kill -9 "$process"
done
wait $runner
expect 0 "2 of 2 processes did not end in order" mastermind messages k.mm
python3 - "$joined" <(mastermind messages k.mm --json) <<'END' || fail "after the kill fewer messages are joined"
import json, sys
counts = json.load(open(sys.argv[2]))["counts"]
assert counts["joined"] >= int(sys.argv[1]) and counts["sent"] >= counts["joined"], counts
END
finish
