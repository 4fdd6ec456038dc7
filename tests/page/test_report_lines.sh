#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# mastermind report: --limit, --method and bars; what is left out adds up.
. "$(dirname "$0")/../lib/lib.sh"

cat >calls.csv <<'END'
method,class,t
a.p.one,A,500000
a.p.two,A,250000
b.p.one,B,125000
b.p.three,B,125000
END
run 0 mastermind import csv calls.csv --time t --method-column method --class-column class -o run.mm
run 0 mastermind report run.mm
cp out plain
run 0 mastermind report run.mm --limit 2
cp out top
grep -q ' \.\.\. 2 methods left out  250 us  2 calls' top || fail "what --limit leaves out"
run 0 mastermind report run.mm --limit 2
cmp -s out top || fail "the limit, again"
names() { sed -n 's/.*  \([ab]\.p\.[a-z]*\)$/\1/p' out | tr '\n' ' '; }
run 0 mastermind report run.mm --method '*.one'
[ "$(names)" = "a.p.one b.p.one " ] || fail "names that fit: $(names)"
grep -q ' \.\.\. 2 methods left out  375 us  2 calls' out || fail "what --method leaves out"
run 0 mastermind report run.mm --method B --method a.p.two --sort name
[ "$(names)" = "a.p.two b.p.one b.p.three " ] || fail "classes and names that fit: $(names)"
run 0 mastermind report run.mm --method '*.one' --limit 1 --json
fits report out
python3 -c 'import json; assert [m["name"] for m in json.load(open("out"))["methods"]] == ["a.p.one"]' || fail "--json"
expect 3 "run.mm: no method with calls matches 'c*'" mastermind report run.mm --method 'c*'

# Bars: eight letters stand for the run.
LC_ALL=C run 0 mastermind report run.mm --bars
grep -q '  ####     a\.p\.one$' out || fail "half of the run"
grep -q '  ##       a\.p\.two$' out || fail "a quarter"
python3 - <<'END' || fail "bars change nothing else"
lines = open("out").read().splitlines()
at = lines[0].index("name")
assert [line[:at - 9] + line[at:] for line in lines[:6]] + lines[6:] == open("plain").read().splitlines()
END
LC_ALL=C.UTF-8 run 0 mastermind report run.mm --bars
grep -q '  ████     a\.p\.one$' out || fail "half of the run, drawn"
finish
