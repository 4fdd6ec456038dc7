#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Time inside MPI: every function of each flavour has a wrapper, for C and Fortran; calls whose
# number and least time are known are counted so; a run of ccafe has it in its rows.
. "$(dirname "$0")/../lib/mpi.sh"

# The wrapped names are those that the libraries have, but for what is no call of MPI's: Fortran's
# arithmetic, its sizes of types, and functions that are there to be passed on.
names() {
    local wrapped="$O/lib/libmeas_$flavour.so" dir
    dir=$(pkg-config --variable=libdir "$module")
    nm -D --defined-only "$dir/lib$c.so" | awk '$3 ~ /^PMPIX?_[A-Z]/ && $3 ~ /[a-z]/ {print substr($3, 2)}' |
        sort >c.there
    nm -D --defined-only "$wrapped" | awk '$3 ~ /^MPIX?_[A-Z]/ && $3 ~ /[a-z]/ {print $3}' | sort >c.wrapped
    diff c.there c.wrapped >c.diff || fail "$flavour: C names: $(cat c.diff)"
    [ "$(wc -l <c.wrapped)" -ge 380 ] || fail "$flavour: only $(wc -l <c.wrapped) functions"
    grep -qx MPI_Ineighbor_alltoallw c.wrapped || fail "$flavour: no MPI_Ineighbor_alltoallw"
    nm -D --defined-only "$dir/lib$fortran.so" | awk '$3 ~ /^pmpix?_.*[^_]_$/ {print substr($3, 2)}' |
        grep -Ev '_(sizeof_.*|f_sync_reg|aint_add|aint_diff|f08|fn|fn_null)_$' | sort >f.there
    nm -D --defined-only "$wrapped" | awk '$3 ~ /^mpix?_.*[^_]_$/ {print $3}' | grep -Ev '_aint_|_f08(ts)?_$' |
        sort >f.wrapped
    diff f.there f.wrapped >f.diff || fail "$flavour: Fortran names: $(cat f.diff)"
    f08 "$wrapped"
    echo "$flavour: $(wc -l <c.wrapped) functions, $(wc -l <f.wrapped) names of Fortran, $(wc -l <f08.wrapped) of mpi_f08"
}

# Open MPI's mpi_f08 is wrapped whole. MPICH's calls MPI_* of C: it needs the callsites of messages alone.
f08() {
    local dir
    nm -D --defined-only "$1" | awk '$3 ~ /^mpix?_.*_f08(ts)?_$/ {print $3}' | sort >f08.wrapped
    if [ "$flavour" = openmpi ]; then
        dir=$(pkg-config --variable=libdir "$module")
        [ -e "$dir/libmpi_usempif08.so" ] || return
        nm -D --defined-only "$dir/libmpi_usempif08.so" | awk '$3 ~ /^pmpix?_.*_f08_$/ {print substr($3, 2)}' |
            grep -Ev '_(aint_add|aint_diff|f_sync_reg)_f08_$' | sort >f08.there
        diff f08.there f08.wrapped >f08.diff || fail "$flavour: names of mpi_f08: $(cat f08.diff)"
    else
        printf '%s\n' mpi_bcast_f08ts_ mpi_recv_f08ts_ mpi_waitall_f08_ >f08.some
        [ -z "$(comm -23 f08.some f08.wrapped)" ] || fail "$flavour: names of mpi_f08: $(cat f08.wrapped)"
    fi
}

# Generated twice from the same names in another order: the same text.
generated() {
    local gen="$O/gen/pmpi/$flavour"
    sort -r "$gen/library" >library
    sort -r "$gen/fortran" >fortran
    sort -r "$gen/f08" >f08
    python3 "$root/tau_port/pmpi/wrap.py" --header "$gen/mpi.i" --library library --fortran fortran \
        --fortran-name "$(sed -n 's/^#define FORTRAN_0 "\(.*\)"/\1/p' "$gen/wrappers.c")" \
        --f08 f08 --f08-name "$(sed -n 's/^#define FORTRAN_1 "\(.*\)"/\1/p' "$gen/wrappers.c")" >again.c
    cmp again.c "$gen/wrappers.c" || fail "$flavour: another run of wrap.py says something else"
    grep -v Waitsome "$gen/mpi.i" >short.i
    python3 "$root/tau_port/pmpi/wrap.py" --header short.i --library library >short.c 2>words &&
        fail "$flavour: a function without a declaration is left out in silence"
    holds words "does not declare: PMPI_Waitsome"
}

compile() {
    export OMPI_CC=$CC MPICH_CC=$CC
    "mpicc.$flavour" -D_GNU_SOURCE -I"$root" -o calls "$root/tests/mpi/calls.c" -ldl -pthread >log 2>&1 ||
        fail "$flavour: calls.c: $(cat log)"
    "mpif90.$flavour" -o fcalls "$root/tests/mpi/calls.f90" >log 2>&1 || fail "$flavour: calls.f90: $(cat log)"
}

