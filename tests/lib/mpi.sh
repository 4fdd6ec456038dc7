# SPDX-License-Identifier: BSD-3-Clause
# Read by tests/test_mpi_*.sh: the flavours of MPI that are there, and runs on ranks.
here=$(cd "$(dirname "$0")/.." && pwd)
flavours=
for f in openmpi mpich; do
    [ -e "$O/lib/libcca_$f.so" ] && command -v "mpirun.$f" >/dev/null && flavours="$flavours $f"
done
[ -n "$flavours" ] || { echo "no MPI in this build" && exit 77; }
[ "$BUILD" != tsan ] || { echo "the MPI libraries are not made for the thread sanitizer" && exit 77; }
# What MPI itself leaves behind is not ours.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0" OMPI_MCA_btl_vader_single_copy_mechanism=none
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
. "$here/lib/preload.sh"
failures=0

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

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
    "$here/lib/mpirun.sh" "$flavour" "$n" "$@" >out 2>err <"${from:-/dev/null}"
    status=$?
    case $wanted in
    bad) [ $status != 0 ] && [ $status != 124 ] ;;
    *) [ $status = "$wanted" ] ;;
    esac && return
    fail "$flavour, $n ranks: $*: status $status, expected $wanted"
    cat out err
}

# says FILE TEXT: a line of it holds the text
says() {
    grep -qF -- "$2" "$1" && return
    fail "$flavour: '$2' not found in $1:"
    cat "$1"
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
    [ $failures = 0 ] && echo "$2 under$flavours: all as expected"
    exit $((failures != 0))
}
