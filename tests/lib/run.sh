#!/bin/bash
# Run test programs and scripts one after the other; say how long each took, in all and of a
# processor, which failed, and how many. What failed runs once more, after all others: many tests
# measure, and a host can be busy for seconds. Both runs are told, and a test that failed twice failed.
# O: the build tree. A script gets O, BUILD, CC, CXX, GOLDEN and SOAK in its environment. With
# SOAK all that the tests say is shown as it comes, and once more how each of them went at the end.
set -u
export CMOCKA_MESSAGE_OUTPUT=${CMOCKA_MESSAGE_OUTPUT:-stdout} PATH="$O/bin:$PATH" TMPDIR=${TMPDIR:-/tmp}
passed=0 failed=0 skipped=0 summary= unsteady=
log=$(mktemp) cpu=$(mktemp) TIMEFORMAT='%U %S'
run() {
    if [ -z "${SOAK-}" ]; then
        "$@" >"$log" 2>&1 </dev/null
    else
        echo "--- $name, $(date +%T)"
        "$@" 2>&1 </dev/null | tee "$log" | sed -u 's/^/    /'
        return "${PIPESTATUS[0]}"
    fi
}
trap 'rm -f "$log" "$cpu"' EXIT
one() { # PATH: run it; set status and verdict
    name=$(basename "$1")
    case $1 in *.sh) command=(bash "$1") ;; *) command=("$1") ;; esac
    start=$SECONDS
    { time run "${command[@]}"; } 2>"$cpu"
    status=$?
    case $status in
    0) verdict=ok ;;
    77) verdict="skipped: $(tail -n 1 "$log")" ;;
    *) verdict="FAILED (status $status)" ;;
    esac
    read -r user system <<<"$(tail -n 1 "$cpu" | tr , .)"
    line=$(printf '%-32s %4d s, CPU %5.1f s  %s' "$name" $((SECONDS - start)) \
        "$(awk "BEGIN {print $user + $system}")" "$verdict")
    echo "$line"
    summary+=$line$'\n'
    [ -n "${SOAK-}" ] || [ "$status" = 0 ] || [ "$status" = 77 ] || tail -n 60 "$log"
}
again=()
for test in "$@"; do
    one "$test"
    case $status in
    0) passed=$((passed + 1)) ;;
    77) skipped=$((skipped + 1)) ;;
    *) again+=("$test") ;;
    esac
done
for test in "${again[@]}"; do
    echo "--- once more: $(basename "$test")"
    one "$test"
    if [ "$status" = 0 ]; then
        passed=$((passed + 1)) unsteady+=" $(basename "$test")"
    else
        failed=$((failed + 1))
    fi
done
[ -z "$unsteady" ] || echo "passed only when run once more:$unsteady"
[ -z "${SOAK-}" ] || printf '\n%s%s in all\n' "$summary" "$((SECONDS / 60)) min $((SECONDS % 60)) s"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
