#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# `mastermind export vtk`: grids of one to three dimensions, levels, elements. A reader of our own finds each value at
# its place; where Python has VTK, its reader finds the same.
. "$(dirname "$0")/../lib/lib.sh"
export PYTHONPATH=$root/tests/mesh${PYTHONPATH:+:$PYTHONPATH}
[ -x "$O/tests/test_mesh_convert" ] || fail "$O/tests/test_mesh_convert is not built"
run 0 "$O/tests/test_mesh_convert" make .

# The value of a cell as tests/mesh/profiles.h has it.
cat >truth.py <<'END'
import math
from vtk_files import *
def value(step, level, c):
    return step * 1000 + level * 500 + c[0] + c[1] / 32 + c[2] / 1024
def check_image(path, step, level):
    """All cells of an image, x fastest."""
    extent, origin, spacing, arrays = read_image(path)
    ranges = [range(a, max(b, a + 1)) for a, b in zip(extent[::2], extent[1::2])]
    n = 0
    for z in ranges[2]:
        for y in ranges[1]:
            for x in ranges[0]:
                assert abs(arrays["work"][n] - value(step, level, (x, y, z))) < 1e-3, (path, x, y, z)
                n += 1
    return extent, origin, spacing, arrays
END

for name in amr2 amr3 elements grid; do
    run 0 mastermind export vtk $name.mm -o $name.vtk
    quiet
done

# --- one level ---------------------------------------------------------------------------------
python3 - <<'END' || fail "grid"
from truth import *
steps = read_collection("grid.vtk/grid.pvd")
assert [t for t, _ in steps] == [0, .5, 1, 1.5], steps
for s, (_, path) in enumerate(steps):
    extent, origin, spacing, arrays = check_image(path, s, 0)
    assert extent == [0, 64, 0, 48, 0, 64] and origin == [0, 0, 0] and spacing == [1, 1, 1]
    assert arrays["rank"] == [int(x >= 32) for _ in range(64 * 48) for x in range(64)]
END
python3 - <<'END'
with open("line.csv", "w") as f, open("plane.csv", "w") as g:
    f.write("step,i,value\n")
    g.write("step,i,j,value\n")
    for s in (3, 6):
        for c in range(12):
            f.write("%d,%d,%d\n" % (s, c, 100 * s + c))
            g.write("%d,%d,%d,%d\n" % (s, c // 3, c % 3, 100 * s + c))
END
run 0 mastermind import cells line.csv --shape 12 -o line.mm
run 0 mastermind import cells plane.csv --shape 4,3 -o plane.mm
run 0 mastermind export vtk line.mm -o line.vtk
run 0 mastermind export vtk plane.mm --step 6 -o plane.vtk
python3 - <<'END' || fail "one and two dimensions"
from truth import *
(t3, first), (t6, second) = read_collection("line.vtk/line.pvd")
assert (t3, t6) == (3, 6)
extent, _, _, arrays = read_image(second)
assert extent == [0, 12, 0, 0, 0, 0] and arrays["value"] == [600 + c for c in range(12)]
(t6, only), = read_collection("plane.vtk/plane.pvd")
extent, _, _, arrays = read_image(only)
assert extent == [0, 4, 0, 3, 0, 0] and arrays["value"] == [600 + 3 * x + y for y in range(3) for x in range(4)]
END

# --- levels --------------------------------------------------------------------------------------
python3 - <<'END' || fail "levels"
from truth import *
def refined(level, cell, told, dims):
    """Whether all cells of the level above that lie in the cell are told."""
    spans = [range(2 * c, 2 * c + 2) if d < dims else range(1) for d, c in enumerate(cell)]
    return all((x, y, z) in told.get(level + 1, ()) for x in spans[0] for y in spans[1] for z in spans[2])
wanted = {"amr2": lambda s: {0: 128, 1: 64 + 36, 2: 48}, "amr3": lambda s: {0: 120, 1: 48}}
for name, dims, spacing in ("amr2", 2, [.5, .25, 1]), ("amr3", 3, [1, 1, 1]):
    for s, (_, path) in enumerate(read_collection(f"{name}.vtk/{name}.pvd")):
        kind, origin, boxes = read_amr(path)
        assert kind == "XY" if dims == 2 else "XYZ"
        assert origin == ([1, 2, 0] if dims == 2 else [0, 0, 0])
        told, ghosts = {}, {}
        for level, box, step, image in boxes:
            assert step == [x / 2 ** level if d < dims else 1 for d, x in enumerate(spacing)], step
            extent, o, sp, arrays = check_image(image, s, level)
            assert o == origin and sp == step
            for d in range(dims):
                assert box[2 * d:2 * d + 2] == [extent[2 * d], extent[2 * d + 1] - 1]
            assert dims == 3 or box[4:] == [0, -1]
            n = 0
            for z in range(extent[4], max(extent[5], 1)):
                for y in range(extent[2], extent[3]):
                    for x in range(extent[0], extent[1]):
                        assert (x, y, z) not in told.setdefault(level, set()), "boxes overlap"
                        told[level].add((x, y, z))
                        ghosts[level, x, y, z] = arrays["vtkGhostType"][n]
                        n += 1
        assert {l: len(c) for l, c in told.items()} == wanted[name](s)
        for (level, *cell), ghost in ghosts.items():
            assert ghost == 8 * refined(level, cell, told, dims), (level, cell)
        assert 8 in ghosts.values()
END

# --- elements -------------------------------------------------------------------------------------
python3 - <<'END' || fail "elements"
from truth import *
for s, (_, path) in enumerate(read_collection("elements.vtk/elements.pvd")):
    points, arrays = read_points(path)
    assert points == [[.5 * e, e % 3, 0] for e in range(12)]
    for e in range(12):
        if s == 1 and e == 11:
            assert math.isnan(arrays["work"][e]) and arrays["rank"][e] == -1
        else:
            assert arrays["work"][e] == value(s, 0, (e, 0, 0)) and arrays["rank"][e] == int(e >= 7)
END
python3 "$root/tests/mesh/vtk_files.py" same grid.vtk/grid/*_000001.vti plane.vtk/plane/*.vti line.vtk/line/*.vti \
    amr2.vtk/amr2/*.vt* amr3.vtk/amr3/*.vt* elements.vtk/elements/*.vtu || fail "VTK reads other values"

# --- misuse ----------------------------------------------------------------------------------------
expect 5 "exists and is not an empty directory" mastermind export vtk amr2.mm -o amr2.vtk
expect 3 "found no step 7, expected steps of 0 to 2" mastermind export vtk amr2.mm --step 7 -o x.vtk
expect 2 "expected A:B" mastermind export vtk amr2.mm --step 2:1 -o x.vtk
expect 3 "none.mm" mastermind export vtk none.mm -o x.vtk
expect 2 "unknown format" mastermind export vtx amr2.mm -o x.vtk
# Damage that is found while it writes leaves nothing.
cp -r grid.mm bad.mm
python3 - <<'END'
data = bytearray(open("bad.mm/mesh/grid.cells", "rb").read())
data[len(data) * 3 // 4] ^= 4
open("bad.mm/mesh/grid.cells", "wb").write(data)
END
expect 3 "bad.mm/mesh/grid.cells: at byte" mastermind export vtk bad.mm -o x.vtk
[ -z "$(ls -d x.vtk* 2>/dev/null)" ] || fail "half an export is left"
finish
