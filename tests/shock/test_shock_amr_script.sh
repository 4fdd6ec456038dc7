#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# scripts/shock-amr.rc: the table of levels adds up, wrong words are one clear line, and the levels
# are advanced in the order L0 L1 L2 L2 L1 L2 L2. On ranks: tests/mpi/test_mpi_amr_script.sh.
. "$(dirname "$0")/../lib/lib.sh"
script=$root/scripts/shock-amr.rc
words='-D FLUX=HLLCFlux -D STATES=States -D NX=64 -D NY=16 -D LEVELS=3 -D PATCH=8 -D GHOSTS=GhostsPerNeighbour
       -D BALANCE=every:3 -D T_END=0.1 -D PICTURE=shock.png'

# --- One process
expect 0 "shock-amr.rc: no mistakes: " ccafe check $words "$script"
run 0 ccafe $words "$script"
quiet
cp out alone.out && cp shock.png alone.png || fail "no picture"
cat >table.py <<'END'
import re, sys
nx, ny, most = (int(word) for word in sys.argv[1:4])
lines = open("out").read().splitlines()
driver = next(line for line in lines if line.startswith("driver: "))
steps, cells_x, cells_y = (int(n) for n in re.search(r"steps +(\d+) .* cells +(\d+) x (\d+)", driver).groups())
assert (cells_x, cells_y) == (nx, ny), driver
rows = [line.split() for line in lines[lines.index(driver) + 2:-1]]
assert [int(row[0]) for row in rows] == list(range(len(rows))) and 1 < len(rows) <= most, rows
total = uniform = 0
for level, (_, patches, cells, part, percent, updates) in enumerate(rows):
    patches, cells, part, updates = int(patches), int(cells), float(part), float(updates)
    assert percent == "%" and patches >= 1
    assert cells >= 4 * patches and cells % 4 == 0, rows # 2 a side at least
    assert abs(part - 100 * cells / (nx * ny * 4 ** level)) <= .0501, rows
    total += updates
uniform = steps * nx * ny * 8 ** (len(rows) - 1)
assert int(rows[0][2]) == nx * ny and rows[0][3] == "100.0", rows
assert abs(float(rows[0][5]) - steps * nx * ny) <= 5e-4 * steps * nx * ny, rows
found = re.fullmatch(r"all levels: ([0-9.e+]+) cell updates, ([0-9.]+) % of those of a uniform mesh as fine", lines[-1])
assert abs(float(found[1]) - total) <= 2e-3 * total, lines
assert abs(float(found[2]) - 100 * total / uniform) <= .0501 + .2 * total / uniform, lines
END
python3 table.py 64 16 3 || fail "the table of levels does not add up: $(cat out)"

# One level has no table; any largest patch has the same picture.
run 0 ccafe $words -D LEVELS=1 "$script"
! grep -q '^level' out || fail "a table of one level"
run 0 ccafe $words -D PATCH=0 "$script"
python3 table.py 64 16 3 || fail "whole clusters: the table of levels does not add up: $(cat out)"
cmp -s shock.png alone.png || fail "another largest patch, another picture"
run 0 ccafe $words -D GHOSTS=GhostsPerPatch "$script"
cmp -s shock.png alone.png && cmp -s out alone.out || fail "another exchange of ghost cells, another picture"

# --- Wrong words: the line of the script and what is wrong with it, nothing else
wrong() {
    local text=$1
    shift
    rm -f shock.png
    run 3 ccafe $words "$@" "$script"
    [ ! -s out ] && [ "$(wc -l <err)" = 1 ] || fail "$*: expected one line"
    grep -Eq "^$script:[0-9]+: .*$text" err || fail "$*: no '$text'"
    cp err run.err
    run 3 ccafe check $words "$@" "$script"
    grep -Eq "^$script:[0-9]+: .*$text" err || fail "check $*: no '$text'"
    [ ! -e shock.png ] || fail "$*: a picture"
}
wrong "parameter 'levels' of 'mesh' lies between 1 and 8, found '0'" -D LEVELS=0
wrong "parameter 'levels' of 'mesh' is an integer, found 'x'" -D LEVELS=x
wrong "parameter 'patch_nx' of 'mesh' is at least 0, found '-1'" -D PATCH=-1
wrong "parameter 'nx' of 'driver' lies between 1 and [0-9]+, found '0'" -D NX=0
wrong "parameter 't_end' of 'driver' is a finite number, found 'soon'" -D T_END=soon
wrong "no class 'GodunovFlus' on the path; did you mean 'GodunovFlux'\?" -D FLUX=GodunovFlus
wrong "no class 'Stats' on the path; did you mean 'States'\?" -D STATES=Stats
wrong "no class 'GhostPerPatch' on the path; did you mean 'GhostsPerPatch'\?" -D GHOSTS=GhostPerPatch
wrong "'flux' has no provides port 'flux'" -D FLUX=States
wrong "'ghosts' has no provides port 'ghosts'" -D GHOSTS=States
run 3 ccafe -D FLUX=HLLCFlux "$script"
grep -q "variable '[A-Z]*' is not defined" err || fail "a variable is missing"
expect 4 "balance: 'soon', expected never, or every:N" ccafe $words -D BALANCE=soon "$script"
expect 4 "cannot write picture 'nowhere/shock.png" ccafe $words -D PICTURE=nowhere/shock.png "$script"

# --- The order of levels
run 0 ccafe --measure --experiment run.mm $words -D PATCH=0 "$script"
mastermind records run.mm >records.csv || fail "records"
python3 - <<'END' || fail "the order of levels"
import csv
rows = list(csv.DictReader(open("records.csv")))
def of(instance, method):
    found = [r for r in rows if (r["instance"], r["method"]) == (instance, method)]
    return sorted(found, key=lambda r: int(r["invocation"]))
steps = of("rk2", "advance")
assert steps and all(r["p.level"] == "0" for r in steps)
order = [0, 1, 2, 2, 1, 2, 2]
calls = {"exchange": [level for level in order for stage in range(2)], "keep_old": [0, 1, 1],
         "reflux": [1, 1, 0], "restrict_level": [1, 1, 0]}
for method, wanted in calls.items():
    for step in steps:
        found = [int(r["p.level"]) for r in of("mesh", method) if r["caller"] == step["invocation"]]
        assert found == wanted, (method, found)
go = of("driver", "go")[0]["invocation"]
flagging = [int(r["p.level"]) for r in of("mesh", "exchange") if r["caller"] == go]
assert flagging.count(0) >= len(steps) / 2 and set(flagging) <= {0, 1, 2}, flagging
flagged = of("estimator", "flag")
assert flagged and sum(int(r["o.flagged"]) for r in flagged) > 0
END
finish
