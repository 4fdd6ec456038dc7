#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Every call on files and every allocation fails once and for ever: tests/faults/sweep.py.
# A few hundred runs; with SOAK set every call there is. FAULT_RUNS says another number of runs
# for each command, kind and mode; 0: all.
case $BUILD in asan | tsan)
    echo "a sanitizer has its own allocator"
    exit 77
    ;;
esac
run=$(dirname "$0")/run.sh
runs=${FAULT_RUNS:-${SOAK:+0}}
status=0
bash "$run" sweep.py run "${runs:-45}" || status=1
bash "$run" sweep.py ffi "${runs:-20}" || status=1
bash "$run" sweep.py recording "${runs:-30}" || status=1
bash "$run" sweep.py aggregates "${runs:-30}" || status=1
bash "$run" sweep.py record "${runs:-15}" || status=1
bash "$run" sweep.py verbs "${runs:-12}" || status=1
exit $status
