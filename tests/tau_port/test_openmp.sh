#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# --metrics OPENMP: programs of gcc and clang that know by their own clock what each thread did,
# recorded rows against closed forms, both compilers in one assembly, and programs that end badly.
. "$(dirname "$0")/../lib/lib.sh"
needs_preload
programs=$root/tests/tau_port/openmp
export OMP_NUM_THREADS=4 OMP_WAIT_POLICY=passive
all="imbalance critical locks ordered barriers loops combined sections tasks reductions nested alone fork"

compilers=gcc
echo 'int main(void) { return 0; }' >empty.c
clang -fopenmp -o empty empty.c 2>/dev/null && compilers="gcc clang"
kind() { [ "$1" = gcc ] && echo 1 || echo 2; }

# attempt COMMAND...: on a host that others use a thread may lose its core between two clocks
attempt() {
    for _ in 1 2 3; do
        "$@" >attempted 2>&1 && return
    done
    fail "$*: $(cat attempted)"
}

# --- Regions
regions_of() {
    rm -rf regions.mm
    mastermind record --metrics OPENMP -o regions.mm -- "./$1" $all >truth && "$programs/check_regions.py" regions.mm/rank-0000/openmp truth "$2"
}
for c in $compilers; do
    $c -O2 -g -Wall -fopenmp -o "truth_$c" "$programs/truth.c" || fail "$c: truth.c"
    attempt regions_of "truth_$c" "$(kind $c)"
done
# gcc's code with the runtime of clang: OMPT announces what the wrappers let through.
llvm=$(clang -print-file-name=libomp.so 2>/dev/null)
if [ -e "$llvm" ]; then
    gcc -O2 -g -fopenmp -c -o truth.o "$programs/truth.c" && gcc -o truth_mixed truth.o "$llvm" -Wl,-rpath,"$(dirname "$(realpath "$llvm")")"
    all="imbalance critical locks barriers loops nested"
    attempt regions_of truth_mixed 2
fi

# --- Rows of a recorded program. Four threads are there: alone, three quarters of the time are lost, with two, half.
# A thread that the process has not begun with loses from its first region on.
rows_of() {
    rm -rf rows.mm
    mastermind record --proxy proxy --metrics CPU_TIME,OPENMP -o rows.mm -- "./steps_$1" && mastermind records rows.mm >rows.csv &&
        "$programs/check_rows.py" rows.csv step <<'END'
0  .75*W
60 0
0  .75*W
20 .50*W
0  0
60 0
0  .75*W
20 .50*W
END
}
for c in $compilers; do
    mkdir -p "$c"
    $c -O2 -g -fopenmp -fPIC -shared -I"$programs" -o "$c/libstep.so" "$programs/step.c" || fail "$c: step.c"
    $c -O2 -g -I"$programs" -o "steps_$c" "$programs/steps.c" -L"$c" -lstep -Wl,-rpath,"$dir/$c" || fail "$c: steps.c"
done
run 0 proxygen --interpose "$programs/step.h" --functions step -o proxy
for c in $compilers; do
    attempt rows_of "$c"
done
python3 - rows.mm/experiment.json <<'END' || fail "counters of experiment.json"
import json, sys
counters = json.load(open(sys.argv[1]))["counters"]
names = ["OMP_SYNC_TIME", "OMP_CONTROL_TIME", "OMP_LOSS_TIME"]
assert counters["asked"] == counters["names"] == names, counters
assert [m["name"] for m in counters["missing"]] == ["MPI_TIME"], counters
END

# --- An assembly: the components bring their runtimes along, after the start
mkdir classes
for c in $compilers; do
    $c -O2 -g -fopenmp -shared $(ccafe cflags) -I"$root" -DCLASS="\"Team_$c\"" -o "classes/Team_$c.so" "$programs/team.c" || fail "$c: team.c"
