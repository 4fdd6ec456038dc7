#!/bin/bash
# Run test programs and scripts one after the other; say how long each took, in all and of a
# processor, which failed, and how many.
# O: the build tree. A script gets O, BUILD, CC, CXX, GOLDEN and SOAK in its environment. With
# SOAK all that the tests say is shown as it comes, and once more how each of them went at the end.
set -u
export CMOCKA_MESSAGE_OUTPUT=${CMOCKA_MESSAGE_OUTPUT:-stdout} PATH="$O/bin:$PATH" TMPDIR=${TMPDIR:-/tmp}
passed=0 failed=0 skipped=0 summary=
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
for test in "$@"; do
    name=$(basename "$test")
    case $test in *.sh) command=(bash "$test") ;; *) command=("$test") ;; esac
    start=$SECONDS
    { time run "${command[@]}"; } 2>"$cpu"
    status=$?
    case $status in
    0) passed=$((passed + 1)) verdict=ok ;;
    77) skipped=$((skipped + 1)) verdict="skipped: $(tail -n 1 "$log")" ;;
    *) failed=$((failed + 1)) verdict="FAILED (status $status)" ;;
    esac
    read -r user system <<<"$(tail -n 1 "$cpu" | tr , .)"
    line=$(printf '%-32s %4d s, CPU %5.1f s  %s' "$name" $((SECONDS - start)) \
        "$(awk "BEGIN {print $user + $system}")" "$verdict")
    echo "$line"
    summary+=$line$'\n'
    [ -n "${SOAK-}" ] || [ "$status" = 0 ] || [ "$status" = 77 ] || tail -n 60 "$log"
done
[ -z "${SOAK-}" ] || printf '\n%s%s in all\n' "$summary" "$((SECONDS / 60)) min $((SECONDS % 60)) s"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
