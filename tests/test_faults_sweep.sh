#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Every call on files and every allocation fails once and for ever: tests/faults/sweep.py.
# A few hundred runs; with SOAK set every call there is. FAULT_RUNS says another number of runs
# for each command, kind and mode; 0: all.
set -u
case $BUILD in asan | tsan)
    echo "a sanitizer has its own allocator"
    exit 77
    ;;
esac
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/classes" && ln -s "$O"/tests/components/fa_*.so "$dir/classes"
export LIBFAULT=$O/tests/faults/libfault.so CLASSES=$dir/classes
sweep=$(cd "$(dirname "$0")" && pwd)/faults/sweep.py
runs=${FAULT_RUNS:-${SOAK:+0}}
cd "$dir" || exit 1
status=0
python3 "$sweep" run "${runs:-45}" || status=1
python3 "$sweep" recording "${runs:-30}" || status=1
python3 "$sweep" verbs "${runs:-12}" || status=1
exit $status