done
{
    echo "path append classes"
    for c in $compilers; do
        printf '%s\n' "instantiate Team_$c $c" "instantiate Team_$c ${c}_worker" "connect $c other ${c}_worker flux" "go $c go"
    done
} >teams.rc
assembly() {
    rm -rf teams.mm
    ccafe --measure --metrics OPENMP --experiment teams.mm teams.rc && mastermind records teams.mm >rows.csv || return
    for c in $compilers; do
        "$programs/check_rows.py" rows.csv compute ${c}_worker <<'END' && "$programs/check_rows.py" rows.csv go $c <<'END2' || return
60 0
W-30 0
END
0 .75*W
END2
    done
}
attempt assembly
python3 - "$programs" $compilers <<'END' || fail "regions of an assembly"
import sys
sys.path.insert(0, sys.argv[1])
from check_regions import read_regions
regions = read_regions("teams.mm/rank-0000/openmp")
kinds = [kind for c, kind in (("gcc", 1), ("clang", 2)) if c in sys.argv for _ in range(2)]
assert [r["kind"] for r in regions] == kinds, regions
assert all(r["ended"] == 1 and len(r["threads"]) == 4 and r["function"].startswith("compute") for r in regions), regions
END
# A script comes too late to load it, and says so.
printf '%s\n' "path append classes" "instantiate TauMeasurement tau" "parameter tau config metrics OPENMP" "instantiate Mastermind mm" \
    "connect mm measurement tau measurement" "instantiate Team_gcc g" "instantiate Team_gcc w" "connect g other w flux" "go g go" >late.rc
expect 0 "OPENMP is not measured: only the option --metrics loads the library that measures it" ccafe --measure --experiment late.mm late.rc

# --- Killed in a region: what has ended is there, what has not is open
for c in $compilers; do
    run 137 mastermind record --metrics OPENMP -o "killed_$c.mm" -- "./truth_$c" imbalance kill
    python3 - "$programs" "killed_$c.mm/rank-0000/openmp" <<'END' || fail "$c: killed"
import sys
sys.path.insert(0, sys.argv[1])
from check_regions import read_regions
first, last = read_regions(sys.argv[2])
assert (first["begun"], first["ended"], len(first["threads"])) == (1, 1, 4), first
assert (last["begun"], last["ended"], last["threads"]) == (1, 0, {}), last
END
done

# --- What a program does before its first region is a part of its time
cat >late.c <<'END'
#include <unistd.h>
int main(void)
{
    usleep(100000);
#pragma omp parallel num_threads(2)
    usleep(20000);
    return 0;
}
END
gcc -fopenmp -o late late.c
run 0 mastermind record --metrics OPENMP -o late_region.mm -- ./late
python3 - "$programs" <<'END' || fail "time before the first region"
import json, sys
sys.path.insert(0, sys.argv[1])
from check_regions import read_regions
region, = read_regions("late_region.mm/rank-0000/openmp")
wall = json.load(open("late_region.mm/experiment.json"))["totals"]["wall_ns"]
assert wall > 3 * region["wall"], (wall, region)
END

# --- A program without OpenMP, and one whose OpenMP is not asked for
cat >plain.c <<'END'
#include <stdio.h>
#include <string.h>
int main(void)
{
    char line[4096];
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps))
        if (strstr(line, "libmeas_openmp") || strstr(line, "gomp"))
            return 3;
    return 7;
}
END
$CC -o plain plain.c
run 7 mastermind record --metrics CPU_TIME -- ./plain
run 3 mastermind record --metrics OPENMP --no-report -- ./plain
holds err "nothing of plain was recorded"
run 0 mastermind record -o not_asked.mm --proxy proxy -- ./steps_gcc
[ ! -e not_asked.mm/rank-0000/openmp ] || fail "regions that nobody has asked for"
expect 2 "expected TIME, CPU_TIME, MPI_TIME, MPI_SPLIT, OPENMP" mastermind record --metrics OPENMPI -- ./plain
# It runs with the same output and status, measured or not.
./truth_gcc fork | cut -d' ' -f1-3 >plainly
run 0 mastermind record --metrics OPENMP -o same.mm -- ./truth_gcc fork
equal "output" "$(cat plainly)" "$(cut -d' ' -f1-3 out)"
finish
