#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# `ccafe --cells` on the shock scripts, unchanged: every step is in the profile or counted as lost, the
# work of the cells is what the fluxes did, and fields are the same; alone and on ranks.
# lane: agents, its runs have names in /dev/shm
. "$(dirname "$0")/../lib/mpi.sh"
export MM_MESH_SLOTS=16 # a slot for each step: none is lost while the agents start
mkdir classes && ln -s "$O"/tests/components/sh_field_dump.so classes
sed -e 's/nx       256/nx 48/' -e 's/ny       64/ny 12/' -e 's/t_end    1/t_end .1/' \
    -e 's/config patch_nx .*/config patches_x 4/' -e 's/config patch_ny .*/config patches_y 2/' \
    -e 's/FieldImage  *image/FieldDump image/' -e 's/shock.png/field.dump/' "$root/scripts/shock.rc" >shock.rc
ccafe --path "$dir/classes" shock.rc >alone.out 2>&1 && mv field.dump alone.dump || fail "alone: $(cat alone.out)"

# steps EXP: whole and lost steps must be all of them
cat >steps.py <<'PY'
import json, subprocess, sys, time
experiment, ranks, kind = sys.argv[1], int(sys.argv[2]), sys.argv[3]
for _ in range(100): # the agents end after the program
    text = subprocess.run(["mastermind", "mesh", experiment, "--probe", "work", "--csv"], capture_output=True, text=True).stdout
    told = [line.split(",") for line in text.splitlines()[1:]]
    last = [row for row in told if int(row[0]) == int(sys.argv[4]) - 1]
    if last and all(row[-1] for row in last): # the agents of all ranks have told it
        break
    time.sleep(.1)
rows = [line.split(",") for line in text.splitlines()]
head, rows = rows[0], rows[1:]
value = head.index("value") if "value" in head else len(head) - 1
sums, lacking = {}, {row[0] for row in rows if not row[value]} # a rank was late there
for row in rows:
    if row[0] in lacking:
        continue
    sums[int(row[0])] = sums.get(int(row[0]), 0) + float(row[value])
assert sums, text[:200]
for step, found in sorted(sums.items()):
    if kind == "EFMFlux": # four half faces in each of two evaluations
        assert found == 48 * 12 * 4, (step, found)
    else: # at least one iteration a face, at most those of the record
        assert found >= 48 * 12 * 4, (step, found)
print(len(sums), max(sums))
PY

# An adaptive mesh whose patches change in number and owner: each cell of a level has 4 half faces, in two
# evaluations, in each of 2^level steps; cells that are told are those that the driver counted.
adaptive() {
    ranks 0 2 ccafe -D FLUX=EFMFlux -D STATES=States -D NX=48 -D NY=12 -D LEVELS=3 -D PATCH=8 -D BALANCE=every:4 \
        -D T_END=0.1 -D PICTURE= -D GHOSTS=GhostsPerPatch --measure --cells all -o amr.mm "$root/scripts/shock-amr.rc"
    mv out amr.out
    for level in 0 1 2; do
        mastermind mesh amr.mm --probe work --level $level --csv >level-$level.csv || fail "$flavour: level $level"
    done
    python3 - <<'PY' >amr.err 2>&1 || fail "$flavour: adaptive: $(tail -3 amr.err)"
import csv, re
text = open("amr.out").read()
steps = int(re.search(r"steps +(\d+)", text).group(1))
for level in range(3):
    updates = float(re.search(rf"^ +{level} +\d+ +\d+ +[\d.]+ % +(\S+)$", text, re.M).group(1))
    rows = [r for r in csv.DictReader(open(f"level-{level}.csv")) if r["work"]]
    assert {int(r["step"]) for r in rows} == set(range(steps)), "steps are missing"
    assert {r["rank"] for r in rows} == {"0", "1"}
    wrong = [r for r in rows if float(r["work"]) != 4 * 2**level]
    assert not wrong, wrong[:3]
    assert abs(len(rows) * 2**level - updates) < 2e-3 * updates, (level, len(rows), updates)
PY
}

# Shared memory of processes that are gone: mm_mesh-UID-SESSION-PID-...; other tests run, too.
memory_left() {
    local name pid
    for name in /dev/shm/mm_mesh-"$(id -u)"-*; do
        pid=${name#*/mm_mesh-*-*-}
        [ ! -e "$name" ] || [ ! "$name" -nt "$dir/shock.rc" ] || [ -d "/proc/${pid%%-*}" ] || echo "$name"
    done
}

probed() {
    local n flux
    cp ../shock.rc .
    sed -e 's/GodunovFlux/EFMFlux/' ../shock.rc >efm.rc
    for n in 1 2; do
        ranks 0 $n ccafe --path "$dir/classes" --measure --cells all -o run-$n.mm shock.rc
        cmp -s ../alone.dump field.dump || fail "$flavour: $n ranks: another field with probes"
        last=$(sed -n 's/.*steps *\([0-9]*\) .*/\1/p' out)
        python3 ../steps.py run-$n.mm $n GodunovFlux "$last" >found || fail "$flavour: $n ranks: $(cat found)"
        ranks 0 $n ccafe --path "$dir/classes" --cells work -o efm-$n.mm efm.rc
        last=$(sed -n 's/.*steps *\([0-9]*\) .*/\1/p' out)
        python3 ../steps.py efm-$n.mm $n EFMFlux "$last" >found || fail "$flavour: $n ranks, EFM: $(cat found)"
    done
    adaptive
    ranks 2 2 ccafe --cells 'wrok:blokcs' shock.rc
    holds err "blokcs"
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        memory_left >left
        [ -s left ] || break
        sleep .5
    done
    [ -s left ] && fail "$flavour: left in /dev/shm: $(cat left)"
    true
}
under_each probed "the shock with probes"
