# SPDX-License-Identifier: BSD-3-Clause
# mpi.sh: lib.sh, the flavours of MPI that are there, and runs on ranks; sourced by tests/mpi/test_*.sh.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
flavours=
for f in openmpi mpich; do
    [ -e "$O/lib/libcca_$f.so" ] && command -v "mpirun.$f" >/dev/null && flavours="$flavours $f"
done
[ -n "$flavours" ] || skip "no MPI in this build"
[ "$BUILD" != tsan ] || skip "the MPI libraries are not made for the thread sanitizer"
# What MPI itself leaves behind is not ours.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0" OMPI_MCA_btl_vader_single_copy_mechanism=none
needs_preload

# each: a program that is another one on each rank, told by $RANK: each RANKS 'shell commands'
cat >"$dir/each" <<'END'
#!/bin/bash
export RANK=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}
eval "$@"
END
chmod +x "$dir/each"

# ranks STATUS RANKS PROGRAM...: the run must end within a minute with that status ("bad": any but
# 0 and those of a timeout); keeps out and err. Standard input is from $from
ranks() {
    local wanted=$1 n=$2 status
    shift 2
    "$root/tests/lib/mpirun.sh" "$flavour" "$n" "$@" >out 2>err <"${from:-/dev/null}"
    status=$?
    case $wanted in
    bad) [ $status != 0 ] && [ $status != 124 ] ;;
    *) [ $status = "$wanted" ] ;;
    esac || fail "$flavour, $n ranks: $*: status $status, expected $wanted"
}

# turn: whether this case is for $flavour. Flavours take turns at cases that do not depend on MPI, as who differs in
# what; in a soak each has all.
turns=0
turn() {
    turns=$((turns + 1))
    [ -n "${SOAK-}" ] || [ "$(wc -w <<<"$flavours")" = 1 ] || case $flavour in
    openmpi) [ $((turns % 2)) = 1 ] ;;
    *) [ $((turns % 2)) = 0 ] ;;
    esac
}

# under_each FUNCTION WHAT: run it for each flavour, with $flavour set, in a folder of that name;
# side by side, for most of the time a launcher waits. The end of the test.
under_each() {
    for flavour in $flavours; do
        mkdir "$flavour"
        (
            trap - EXIT
            cd "$flavour" && $1
            [ $failures = 0 ]
        ) >"$flavour.log" 2>&1 &
        eval "job_$flavour=$!"
    done
    for flavour in $flavours; do
        eval "wait \$job_$flavour" || failures=$((failures + 1))
        cat "$flavour.log"
    done
    finish "$2 under$flavours: all as expected"
}
