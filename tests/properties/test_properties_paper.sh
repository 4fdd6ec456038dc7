#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# docs/papers/properties-paper.md in a small form: 36 pieces of work on 3 and 8 ranks in CPU time, within 0.02 of arithmetic; figures.
. "$(dirname "$0")/../lib/mpi.sh"
skip_sanitized "the page is of a build without sanitizers"
command -v gnuplot >/dev/null || skip "no gnuplot"
case $flavours in *openmpi*) ;; *) skip "no Open MPI" ;; esac
paper=$root/scripts/properties-paper

# On a host that others use, too, a rank's caches and interrupts are theirs: once more.
"$paper/properties-paper.sh" "$dir/small" --small >out 2>err || run 0 "$paper/properties-paper.sh" "$dir/small" --small
[ "$(grep -c '^holds .* by arithmetic' out)" = 5 ] || fail "claims are missing: $(cat out)"
cd small || exit 1
for n in 07 08 09; do
    grep -q "^</svg>" figures/figure-properties-$n.svg || fail "figure $n is not whole"
    grep -q "figure-properties-$n.svg" properties-paper.md || fail "the page has no figure $n"
done
! grep -n "@" properties-paper.md || fail "the page has places that were not filled"
# The page that is there is of the same script: it has its headings.
diff <(grep "^## " properties-paper.md) <(grep "^## " "$root/docs/papers/properties-paper.md") || fail "docs/papers/properties-paper.md: make paper-properties"
# A claim on CPU time that does not hold is told by the exit status.
sed -i 's/"holds": true, "found": "\(.*\)", "must": true/"holds": false, "found": "\1", "must": true/; 0,/"holds": true/s//"holds": false/' data/claims.json
run 1 python3 "$paper/tables.py" --claims data
finish "36 pieces: $(grep -c ^holds ../out) claims hold"
