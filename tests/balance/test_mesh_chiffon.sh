#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# docs/papers/mesh.md in a small form: the ten figures, the paper's pseudocode in another language, simulated work that a run then does.
. "$(dirname "$0")/../lib/mpi.sh"
skip_sanitized "the page is of a build without sanitizers"
command -v gnuplot >/dev/null && command -v dot >/dev/null || skip "no gnuplot, or no dot"
case $flavours in *openmpi*) ;; *) skip "no Open MPI" ;; esac
chiffon=$root/scripts/chiffon

run 0 "$chiffon/chiffon.sh" "$dir/small" --small
[ "$(grep -c '^holds the work of the slowest ranks' out)" = 5 ] || fail "claims are missing: $(cat out)"
grep -q '^FAILS' out && fail "$(grep '^FAILS' out)"
cd small || exit 1
for n in 01 02 03 04 05 06 07 08 09 10; do
    grep -q "</svg>" figures/figure-mesh-$n.svg || fail "figure $n is not whole"
    grep -q "figure-mesh-$n.svg" mesh.md || fail "the page has no figure $n"
done
! grep -n "@" mesh.md || fail "the page has places that were not filled"
diff <(grep "^## " mesh.md) <(grep "^## " "$root/docs/papers/mesh.md") || fail "docs/papers/mesh.md: make chiffon"
finish "the page of the paper on Chiffon: $(grep -c ^holds ../out) claims hold"
