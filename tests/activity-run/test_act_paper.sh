#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# docs/papers/activity.md in a small form: cost functions are fitted and asked at another size; the page is whole and has the headings of
# the one that is there.
. "$(dirname "$0")/../lib/lib.sh"
skip_sanitized "the page is of a build without sanitizers"
command -v gnuplot >/dev/null || skip "no gnuplot"
command -v mpicc.openmpi >/dev/null || skip "no Open MPI"
paper=$root/scripts/activity-paper
run 0 "$paper/activity_paper.py" "$dir/small" --small
holds out "holds kernel 6 in detail and as one action"
holds out "holds the sample lasts 194.184431847 s"
cd small || exit 1
! grep -n "@[^ @]*@" activity.md || fail "the page has places that were not filled"
diff <(grep "^## " activity.md) <(grep "^## " "$root/docs/papers/activity.md") || fail "docs/papers/activity.md: make prophet"
for n in 3.1 4.1 5.5 lapw; do
    grep -q "^</svg>" figures/figure-activity-$n.svg || fail "figure $n is not whole"
    grep -q "figure-activity-$n.svg" activity.md || fail "the page has no figure $n"
done
grep -q '| 64 | N2P8 | 314 | 294 | 0.02 | 14,700.0 | 6.8 |' activity.md || fail "Table 5.1"
# The model that was fitted says what costs of a loop are: within a factor of 2 of the run, whatever else the machine does.
awk '/^N1P1/ {if ($2 > 2 * $3 || $3 > 20 * $2) exit 1; n++} END {exit n != 1}' against-16.txt || fail "the model of lapw: $(cat against-16.txt)"
finish
