#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# told.sh EXPERIMENT STEPS [LEAST]: the profile of tests/agents/told.c has the right values.
#
# Every step is whole, lacks a rank that is counted as lost, or is counted as lost; at least LEAST steps
# (default all) are whole. Prints how many are whole. awk, for a profile has up to a million values. $told_rows: ROWS
# of told.c.
set -o pipefail
mastermind mesh "$1" --step 0: --probe work --csv | awk -F, -v steps="$2" -v least="${3:-$2}" -v rows="${told_rows:-24}" '
NR == 1 { next }
$5 == "" { lacking[$1] = 1; next }
$5 "" != (($2 * 50 + $3) * 7 + $1 * 13) % 101 "" { wrong = "found " $0; exit }
{ cells[$1]++ }
END {
    for (step in cells)
        if (cells[step] == rows * 50)
            good++
        else if (!(step in lacking))
            wrong = "step " step " is not whole and lacks nothing"
    if (wrong == "" && good + 0 < least)
        wrong = good + 0 " whole steps of " steps ", expected " least
    if (wrong != "") {
        print wrong >"/dev/stderr"
        exit 1
    }
    print good + 0
}'
