#!/bin/bash
# Run test programs and scripts one after the other; say which failed, and how many.
# O: the build tree. A script gets O, BUILD, CC, CXX, GOLDEN and SOAK in its environment.
set -u
export CMOCKA_MESSAGE_OUTPUT=${CMOCKA_MESSAGE_OUTPUT:-stdout} PATH="$O/bin:$PATH" TMPDIR=${TMPDIR:-/tmp}
passed=0 failed=0 skipped=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for test in "$@"; do
    name=$(basename "$test")
    case $test in *.sh) command=(bash "$test") ;; *) command=("$test") ;; esac
    start=$SECONDS
    "${command[@]}" >"$log" 2>&1 </dev/null
    status=$?
    case $status in
    0) passed=$((passed + 1)) verdict=ok ;;
    77) skipped=$((skipped + 1)) verdict="skipped: $(tail -n 1 "$log")" ;;
    *) failed=$((failed + 1)) verdict="FAILED (status $status)" ;;
    esac
    printf '%-40s %4d s  %s\n' "$name" $((SECONDS - start)) "$verdict"
    [ "$status" = 0 ] || [ "$status" = 77 ] || tail -n 60 "$log"
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
