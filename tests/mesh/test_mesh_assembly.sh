#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# `ccafe --cells` on the shock scripts, unchanged: every step is in the profile or counted as lost, the
# work of the cells is what the fluxes did, and fields are the same; alone and on ranks.
. "$(dirname "$0")/../lib/mpi.sh"
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
    told = {int(line.split(",")[0]) for line in text.splitlines()[1:]}
    if told and max(told) == int(sys.argv[4]) - 1:
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
    ranks 2 2 ccafe --cells 'wrok:blokcs' shock.rc
    holds err "blokcs"
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        ls /dev/shm | grep -q "mm_mesh-$(id -u)-" || break
        sleep .5
    done
    ls /dev/shm | grep "mm_mesh-$(id -u)-" >left && fail "$flavour: left in /dev/shm: $(cat left)"
    true
}
under_each probed "the shock with probes"
