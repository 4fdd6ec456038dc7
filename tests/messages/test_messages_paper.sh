#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# docs/papers/messages-paper.md in a small form: runs on two ranks, counts, bytes, places and errors that hold on any machine, figures.
# lane: waits, for launchers
. "$(dirname "$0")/../lib/mpi.sh"
skip_sanitized "the page is of a build without sanitizers"
command -v gnuplot >/dev/null || skip "no gnuplot"
case $flavours in *openmpi*) ;; *) skip "no Open MPI" ;; esac
paper=$root/scripts/messages-paper

run 0 "$paper/messages-paper.sh" "$dir/small" --small
[ "$(grep -c '^holds ' out)" -ge 13 ] || fail "claims are missing"
cd small || exit 1

# Counts of files are those that the programs have by arithmetic: ghost sends one face a step, wavefront a block.
python3 - <<'PY' || fail "exact counts"
import json
sampled = json.load(open("data/sampled.json"))["messages"]
assert sampled["ghost"] == 130 and sampled["wavefront"] == 96, sampled
kept = json.load(open("data/kept.json"))
record = kept["requests"]["P-1-WRITE"]["bytes"] / kept["messages"]
assert kept["messages"] == 2 * sampled["multigrid"] and 232 <= record < 2 * 232 + 65536 / kept["messages"], record
PY
# What thin takes for the truth is what the verb prints; it takes no run in which something is missing.
run 0 mastermind messages runs/kept-P-1-WRITE.mm --records --csv
python3 - <<'PY' || fail "the truth of thin"
import csv, json
rows, truth = list(csv.DictReader(open("out"))), json.load(open("data/thin-all.json"))
assert truth["messages"] == len(rows)
for name, column, per in (("mean_latency_ns", "latency_ns", len(rows)), ("transfer_ns", "transfer_ns", 1), ("late_sender_ns", "late_sender_ns", 1)):
    total = sum(float(r[column]) for r in rows) / per
    assert abs(truth[name] / total - 1) < 1e-6, (name, truth[name], total)
PY
run 3 "$O/bench/messages/thin" runs/kept-P-0.1-WRITE.mm
complains "thin: runs/kept-P-0.1-WRITE.mm: found 'P-0.1-WRITE,seed=4' and 0 messages dropped, expected P-1-WRITE and none"
run 2 "$O/bench/messages/thin" runs/kept-P-1-WRITE.mm --seeds
# The band is that of a binomial: its quantiles by exact integers.
run 0 env PYTHONPATH="$paper" python3 - <<'PY'
import fractions, math
import sampled
for n, p in (1, .5), (96, .1), (130, .03), (50, .9), (200, .5):
    exact, total = fractions.Fraction(p), 0
    below = []
    for k in range(n + 1):
        total += math.comb(n, k) * exact ** k * (1 - exact) ** (n - k)
        below.append(total)
    for q in .005, .5, .995:
        assert sampled.quantile(n, p, q) == next(k for k, b in enumerate(below) if b >= q), (n, p, q)
PY
# The figures are whole, their text is text and their numbers are finite.
python3 - figures/figure-messages-*.svg <<'PY' || fail "figures"
import os, re, sys
import xml.etree.ElementTree as xml
assert len(sys.argv) == 8, sys.argv
for path in sys.argv[1:]:
    text = open(path, encoding="utf-8").read()
    assert not re.search(r"[\"' ,](nan|inf)[\"' ,]", text, re.I), path + ": a number is not finite"
    words = [t for e in xml.fromstring(text).iter("{http://www.w3.org/2000/svg}text") for t in e.itertext() if t.strip()]
    assert len(words) > 8, path + ": no text"
    assert os.path.getsize(path) < 400e3, path + " is large"
PY
# The page in the tree is that of its template, each number is there, and nothing of the machine's names.
grep '^#' "$paper/messages-paper.md.in" >wanted
grep '^#' "$root/docs/papers/messages-paper.md" | diff wanted - >out || fail "docs/papers/messages-paper.md is older than its template: make paper-messages"
grep -o 'figures/figure-messages-[a-z0-9-]*.svg' "$root/docs/papers/messages-paper.md" | while read -r figure; do
    [ -s "$root/docs/$figure" ] || echo "docs/$figure"
done >out
[ ! -s out ] || fail "figures are missing: make paper-messages"
! grep -nE '\{\{|\}\}|\bnan\b|\binf\b|Traceback' "$root/docs/papers/messages-paper.md" >out || fail "the page has places without a number"

# A claim that does not hold is said.
sed -i 's/"nested": true/"nested": false/' data/kept.json
run 1 python3 "$paper/claims.py" data small
grep -q '^FAILS    the sample of 1 % is a part of that of 10 %' out || fail "a claim that fails is not said"
equal "claims that fail" 1 "$(grep -c ^FAILS out)"
finish
