#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# --metrics MPI_SPLIT: time inside MPI by class of what was called, under both MPIs, in C and Fortran: a
# rank that waits for another, which sleeps; and every function of MPI has a class.
. "$(dirname "$0")/../lib/mpi.sh"
skip_sanitized "MPI leaks, and a sanitizer's run-time is in the way of preloading"
programs=$root/tests/tau_port/split

# attempt COMMAND...: on a host that others use a rank may lose its core between two clocks
attempt() {
    for _ in 1 2 3; do
        "$@" >attempted 2>&1 && return
    done
    fail "$flavour: $*: $(cat attempted)"
}

rows_of() {
    rm -rf run.mm
    ranks 0 2 mastermind record --proxy ../proxy --metrics "$2" -o run.mm -- ./stages "$1" && mastermind records run.mm >rows.csv &&
        "$programs/check_split.py" rows.csv "$1"
}

in_flavour() {
    local stages=12
    "mpicc.$flavour" -O1 -g -Wno-stringop-overflow -fPIC -I"$programs" -c -o stage.o "$programs/stage.c" || fail "$flavour: stage.c"
    if command -v "mpif90.$flavour" >/dev/null; then
        stages=14
        "mpif90.$flavour" -O1 -g -fPIC -c -o stage_f.o "$programs/stage_f.f90" || fail "$flavour: stage_f.f90"
        "mpif90.$flavour" -shared -o libstage.so stage.o stage_f.o
    else
        "mpicc.$flavour" -shared -Wl,--defsym=stage_fortran_=0 -o libstage.so stage.o
    fi
    "mpicc.$flavour" -O1 -g -I"$programs" -o stages "$programs/stages.c" -L. -lstage -Wl,-rpath,"$PWD" || fail "$flavour: stages.c"
    attempt rows_of $stages MPI_SPLIT
    # Beside what messages are sampled by, and other metrics.
    attempt rows_of $stages CPU_TIME,MPI_SPLIT
}
# Nothing that moves data, waits or synchronizes is taken for control.
python3 - "$root/tau_port/pmpi" "$O"/gen/pmpi/*/library <<'END' || fail "classes of functions"
import re, sys
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import kinds
words = r"send|recv|probe|wait|test|gather|scatter|reduce|alltoall|barrier|bcast|scan|accumulate|fetch|swap|start|ready|^r?put$|^r?get$|^file_"
control = {"test_cancelled", "topo_test", "comm_test_inter", "reduce_local", "op_commutative", "grequest_start", "info_get"}
count = 0
for path in sys.argv[2:]:
    for name in re.findall(r" P(MPI_(?!T_)\w+)$", open(path).read(), re.M):
        count += 1
        plain = re.sub("_c$", "", name[4:]).lower()
        if kinds.kind(name) == kinds.CONTROL and re.search(words, plain) and plain not in control:
            sys.exit(f"{name} is taken for control")
if count < 400:
    sys.exit(f"{count} functions")
END
run 0 proxygen --interpose "$programs/stage.h" --functions stage -o proxy
under_each in_flavour "time inside MPI by class"
