#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Time inside MPI: every function of each flavour has a wrapper, for C and Fortran; calls whose
# number and least time are known are counted so; a run of ccafe has it in its rows.
. "$(dirname "$0")/mpi.sh"
source=$(dirname "$here")

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
    nm -D --defined-only "$wrapped" | awk '$3 ~ /^mpix?_.*[^_]_$/ {print $3}' | grep -v '_aint_' |
        sort >f.wrapped
    diff f.there f.wrapped >f.diff || fail "$flavour: Fortran names: $(cat f.diff)"
    echo "$flavour: $(wc -l <c.wrapped) functions, $(wc -l <f.wrapped) names of Fortran"
}

# Generated twice from the same names in another order: the same text.
generated() {
    local gen="$O/gen/pmpi/$flavour"
    sort -r "$gen/library" >library
    sort -r "$gen/fortran" >fortran
    python3 "$source/tau_port/pmpi/wrap.py" --header "$gen/mpi.i" --library library --fortran fortran \
        --fortran-name "$(sed -n 's/^#define FORTRAN "\(.*\)"/\1/p' "$gen/wrappers.c")" >again.c
    cmp again.c "$gen/wrappers.c" || fail "$flavour: another run of wrap.py says something else"
    grep -v Waitsome "$gen/mpi.i" >short.i
    python3 "$source/tau_port/pmpi/wrap.py" --header short.i --library library >short.c 2>words &&
        fail "$flavour: a function without a declaration is left out in silence"
    says words "does not declare: PMPI_Waitsome"
}

compile() {
    export OMPI_CC=$CC MPICH_CC=$CC
    "mpicc.$flavour" -D_GNU_SOURCE -I"$source" -o calls "$here/mpi/calls.c" -ldl -pthread >log 2>&1 ||
        fail "$flavour: calls.c: $(cat log)"
    "mpif90.$flavour" -o fcalls "$here/mpi/calls.f90" >log 2>&1 || fail "$flavour: calls.f90: $(cat log)"
}

calls() {
    local preload
    preload=$(ldd "$O/lib/libmeas_$flavour.so" | sed -n 's/.*=> \(.*lib[at]san[^ ]*\) .*/\1:/p')$O/lib/libmeas_$flavour.so
    ranks 0 2 env LD_PRELOAD="$preload" ./calls ${jump:+jump}
    says out "all as expected"
    ranks 0 2 env LD_PRELOAD="$preload" ./fcalls
    says out "all as expected"
}

# The messages of the mesh are time in MPI, the fluxes are not; parts are no more than the whole.
rows() {
    ranks 0 2 ccafe --measure --experiment shock.mm -D NX=32 -D NY=8 -D PATCH=8 -D T_END=0.1 \
        -D PICTURE=p.png -D FLUX=HLLCFlux "$source/scripts/shock-demo.rc"
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
    assert not any(m["name"] == "MPI_TIME" for m in about["counters"]["missing"]), about["counters"]
EOF
    # One process without MPI: no time of it, not 0.
    ccafe --measure --experiment alone.mm -D NX=32 -D NY=8 -D PATCH=8 -D T_END=0.1 -D PICTURE=p.png \
        -D FLUX=HLLCFlux "$source/scripts/shock-demo.rc" >out 2>&1 || fail "alone: $(cat out)"
    mastermind records alone.mm | awk -F, 'NR > 1 && $12 != "" {bad = 1} END {exit bad}' ||
        fail "a process alone has time in MPI"
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
    rows
}
under_each time_of_mpi "time inside MPI"
