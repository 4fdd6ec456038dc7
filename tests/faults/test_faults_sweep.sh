#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Every call on files and every allocation fails once and for ever: tests/faults/sweep.py.
# FAULT_RUNS: runs for each command, kind and mode; 0, as in a soak: one for every call there is.
. "$(dirname "$0")/../lib/lib.sh"
skip_sanitized "a sanitizer has its own allocator"
runs=${FAULT_RUNS:-${SOAK:+0}}
for subject in run:7 ffi:4 recording:5 aggregates:5 record:3 verbs:2 mesh:2; do
    bash "$root/tests/faults/run.sh" sweep.py "${subject%:*}" "${runs:-${subject#*:}}" || fail "$subject"
done
finish