calls() {
    local preload
    preload=$(ldd "$O/lib/libmeas_$flavour.so" | sed -n 's/.*=> \(.*lib[at]san[^ ]*\) .*/\1:/p')$O/lib/libmeas_$flavour.so
    ranks 0 2 env LD_PRELOAD="$preload" ./calls ${jump:+jump}
    holds out "all as expected"
    ranks 0 2 env LD_PRELOAD="$preload" ./calls jump alone
    holds out "all as expected"
    ranks 0 2 env LD_PRELOAD="$preload" ./fcalls
    holds out "all as expected"
}

# Constructors of a program and of its library may ask for MPI_Initialized before anybody could have
# switched measuring on.
early() {
    printf '#include <mpi.h>\n__attribute__((constructor)) static void ask(void)\n{\n    int begun = 0;\n    MPI_Initialized(&begun);\n}\n' >early.c
    cp early.c early_main.c
    printf 'int main(void)\n{\n    int begun = 1;\n    MPI_Initialized(&begun);\n    return begun;\n}\n' >>early_main.c
    { "mpicc.$flavour" -shared -fPIC -o libearly.so early.c &&
        "mpicc.$flavour" -o early early_main.c -Wl,--no-as-needed -L. -learly -Wl,-rpath,"$PWD"; } >log 2>&1 ||
        fail "$flavour: early.c: $(cat log)"
    mastermind record --mpi "$flavour" -o early.mm -- ./early 2>err || fail "$flavour: early: $(cat err)"
    python3 -c 'import json
about = json.load(open("early.mm/experiment.json"))
calls = {t["name"]: t["calls"] for t in about["timers"]}
assert calls == {"MPI_Initialized()": 3}, calls
assert about["cost"]["mpi_ns"] > 0, about["cost"]' || fail "$flavour: calls before main"
    rm -rf early.mm
}

# The messages of the mesh are time in MPI, the fluxes are not; parts are no more than the whole.
rows() {
    ranks 0 2 ccafe --measure --metrics MPI_TIME,COMPUTE_TIME --experiment shock.mm -D NX=32 -D NY=8 -D PATCH=8 \
        -D T_END=0.1 -D PICTURE=p.png -D FLUX=HLLCFlux "$root/scripts/shock-demo.rc"
    mastermind records shock.mm >records
    awk -F, 'NR > 1 {n[$7] += 1; mpi[$7] += $12; wall[$7] += $10; bad += $12 == "" || $12 + 0 > $10 + 1000}
        END {exit !(n["compute"] > 0 && mpi["compute"] == 0 && mpi["exchange"] > 0 &&
                    mpi["exchange"] <= wall["exchange"] && mpi["go"] >= mpi["exchange"] + mpi["minimum"] && !bad)}' \
        records || fail "$flavour: $(head -50 records)"
    python3 - shock.mm <<'EOF' || fail "$flavour: timers"
import json, sys
for name in "experiment.json", "rank-0001/rank.json":
    about = json.load(open(f"{sys.argv[1]}/{name}"))
    timers = {t["name"]: t for t in about["timers"] if t["group"] == "MPI"}
    assert about["mpi_time"] is True, name
    assert timers["MPI_Init_thread()"]["calls"] == 1, timers
    assert timers["MPI_Isend()"]["calls"] > 0 and timers["MPI_Waitsome()"]["inclusive_ns"] > 0, timers
    assert "MPI_Gather()" not in timers, timers
    assert not any(m["name"] in ("MPI_TIME", "COMPUTE_TIME") for m in about["counters"]["missing"]), about["counters"]
EOF
    python3 - shock.mm <<'EOF' || fail "$flavour: report"
import collections, csv, json, subprocess, sys
run = lambda *words: subprocess.run(["mastermind", *words], check=True, capture_output=True, text=True).stdout
report = json.loads(run("report", sys.argv[1], "--by-rank", "--json"))
rows = collections.Counter(), collections.Counter()
for row in csv.DictReader(run("records", sys.argv[1]).splitlines()):
    name = ".".join(row[k] for k in ("instance", "port", "method"))
    rows[0][name, int(row["rank"])] += 1
    rows[1][name, int(row["rank"])] += int(row["exclusive_ns"])
for m in report["methods"]:
    by = m["by_rank"]
    assert [b["rank"] for b in by] == [0, 1], m
    assert sum(b["exclusive_ns"] for b in by) == m["exclusive_ns"], m
    for b in by:
        assert b["calls"] == rows[0][m["name"], b["rank"]], (m, b)
        # Less what recording took.
        assert b["exclusive_ns"] <= rows[1][m["name"], b["rank"]], (m, b)
    times = [b["exclusive_ns"] for b in by]
    spread = m["ranks"]
    mean = sum(times) / 2
    assert (spread["min_ns"], spread["max_ns"], spread["mean_ns"]) == (min(times), max(times), mean), m
    assert times[spread["most"]] == max(times) and times[spread["least"]] == min(times), m
    assert mean == 0 or abs(spread["imbalance"] - (max(times) / mean - 1)) < 1e-6, m
for rank in 0, 1:
    alone = json.loads(run("report", sys.argv[1], "--rank", str(rank), "--json"))
    assert alone["rank"] == rank
    mine = {m["name"]: m for m in alone["methods"]}
    for m in report["methods"]:
        b = m["by_rank"][rank]
        assert not b["calls"] or (mine[m["name"]]["calls"], mine[m["name"]]["exclusive_ns"]) == \
            (b["calls"], b["exclusive_ns"]), (rank, m)
assert [e["finished"] for e in report["rank_ends"]] == [True, True], report["rank_ends"]
for f in report["mpi"]:
    assert sum(b["inclusive_ns"] for b in f["by_rank"]) == f["inclusive_ns"], f
names = [f["name"] for f in report["mpi"]]
assert "MPI_Waitsome()" in names and "MPI_Init_thread()" in names, names
EOF
    mastermind report shock.mm >words && holds words "inside MPI, ms, over 2 ranks"
    mastermind report shock.mm --rank 2 >out 2>words
    [ $? = 3 ] || fail "$flavour: rank 2 of 2"
    holds words "found no rank 2, expected 0 to 1"
    # One process without MPI: no time of it, not 0.
    ccafe --measure --experiment alone.mm -D NX=32 -D NY=8 -D PATCH=8 -D T_END=0.1 -D PICTURE=p.png \
        -D FLUX=HLLCFlux "$root/scripts/shock-demo.rc" >out 2>&1 || fail "alone: $(cat out)"
    mastermind records alone.mm | awk -F, 'NR > 1 && $12 != "" {bad = 1} END {exit bad}' ||
        fail "a process alone has time in MPI"
}

