#!/bin/bash
# Run test programs and scripts, and report how long each took, in all and of processors, which
# failed, and how many. Most run side by side, LANES at a time (by default one more than cores, for
# tests wait a good part of their time): scripts first, in an order that mixes folders, for neighbours
# wait for the same; then programs, which are short, so that lanes end together. A test with a line
# `lane: alone` in its source measures
# time, or kills after a time: it runs after them, with nothing beside it. Those with another word there, as
# `lane: agents`, run one after the other, beside all others, in a lane of their own: `lane: waits` are those that
# mostly wait. What failed runs
# once more at the end, alone: many tests measure, and a host can be busy for seconds. Both runs are
# shown, and a test that failed twice failed.
# O: the build tree. A script gets O, BUILD, CC, CXX, GOLDEN and SOAK in its environment. With
# SOAK all tests run alone, their output is shown as it comes, and the results again at the end.
# CHECK_SHARED: a folder for what the tests of one run make once.
# SLOWEST=N lists the N tests with the most CPU time.
set -u
export CMOCKA_MESSAGE_OUTPUT=${CMOCKA_MESSAGE_OUTPUT:-stdout} PATH="$O/bin:$PATH" TIMEFORMAT='%U %S'

# Signals have their default action in a test, also where run.sh was started with some ignored.
command_run() {
    if [ -z "${SOAK-}" ]; then
        env --default-signal "$@" >"$log" 2>&1 </dev/null
    else
        echo "--- $name, $(date +%T)"
        env --default-signal "$@" 2>&1 </dev/null | tee "$log" | sed -u 's/^/    /'
        return "${PIPESTATUS[0]}"
    fi
}

# test_run TEST: run it with a TMPDIR of its own; its result goes to $results/NAME, "STATUS LINE".
test_run() {
    local name=${1##*/} start=$SECONDS command status verdict user system line log
    export TMPDIR
    TMPDIR=$(mktemp -d "$results/XXXX")
    chmod 1777 "$TMPDIR" # as /tmp: tests act as other users, too
    log=$TMPDIR.log
    case $1 in *.sh) command=(bash "$1") ;; *) command=("$1") ;; esac
    { time command_run "${command[@]}"; } 2>"$TMPDIR.cpu"
    status=$?
    case $status in
    0) verdict=ok ;;
    77) verdict="skipped: $(tail -n 1 "$log")" ;;
    *) verdict="FAILED (status $status)" ;;
    esac
    read -r user system <<<"$(tail -n 1 "$TMPDIR.cpu" | tr , .)"
    line=$(printf '%-32s %4d s, CPU %5.1f s  %s' "$name" $((SECONDS - start)) \
        "$(awk "BEGIN {print $user + $system}")" "$verdict")
    echo "$status $line" >"$results/$name"
    {
        flock 9 # the lines of two tests do not mix
        echo "$line"
        [ -n "${SOAK-}" ] || [ "$status" = 0 ] || [ "$status" = 77 ] || tail -n 60 "$log"
    } 9>"$results/lock"
    rm -rf "$TMPDIR" "$log" "$TMPDIR.cpu"
}

if [ "${1-}" = --one ]; then
    while read -r test; do test_run "$test"; done <<<"$2"
    exit
fi

# tests_run LANES TESTS...: so many at a time; TESTS of several lines run one after the other
tests_run() {
    [ $# -lt 2 ] || printf '%s\0' "${@:2}" | xargs -0 -P "$1" -n 1 "$self" --one
}

results=$(mktemp -d "${TMPDIR:-/tmp}/check.XXXXXX")
chmod 711 "$results"
mkdir "$results/shared"
export results CHECK_SHARED=$results/shared
# A python3 that is a shell script, like that of pyenv, takes five times as long to start as the
# one of `make deps`: tests start it more than a thousand times.
mkdir -m 755 "$results/bin"
[ ! -x /usr/bin/python3 ] || ln -s /usr/bin/python3 "$results/bin/python3"
PATH=$results/bin:$PATH
trap 'rm -rf "$results"' EXIT
self=$(realpath "$0")
declare -A lanes=()
alone=() beside=() again=() passed=0 failed=0 skipped=0 unsteady=
for test in "$@"; do
    source=${test##*/}
    case $source in *.sh) ;; *) source+=.c ;; esac
    lane=$(sed -n 's/^.*lane: \([a-z]*\).*/\1/p;T;q' "${self%/lib/run.sh}"/*/"$source")
    if [ -n "${SOAK-}" ] || [ "$lane" = alone ]; then
        alone+=("$test")
    elif [ -n "$lane" ]; then
        lanes[$lane]+=${lanes[$lane]:+$'\n'}$test
    else
        beside+=("$test")
    fi
done
# mixed TESTS...: scripts in a mixed order, which is the same each time, then programs
mixed() {
    [ $# = 0 ] || printf '%s\n' "$@" | sort -R --random-source=<(yes) | awk '/\.sh$/ { print; next } { last = last $0 "\n" } END { printf "%s", last }'
}
mapfile -t beside < <(mixed "${beside[@]}")
if [ "${LANES-}" = 1 ]; then
    tests_run 1 "${lanes[@]}" "${beside[@]}"
else
    for lane in "${lanes[@]}"; do tests_run 1 "$lane" & done
    tests_run "${LANES:-$(($(nproc) + 1))}" "${beside[@]}"
    wait
fi
tests_run 1 "${alone[@]}"
for test in "$@"; do
    case $(cat "$results/${test##*/}") in
    0\ *) passed=$((passed + 1)) ;;
    77\ *) skipped=$((skipped + 1)) ;;
    *) again+=("$test") ;;
    esac
done
for test in "${again[@]}"; do
    echo "--- once more: ${test##*/}"
    tests_run 1 "$test"
    case $(cat "$results/${test##*/}") in
    0\ *) passed=$((passed + 1)) unsteady+=" ${test##*/}" ;;
    *) failed=$((failed + 1)) ;;
    esac
done
[ -z "$unsteady" ] || echo "passed only when run once more:$unsteady"
if [ -n "${SOAK-}" ]; then
    echo
    for test in "$@"; do sed 's/^[0-9]* //' "$results/${test##*/}"; done
fi
if [ "${SLOWEST:-0}" -gt 0 ]; then
    echo "--- the $SLOWEST tests with the most CPU time"
    for test in "$@"; do sed 's/^[0-9]* //' "$results/${test##*/}"; done | sort -rn -k5,5 | head -n "$SLOWEST"
fi
for test in "$@"; do sed 's/.*CPU//' "$results/${test##*/}"; done |
    awk -v s="$SECONDS" '{cpu += $1} END {printf "%d min %d s, CPU %d min %d s\n", s / 60, s % 60, cpu / 60, cpu % 60}'
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
