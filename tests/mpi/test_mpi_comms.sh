#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Instances that borrow communicators and are removed leave none behind: more of them, one after the
# other, than MPICH has (2,048). Where there are too many at once it is said, and the run ends in order.
# FAULT_INSTANCES: how many (SOAK: 10,000), with two communicators each; Open MPI has no such limit.
. "$(dirname "$0")/../lib/mpi.sh"
most=${FAULT_INSTANCES:-$([ -n "${SOAK-}" ] && echo 10000 || echo 1040)}
n=${SOAK:+2} n=${n:-1} # two ranks wait for each other, spinning
export MPIRUN_SECONDS=$((180 + most / 5))
# Removed in another order than they were made, some never.
cat >order.rc <<'END'
instantiate Borrower a
instantiate Borrower b
instantiate Borrower c
go a go
go b go
go c go
remove b
go c go
instantiate Borrower d
go d go
remove a
remove d
instantiate Borrower b
go b go
quit
END
for ((i = 0; i < 1100; i++)); do
    printf 'instantiate Borrower b%d\ngo b%d go\n' $i $i
done >alive.rc
echo quit >>alive.rc

comms() {
    cp ../*.rc .
    ccafe="ccafe --path $O/tests/components/$flavour"
    count=$most
    [ $flavour = mpich ] || count=${FAULT_INSTANCES:-${SOAK:+$most}} count=${count:-100}
    for ((i = 0; i < count; i++)); do
        printf 'instantiate Borrower b%d\ngo b%d go\nremove b%d\n' $i $i $i
    done >many.rc
    echo quit >>many.rc
    ranks 0 $n $ccafe many.rc
    for ranks in 1 3; do
        ranks 0 $ranks $ccafe order.rc
    done
    if [ $flavour = mpich ]; then
        ranks 4 $n $ccafe alive.rc
        holds err "returned -5: 'b1"
        holds err "MPI makes no communicator: "
    fi
    echo "$flavour: $count instances"
}
under_each comms "communicators of instances"
