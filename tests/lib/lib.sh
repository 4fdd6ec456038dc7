# SPDX-License-Identifier: BSD-3-Clause
# lib.sh: what shell tests share. A test begins with
#     . "$(dirname "$0")/../lib/lib.sh"
# and ends with `finish`. It has then
#     $root           the source tree
#     $dir            a folder of its own, which is its working directory and goes with it
#     $O $BUILD $CC   as in tests/lib/run.sh, with defaults for a test that is run by hand
#     out, err        what the last run or expect printed
# cleanup: redefine it to end processes; it is called before the folder goes.
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export BUILD=${BUILD:-release} CC=${CC:-gcc} CXX=${CXX:-g++}
export O=${O:-$root/build/$BUILD}
export PATH="$O/bin:$O/libexec/mastermind:$PATH" PYTHONDONTWRITEBYTECODE=1
unset CCA_LIB CCA_COMPONENT_PATH CCAFE_RC_FILE MM_LEDGER
ulimit -c 0
[ -e "$O/tests/parts" ] || { echo "the components and programs that tests use are not in $O/tests: make tests" && exit 2; }
components=$O/tests/components
failures=0
dir=$(realpath "$(mktemp -d)")
cd "$dir" || exit 1

cleanup() { :; }
end_test() {
    local status=$?
    cleanup
    rm -rf "$dir"
    [ $failures = 0 ] || [ $status != 0 ] || status=1
    exit $status
}
trap end_test EXIT

# finish [WORDS]: the end of a test
finish() {
    [ $failures = 0 ] || { echo "$failures failures" && exit 1; }
    [ $# = 0 ] || echo "$@"
    exit 0
}

# skip WORDS: this test cannot be run here
skip() {
    [ $failures = 0 ] || exit 1
    echo "$*"
    exit 77
}

# skip_sanitized WORDS: nor in builds with a sanitizer
skip_sanitized() {
    case $BUILD in asan | tsan) skip "$@" ;; esac
}

# fail WORDS: one failure; shows out and err
fail() {
    failures=$((failures + 1))
    echo "FAILED: $*"
    for printed in out err; do
        [ ! -s $printed ] || { echo "--- $printed" && head -n 60 $printed; }
    done
}

# run STATUS COMMAND...: the command ends with this status; keeps out and err
run() {
    local want=$1
    shift
    { "$@" >out 2>err; } 2>/dev/null # no message of the shell about a signal
    status=$?
    [ $status = "$want" ] || fail "$*: status $status, expected $want"
}

# expect STATUS TEXT COMMAND...: so does this one, and a line of out or err holds the text
expect() {
    local want=$1 text=$2
    shift 2
    run "$want" "$@"
    case $(cat out err) in *"$text"*) ;; *) fail "$*: no '$text'" ;; esac
}

# at_best COMMAND...: a claim on times, which a loud host can spoil, has to hold in one of three attempts. What it
# prints is that of the last one.
at_best() {
    local before=$failures attempt
    for attempt in 1 2 3; do
        failures=$before
        "$@" >"$dir/attempt"
        [ $failures != "$before" ] || break
    done
    cat "$dir/attempt"
}

# says LINE, complains LINE: out, err has this line; quiet: err is empty
says() { grep -qxF -- "$1" out || fail "out has no line: $1"; }
complains() { grep -qxF -- "$1" err || fail "err has no line: $1"; }
quiet() { [ ! -s err ] || fail "err is not empty"; }

# holds FILE TEXT: a line of it holds the text
holds() {
    grep -qF -- "$2" "$1" || fail "$1 has no '$2': $(head -n 60 "$1")"
}

# equal NAME WANTED FOUND
equal() { [ "$2" = "$3" ] || fail "$1: expected '$2', found '$3'"; }

# fits SCHEMA [FILE]: the JSON document(s) fit docs/schemas/SCHEMA.json, or that of mastermind
fits() {
    local schema=$root/docs/schemas/$1.json
    if [ ! -e "$schema" ]; then
        schema=$dir/$1.schema
        mastermind help --schema "$1" >"$schema" || fail "schema $1"
    fi
    python3 "$root/tests/lib/schema.py" "$schema" <"${2:-/dev/stdin}" || fail "schema $1"
}

# compile_quickly: from here on compilers do not optimize, also those that proxygen starts: code made of
# whole headers compiles five times as fast so. A soak optimizes. A compiler that is ccache seeks the real one
# in PATH, which has to be the one from before.
compile_quickly() {
    local compiler
    [ -z "${SOAK-}" ] || return 0
    mkdir "$dir/plain-compilers"
    for compiler in cc gcc g++ clang clang++; do
        command -v $compiler >/dev/null || continue
        printf '#!/bin/sh\nPATH=%q\nexec %s "$@" -O0\n' "$PATH" "$(command -v $compiler)" >"$dir/plain-compilers/$compiler"
        chmod +x "$dir/plain-compilers/$compiler"
    done
    PATH=$dir/plain-compilers:$PATH
}

# install_into FOLDER: the build, installed there
install_into() {
    run 0 env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make -s -C "$root" O="$O" BUILD="$BUILD" PREFIX="$1" install
}

# use_installed: what comes uses an installed tree, $dir/usr. The tests of one run.sh install once, and each has a copy.
use_installed() {
    if [ -z "${CHECK_SHARED-}" ]; then
        install_into "$dir/usr"
    else
        { flock 8 && { [ -e "$CHECK_SHARED/installed" ] || { install_into "$CHECK_SHARED/usr" && touch "$CHECK_SHARED/installed"; }; }; } \
            8>"$CHECK_SHARED/installing"
        cp -a "$CHECK_SHARED/usr" "$dir/usr"
        sed -i "s|$CHECK_SHARED/usr|$dir/usr|" "$dir"/usr/lib/pkgconfig/*.pc
    fi
    export PATH=$dir/usr/bin:/usr/local/bin:/usr/bin:/bin
    unset O
}

# can_preload: whether `mastermind record` works in this build. The address sanitizer's library has to be in programs
# that are not made with it: $dir/shim/mastermind puts it there, and what these leave unfreed is theirs. The
# thread sanitizer cannot be had so.
can_preload() {
    local runtime
    case $BUILD in
    asan) runtime=$($CC -print-file-name=libasan.so) && [ -e "$runtime" ] || return 1 ;;
    tsan) return 1 ;;
    *) return 0 ;;
    esac
    [ ! -e "$dir/shim" ] || return 0
    mkdir "$dir/shim"
    cat >"$dir/shim/mastermind" <<END
#!/bin/sh
if [ "\${1-}" = record ]; then
    export LD_PRELOAD="$runtime\${LD_PRELOAD:+:\$LD_PRELOAD}"
    export ASAN_OPTIONS="\${ASAN_OPTIONS:+\$ASAN_OPTIONS:}verify_asan_link_order=0:detect_leaks=0"
fi
exec "$O/bin/mastermind" "\$@"
END
    chmod +x "$dir/shim/mastermind"
    PATH=$dir/shim:$PATH
}

# needs_preload: the rest of the test is about runs with a library preloaded
needs_preload() {
    can_preload || skip "this sanitizer cannot be preloaded"
}
