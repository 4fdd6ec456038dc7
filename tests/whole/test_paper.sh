#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# docs/papers/case-study.md in a small form: the runs, the figures, the page, and what the page claims.
. "$(dirname "$0")/../lib/lib.sh"
skip_sanitized "costs of a build with sanitizers are not those of the page"
command -v gnuplot >/dev/null && command -v dot >/dev/null || skip "no gnuplot or no dot"
ls "$O"/lib/libcca_*.so >/dev/null 2>&1 || skip "no MPI in this build"
paper=$root/scripts/paper

# make_small: its claims on times hold, where the host did not change between two of its runs
make_small() {
    rm -rf "$dir/small"
    run 0 "$paper/paper.sh" "$dir/small" --small
    ! grep -q '^FAILS' out || fail "claims fail: $(grep '^FAILS' out)"
}
at_best make_small
[ "$(grep -c '^holds ' out)" -ge 20 ] || fail "claims are missing"
cd small || exit 1

# The figures are whole, their text is text and their numbers are finite.
python3 - figures/figure-*.svg <<'PY' || fail "figures"
import os, re, sys
import xml.etree.ElementTree as xml
assert len(sys.argv) == 11, sys.argv
for path in sys.argv[1:]:
    text = open(path, encoding="utf-8").read()
    assert not re.search(r"[\"' ,](nan|inf)[\"' ,]", text, re.I), path + ": a number is not finite"
    words = [t for e in xml.fromstring(text).iter("{http://www.w3.org/2000/svg}text") for t in e.itertext() if t.strip()]
    assert len(words) > 8, path + ": no text"
    assert os.path.getsize(path) < 400e3, path + " is large"
PY
[ "$(head -c 4 figures/figure-01.png | tail -c 3)" = PNG ] || fail "Figure 1 is no picture"
# Each figure is in the page, each number is there, and nothing of the machine's names.
for figure in figures/*; do holds case-study.md "(../$figure)"; done
holds case-study.md "L0 L1 L2 L2 L1 L2 L2"
! grep -nE '\{\{|\}\}|\bnan\b|\binf\b|Traceback' case-study.md >out || fail "the page has places without a number"
! grep -rnF -e "$root" -e "$dir" -e "$(hostname)." case-study.md figures >out || fail "names of the machine"
# The page in the tree has these figures, and the words of the template.
for figure in figures/*; do [ -s "$root/docs/$figure" ] || fail "docs/$figure is missing: make paper"; done
grep '^#' "$paper/case-study.md.in" >wanted
grep '^#' "$root/docs/papers/case-study.md" | diff wanted - >out || fail "docs/papers/case-study.md is older than its template: make paper"

# A claim that does not hold is said.
sed -i 's/"L0 L1 L2 L2 L1 L2 L2"/"L0 L1 L2 L1 L2 L2"/' data/exchange.json
run 1 python3 "$paper/claims.py" data
says "FAILS    each coarse step is L0 L1 L2 L2 L1 L2 L2: 3 steps"
equal "claims that fail" 1 "$(grep -c ^FAILS out)"

# Every form is found where the data have it.
run 0 env PYTHONPATH="$paper" python3 - <<'PY'
import math
import fit
q = [4e3, 9e3, 2e4, 5e4, 9e4, 1.1e5, 1.5e5]
a, b = fit.power(q, [math.exp(1.19 * math.log(v) - 3.68) for v in q])
assert abs(a - 1.19) < 1e-9 and abs(b + 3.68) < 1e-9
c = fit.polynomial(q, [-963 + .315 * v for v in q], 1)
assert abs(c[0] + 963) < 1e-6 and abs(c[1] - .315) < 1e-9
sigma = (66.7, -0.015, 9.24e-7, -1.12e-11, 3.85e-17)
found = fit.polynomial(q, [sum(w * v ** k for k, w in enumerate(sigma)) + 1e3 for v in q], 4)
for k, w in enumerate(sigma):
    assert abs(found[k] - w - (1e3 if k == 0 else 0)) < 1e-6 * (abs(w) + 1e3 * (k == 0)), (k, found)
m = [1, 2, 4, 9, 1, 30]
y = [20 + 25 * m_ + 5e-4 * b_ for m_, b_ in zip(m, q)]
found = fit.least_squares([[1.0] * 6, m, q[:6]], y, [1 / v for v in y])
assert all(abs(f - w) < 1e-6 * w for f, w in zip(found, (20, 25, 5e-4))), found
PY
finish
