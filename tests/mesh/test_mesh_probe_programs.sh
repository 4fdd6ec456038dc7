#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Programs in C, C++ and Fortran, compiled by docs/guide/mesh.md alone against an installed tree: what they tell
# stands in shared memory, read by a reader that knows the layout alone. Wrong calls are one clear line each.
# lane: agents, its runs have names in /dev/shm
. "$(dirname "$0")/../lib/lib.sh"
export MM_MESH_SESSION=programs$$
cleanup() { "$root/tests/mesh/probe_reader.py" --remove $MM_MESH_SESSION >/dev/null; }
read_all() { "$root/tests/mesh/probe_reader.py" "$@" $MM_MESH_SESSION; }
unset MASTERMIND_RECORD_CELLS OMPI_COMM_WORLD_RANK PMI_RANK PMIX_RANK
use_installed
export PKG_CONFIG_PATH=$dir/usr/lib/pkgconfig
sanitize=
case $BUILD in asan) sanitize=-fsanitize=address,undefined ;; tsan) sanitize=-fsanitize=thread ;; esac

# The examples of the page, as they stand there.
python3 - "$root/docs/guide/mesh.md" <<'END'
import re, sys
page = open(sys.argv[1]).read()
for language, file in (("c", "field.c"), ("fortran", "field.f90")):
    open(file, "w").write(re.search(f"```{language}\n(.*?)```", page, re.S)[1])
END
run 0 $CC -Wall -Wextra $sanitize -O2 field.c $(pkg-config --cflags --libs mm_mesh) -lm -o field
quiet
run 0 ./field
quiet
equal "segments of a program that is not profiled" "" "$(read_all)"
MASTERMIND_RECORD_CELLS=work,cost MM_MESH_SLOTS=12 run 0 ./field
quiet
read_all >out
says "mesh field kind 0 dims 3 n 30,20,20 levels 1 rank 0/1"
equal "lines of both probes" 20 "$(grep -c '^step' out)"
# the work, by the formula of the example
python3 - out <<'END' || fail "sums of work"
import math, sys
found = {}
for line in open(sys.argv[1]):
    w = line.split()
    if w[0] == "step":
        found[int(w[1]), w[5]] = (float(w[3]), int(w[7]), float(w[9]))
for step in range(10):
    work = sum(1 + int(8 * math.exp(-.05 * ((i - 3 * step)**2 + (j - 10)**2 + (k - 10)**2)))
               for i in range(30) for j in range(20) for k in range(20))
    time, cells, total = found[step, "work"]
    assert cells == 12000 and total == work and abs(time - .1 * step) < 1e-6, (step, found[step, "work"], work)
    assert found[step, "cost"][2] > 0
END
read_all --cells >cells_c
cleanup

# The same in C++, with static linking.
run 0 $CXX -x c++ -Wall -Wextra $sanitize -O2 -c $(pkg-config --cflags mm_mesh) -o field.o - \
    < <(sed 's|mm_mesh_box(m, 0, lo, n)|mm_mesh_boxes(m, 0, 1, lo, n)|; s|cca_error err = {0}|cca_error err = {}|' field.c)
quiet
run 0 $CXX $sanitize field.o "$dir/usr/lib/libmm_mesh.a" -lm -pthread -o field_cc
MASTERMIND_RECORD_CELLS=work MM_MESH_SLOTS=12 run 0 ./field_cc
quiet
equal "what C++ told" "$(grep ' work ' cells_c)" "$(read_all --cells | grep ' work ')"
cleanup

# Fortran: indices from 1, the other order of loops, the same cells.
if command -v gfortran >/dev/null; then
    run 0 gfortran -Wall $sanitize -O2 field.f90 $(pkg-config --cflags --libs mm_mesh) -o field_f
    quiet
    run 0 ./field_f
    MASTERMIND_RECORD_CELLS=all MM_MESH_SLOTS=12 run 0 ./field_f
    quiet
    read_all --cells >cells_f
    equal "what Fortran told" "$(grep '^cell.* work ' cells_c | md5sum)" "$(grep '^cell.* work ' cells_f | md5sum)"
    equal "steps of Fortran" 20 "$(grep -c '^step' cells_f)"
    cleanup
    cp "$root/tests/mesh/probe_calls.f90" .
    run 0 gfortran -Wall $sanitize -O2 probe_calls.f90 $(pkg-config --cflags --libs mm_mesh) -o calls_f
    MASTERMIND_RECORD_CELLS=all run 0 ./calls_f
    holds out "mm_mesh_open: bad, dimension 1: found 0 cells, expected 1 to 2147483648"
    read_all --cells >out
    says "mesh amr kind 0 dims 2 n 8,8,1 levels 2 rank 1/2"
    says "mesh tri kind 1 dims 2 n 10,1,1 levels 1 rank 0/1"
    says "cell 0,0,0 level 0 w 2"
    says "cell 3,7,0 level 0 w 5"
    says "cell 15,15,0 level 1 w 7.5"
    says "cell 4,4,0 level 1 w 1"
    says "cell 5,5,0 level 1 w 1"
    says "cell 2,0,0 level 0 w 3"
    says "cell 9,0,0 level 0 w 10"
    says "step 3 time nan probe w cells 48 sum 18.5"
    cleanup
fi

finish
