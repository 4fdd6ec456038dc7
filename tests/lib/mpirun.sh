#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Run a program on ranks of this machine: mpirun.sh FLAVOUR RANKS PROGRAM [ARGUMENTS...]
# More ranks than cores, and root, are fine here, and ranks that wait give their core away (yield.c, which a
# sanitizer's library would have to precede). At most a minute, or $MPIRUN_SECONDS. With MPIRUN_LEAVES a launcher that can
# leaves the other ranks alone when one is killed, so that what they see first does not depend on when it kills them.
set -u
flavour=$1 ranks=$2
shift 2
yield=${O:-}/tests/lib/yield.so
case ${BUILD-} in release | debug) [ -e "$yield" ] || yield= ;; *) yield= ;; esac
preload=LD_PRELOAD=$yield${LD_PRELOAD:+:$LD_PRELOAD}
case $flavour in
openmpi) options=(--allow-run-as-root --oversubscribe --bind-to none
             --mca btl_vader_single_copy_mechanism none --mca mpi_yield_when_idle 1 ${yield:+-x "$preload"}) ;;
mpich) options=(${MPIRUN_LEAVES:+-disable-auto-cleanup} ${yield:+-genv LD_PRELOAD "${preload#*=}"}) ;;
*) echo "mpirun.sh: flavour '$flavour', expected openmpi or mpich" >&2 && exit 2 ;;
esac
# hwloc asks for ten displays of X at "localhost" in each process. Where /etc/hosts has no such name,
# as in a bare chroot, each is a question to a name server, and a lost answer takes five seconds.
export HWLOC_COMPONENTS=-gl
exec timeout -k 5 "${MPIRUN_SECONDS:-60}" "mpirun.$flavour" "${options[@]}" -n "$ranks" "$@"
