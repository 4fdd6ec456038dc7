#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# mastermind model: answers at a point, formulas as programs.
. "$(dirname "$0")/../lib/lib.sh"

# Samples of a law with known answers: 3 us + 20 ns * Q on axis 0, twice that on axis 1.
python3 - > samples.csv << 'END'
import random
random.seed(5)
print("t,Q,nx,axis")
for i in range(600):
    q = (100, 300, 1000, 3000, 10000, 30000)[i % 6]
    axis = i // 6 % 2
    print("%.9g,%d,%d,%d" % ((3 + .02 * q) * (1 + axis) * random.gauss(1, .01), q, q // 10, axis))
END
run 0 mastermind import csv samples.csv --time t:us --params Q,nx --modes axis -o law.mm

# --- At a point
expect 0 "at Q=2000,axis=1" mastermind model law.mm --at Q=2000,axis=1
[ "$(grep -c typical out)" = 1 ] || fail "not one answer"
run 0 mastermind model law.mm --at Q=2000 --at Q=4000
[ "$(grep -c typical out)" = 4 ] || fail "not two modes at two points"
expect 0 "Q is 10 x beyond the sizes measured, 100 to 3e4" mastermind model law.mm --at Q=3e5
expect 3 "no method has a parameter or mode 'q'; did you mean 'Q'?" mastermind model law.mm --at q=3
expect 3 "no model of" mastermind model law.mm --at Q=3,axis=7
expect 2 "lacks 'Q'" mastermind model law.mm --at nx=3
expect 2 "expected a number" mastermind model law.mm --at Q=x
expect 2 "expected NAME=VALUE" mastermind model law.mm --at Q
expect 2 "gives 'Q' twice" mastermind model law.mm --at Q=1,Q=2
expect 2 "one --at for a document" mastermind model law.mm --at Q=1 --at Q=2 --json
fits model <(mastermind model law.mm --json)
fits model <(mastermind model law.mm --at Q=2000 --json)
mastermind model law.mm --at Q=2000 --json > at.json
python3 - << 'END' || fail "an estimate is wrong"
import json
models = json.load(open("at.json"))["methods"][0]["models"]
assert len(models) == 2
for m in models:
    e, truth = m["estimate"], 43000 * (1 + m["modes"]["axis"])
    assert abs(e["typical_ns"] / truth - 1) < .01, (e, truth)
    assert abs(e["mean_ns"] / truth - 1) < .01, (e, truth)
    assert e["call_low_ns"] < truth < e["call_high_ns"] and e["curve_low_ns"] < truth < e["curve_high_ns"]
    assert e["beyond"] == 1 and "beyond_parameter" not in e and "beyond" not in e["reasons"]
    assert e["at"]["Q"] == 2000
END
for arguments in "" "--at Q=2000" "--at Q=1e9"; do
    # shellcheck disable=SC2086
    mastermind model law.mm $arguments | awk 'length > 100 || / $/ { exit 1 }' ||
        fail "model $arguments is wider than 100 columns, or ends in blanks"
done

# --- Formulas as programs
run 0 mastermind model law.mm --formula c
grep -o 'double [a-z0-9A-Z_]*(double' out | sed 's/double \(.*\)(double/\1/' > names
[ "$(sort -u names | wc -l)" = 2 ] || fail "not two functions of different names"
{ cat out; printf '#include <stdio.h>\nint main(void)\n{\n'
  sed 's/.*/printf("%.17g\\n", &(2000.0));/' names; printf 'return 0;\n}\n'; } > formula.c
run 0 $CC -std=c11 -Wall -Werror -o formula formula.c -lm
./formula > of_c
run 0 mastermind model law.mm --formula python
{ cat out; sed 's/.*/print("%.17g" % &(2000.0))/' names; } > formula.py
run 0 python3 formula.py
cp out of_python
python3 - << 'END' || fail "formulas as programs give other values than the model"
import json
models = json.load(open("at.json"))["methods"][0]["models"]
for name in ("of_c", "of_python"):
    values = [float(line) for line in open(name)]
    for value, m in zip(values, models):
        assert abs(value / m["estimate"]["typical_ns"] - 1) < 1e-11, (name, value, m)
    assert len(values) == len(models)
END
expect 0 '\mathrm{\mu s}' mastermind model law.mm --formula latex
expect 0 "us * Q" mastermind model law.mm --formula text
expect 2 "did you mean 'python'" mastermind model law.mm --formula pyton
expect 2 "--formula goes with neither" mastermind model law.mm --formula c --json

finish