# A program that knows nothing of us, in Fortran: one experiment of all ranks, every call counted.
record() {
    ranks 0 3 mastermind record -- ./fcalls
    holds out "all as expected"
    ranks 0 3 mastermind record -o named.mm -- ./fcalls
    for experiment in fcalls-1.mm named.mm; do
        mastermind report "$experiment" --by-rank --json >report.json || fail "$flavour: $experiment"
        python3 - report.json <<'EOF' || fail "$flavour: $experiment: functions"
import json, sys
wanted = {"MPI_Allreduce()": 2, "MPI_Send()": 5, "MPI_Irecv()": 5, "MPI_Wait()": 5, "MPI_Info_get()": 1,
          "MPI_Wtime()": 2, "MPI_Finalize()": 1, "MPI_Init_thread()": 1, "MPI_Comm_get_name()": 1}
found = {f["name"]: [b["calls"] for b in f["by_rank"]] for f in json.load(open(sys.argv[1]))["mpi"]}
for name, calls in wanted.items():
    assert found.get(name) == 3 * [calls], (name, calls, found)
EOF
    done
    [ -z "$(find . -name '.*.new')" ] || fail "$flavour: left behind: $(find . -name '.*.new')"
    # A second run does not go into the first one's directory.
    ranks 2 3 mastermind record -o named.mm -- ./fcalls
    holds err "it exists and is not an empty directory"
    ranks 0 3 mastermind record --mpi none -- ./fcalls
    [ ! -e fcalls-2.mm ] || fail "$flavour: nothing was measured, and there is an experiment"
}

# Interposed functions of a library that calls MPI: how much of each call was inside.
library() {
    echo 'int halo_exchange(int n);' >halo.h
    cat >halo.c <<'EOF'
#include "halo.h"
#include <mpi.h>
int halo_exchange(int n)
{
    for (int i = 0; i < n; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    return n;
}
EOF
    cat >halo_user.c <<'EOF'
#include "halo.h"
#include <mpi.h>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int i = 0; i <= 5; i++)
        halo_exchange(i);
    return MPI_Finalize();
}
EOF
    "mpicc.$flavour" -shared -fPIC -o libhalo.so halo.c && "mpicc.$flavour" -o halo_user halo_user.c -L. -lhalo \
        -Wl,-rpath,"$PWD" || fail "$flavour: halo"
    proxygen --interpose --functions halo_exchange -o proxy halo.h >log 2>&1 || fail "$flavour: $(cat log)"
    ranks 0 2 mastermind record --proxy proxy -o halo.mm -- ./halo_user
    mastermind records halo.mm >records
    awk -F, 'NR > 1 {n[$1]++; bad += $12 == "" || $12 + 0 > $10 + 1000 || ($15 == 0) != ($12 + 0 == 0)}
        END {exit n[0] != 6 || n[1] != 6 || bad}' records || fail "$flavour: $(cat records)"
    # All ranks come to their first call at once, and nobody is in another's way.
    for i in 1 2 3 4; do
        ranks 0 4 mastermind record --proxy proxy -o "halo$i.mm" -- ./halo_user
        mastermind records "halo$i.mm" | awk -F, 'NR > 1 {n[$1]++}
            END {for (r = 0; r < 4; r++) bad += n[r] != 6; exit bad != 0}' || fail "$flavour: halo$i: $(cat err)"
    done
}

time_of_mpi() {
    case $flavour in
    openmpi) module=ompi-c c=mpi fortran=mpi_mpifh jump=1 ;;
    mpich) module=mpich c=mpich fortran=mpichfort jump= ;;
    esac
    names
    generated
    compile
    calls
    early
    rows
    record
    library
}
under_each time_of_mpi "time inside MPI"
