#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# --metrics OPENMP: programs with everything at once keep their results, and the times of each region
# add up; two runtimes in one program; more regions than the file holds; ranks.
. "$(dirname "$0")/../lib/lib.sh"
needs_preload
programs=$root/tests/tau_port/openmp
rounds=${FAULT_ROUNDS:-${SOAK:+50}}
compilers=gcc
echo 'int main(void) { return 0; }' >empty.c
clang -fopenmp -o empty empty.c 2>/dev/null && compilers="gcc clang"

# sums FILE KIND...: the four times of each thread add up to the time of its regions, of these kinds
cat >sums.py <<'END'
import sys
sys.path.insert(0, sys.argv[1])
from check_regions import read_regions
regions, kinds = read_regions(sys.argv[2], 76 if "many" in sys.argv[2] else 0), [int(k) for k in sys.argv[3:]]
assert regions and sorted({r["kind"] for r in regions}) == kinds, regions
for r in regions:
    first = r["threads"][0]
    times = {n: sum(t[k] for k in ("busy", "barrier", "mutex", "control")) for n, t in r["threads"].items()}
    assert r["begun"] == r["ended"] == first["calls"] and abs(times[0] - r["wall"]) <= 1000, r
    assert all(t["calls"] <= r["ended"] for t in r["threads"].values()), r
    assert all(time <= r["wall"] + 1000 for time in times.values()), r
    assert all(times[n] == times[0] for n, t in r["threads"].items() if r["level"] == 1 and t["calls"] == r["ended"]), r
END
sums() { python3 sums.py "$programs" "$@" || fail "sums of $*"; }

# Debian's libomp 14 hangs now and then in nested teams, measured or not: so there are attempts.
storm() {
    for _ in 1 2 3; do
        rm -rf storm.mm
        timeout 60 mastermind record --metrics OPENMP -o storm.mm -- "./storm_$1" "${rounds:-2}" >out 2>err
        status=$?
        [ $status = 124 ] || break
    done
    [ $status = 0 ] || fail "storm_$1: status $status"
}
for c in $compilers; do
    $c -O2 -g -pthread -fopenmp -o "storm_$c" "$programs/storm.c" || fail "$c: storm.c"
    storm $c
    sums storm.mm/rank-0000/openmp "$([ $c = gcc ] && echo 1 || echo 2)"
done
export OMP_WAIT_POLICY=passive
OMP_CANCELLATION=true storm gcc
sums storm.mm/rank-0000/openmp 1

# --- Two runtimes in one program
if [ "$compilers" != gcc ]; then
    for c in gcc clang; do
        $c -O2 -g -fopenmp -fPIC -shared -DNAME="sleep_$c" -o "libsleep_$c.so" "$programs/sleeps.c" || fail "$c: sleeps.c"
    done
    echo 'void sleep_gcc(void); void sleep_clang(void); int main(void) { sleep_gcc(); sleep_clang(); sleep_gcc(); return 0; }' >two.c
    $CC -o two two.c -L. -lsleep_gcc -lsleep_clang -Wl,-rpath,"$dir"
    two_runtimes() {
        rm -rf two.mm
        run 0 mastermind record --metrics OPENMP -o two.mm -- ./two
        sums two.mm/rank-0000/openmp 1 2
        python3 - "$programs" <<'END' || fail "two runtimes"
import sys
sys.path.insert(0, sys.argv[1])
from check_regions import read_regions
gcc, clang = read_regions("two.mm/rank-0000/openmp")
assert (gcc["function"], gcc["ended"], clang["function"], clang["ended"]) == ("sleep_gcc._omp_fn.0", 2, "sleep_clang", 1), (gcc, clang)
for r in (gcc, clang): # 20 + 40 + 60 ms of work, 40 + 20 of waiting, whoever has it
    busy, waits = (sum(t[k] for t in r["threads"].values()) for k in ("busy", "barrier"))
    assert len(r["threads"]) == 3 and .4 < waits / busy < .6, r
END
    }
    at_best two_runtimes
fi

# --- More regions than the file holds: what is beyond is counted
python3 - >many.c <<'END'
print("#include <omp.h>")
for i in range(1100):
    print(f"static void f{i}(int *x)\n{{\n#pragma omp parallel num_threads(2)\n    x[omp_get_thread_num()] += {i};\n}}")
print("int main(void)\n{\n    int x[2] = {0, 0};")
print("".join(f"    f{i}(x);\n" for i in range(1100)) + "    return x[0] != x[1];\n}")
END
gcc -O0 -fopenmp -o many many.c
run 0 mastermind record --metrics OPENMP -o many.mm -- ./many
sums many.mm/rank-0000/openmp 1

# --- A disk that is full: the program goes on
gcc -O1 -fopenmp -o truth "$programs/truth.c"
expect 0 "alone 1 0" bash -c 'ulimit -f 32; exec mastermind record --metrics OPENMP -o full.mm -- ./truth alone'
holds err "regions of OpenMP would be lost with the process"

# --- Ranks: each has its regions, rows have both times
for f in openmpi mpich; do
    [ -e "$O/lib/libmeas_$f.so" ] && command -v "mpirun.$f" >/dev/null || continue
    OMPI_CC=gcc MPICH_CC=gcc mpicc.$f -O2 -fopenmp -o "team_$f" "$programs/mpi_team.c" || fail "$f: mpi_team.c"
    run 0 "$root/tests/lib/mpirun.sh" $f 2 mastermind record --metrics OPENMP -o "team_$f.mm" -- "./team_$f"
    for r in 0 1; do
        sums "team_$f.mm/rank-000$r/openmp" 1
    done
    mastermind report "team_$f.mm" >out 2>err
    holds out "MPI_Barrier()"
done
finish
