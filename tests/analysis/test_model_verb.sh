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
    print("%.9g,%d,%d,%d" % ((3 + .02 * q) * (1 + axis) * random.gauss(1, .01), q, 8 << i // 12 % 3, axis))
END
run 0 mastermind import csv samples.csv --time t:us --params Q,nx --modes axis -o law.mm

# --- Sums: what the calls took is what their models say
run 0 mastermind model law.mm
python3 - << 'END' || fail "the sum of the models is not that of the calls"
import csv, re
line = next(l for l in open("out") if l.startswith("  all "))
number = lambda text: float(re.search(text + r" ?([\d.]+) ms", line).group(1))
total = sum(float(r["t"]) for r in csv.DictReader(open("samples.csv"))) / 1000
assert "in 600 invocations" in line, line
assert abs(number("all +") / total - 1) < .01 and abs(number("models") / total - 1) < .02, (line, total)
END

# --- Below the sizes: 0 where the formula falls to 0, as a program too
for law in "100 * n" "100 * n * math.log2(n)" "5000 + 10 * n"; do
    python3 -c "
import math
print('t,n')
for i in range(400):
    n = 64 << i % 8
    print('%.9g,%d' % (($law) * (1 + .01 * math.sin(7 * i)) / 1000, n))" > low.csv
    rm -rf low.mm
    run 0 mastermind import csv low.csv --time t:us --params n -o low.mm
    for n in 0 1 10; do mastermind model low.mm --at n=$n --json > at$n.json; done
    run 0 mastermind model low.mm --formula python
    cp out low.py
    run 0 mastermind model low.mm --formula c
    name=$(sed -n 's/^double \([a-z0-9_]*\)(.*/\1/p' out)
    { cat out; printf 'int main(void) { printf("%%.17g\\n", %s(0)); return 0; }\n' "$name"; } > low.c
    run 0 $CC -std=c11 -include stdio.h -o low low.c -lm
    ./low > of_c
    LAW=$law NAME=$name python3 - << 'END' || fail "below the sizes of $law"
import json, math, os
at = [json.load(open("at%d.json" % n))["methods"][0]["models"][0]["estimate"] for n in (0, 1, 10)]
ns = [e["typical_ns"] for e in at]
assert at[0]["curve_high_ns"] > 0 and at[0]["call_high_ns"] > 0
code = {"math": math}
exec(open("low.py").read(), code)
python, c = code[os.environ["NAME"]](0.0), float(open("of_c").read())
assert 0 <= ns[0] <= ns[1] * 1.001 + 1e-9 <= ns[2] * 1.002 + 1e-9, ns
assert (ns[0] > 4500) if "5000" in os.environ["LAW"] else (ns[0] == 0), ns
assert abs(python - ns[0]) <= 1e-9 * ns[0] and abs(c - ns[0]) <= 1e-9 * ns[0], (python, c, ns)
END
done

# --- Populations: one that adds up to nothing is in the JSON only
python3 - > rare.csv << 'END'
import random
random.seed(3)
print("t,n")
for i in range(900):
    n = (100, 200, 400, 800, 1600, 3200)[i % 6]
    more = 1e6 if i % 10 == 9 else 4e3 if random.random() < .08 else 0
    print("%.9g,%d" % (((2000 + n) * random.gauss(1, .02) + more) / 1000, n))
END
run 0 mastermind import csv rare.csv --time t:us --params n -o rare.mm
expect 0 "every 10th call, cost" mastermind model rare.mm
[ "$(grep -c 'rare: ' out)" = 1 ] && mastermind model rare.mm --json > rare.json ||
    fail "not one population is printed"
[ "$(grep -c '"share"' rare.json)" = 2 ] || fail "the document has not both populations"

# --- At a point
expect 0 "at Q=2000,axis=1" mastermind model law.mm --at Q=2000,axis=1
[ "$(grep -c typical out)" = 1 ] || fail "not one answer"
run 0 mastermind model law.mm --at Q=2000 --at Q=4000
[ "$(grep -c typical out)" = 4 ] || fail "not two modes at two points"
expect 0 "Q is 10 x beyond the sizes measured, 100 to 3e4" mastermind model law.mm --at Q=3e5,nx=16
expect 3 "no method has a parameter or mode 'q'; did you mean 'Q'?" mastermind model law.mm --at q=3
expect 3 "no model of" mastermind model law.mm --at Q=3,axis=7
expect 2 "lacks '" mastermind model law.mm --at axis=0
expect 2 "expected a number" mastermind model law.mm --at Q=x
expect 2 "expected NAME=VALUE" mastermind model law.mm --at Q
expect 2 "'-1' for 'Q' in --at, expected 0 or more" mastermind model law.mm --at Q=-1
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
# A curve that is hardly known beyond its sizes: no end of an interval is 0 where no call was cheap
python3 - << 'END' || fail "a wide import"
import random
random.seed(3)
with open("wide.csv", "w") as file:
    file.write("t,n,who\n")
    for k in range(40):
        n = [100, 200, 300, 400][k % 4]
        file.write(f"{1e3 * n * random.choice([.3, 1, 3]):.0f},{n},a.b.wide\n")
END
mastermind import csv wide.csv --time t --method-column who -o wide.mm 2>/dev/null || fail "import wide.csv"
mastermind model wide.mm --at n=4000 --json > wide.json
python3 - << 'END' || fail "lower ends"
import json
e = json.load(open("wide.json"))["methods"][0]["models"][0]["estimate"]
assert e["curve_high_ns"] > 1.9 * e["typical_ns"], e # as wide as what a lower end of 0 came from
assert 0 < e["call_low_ns"] < e["q50_ns"] and 0 < e["curve_low_ns"] < e["typical_ns"], e
assert 0 < e["mean_low_ns"] < e["mean_ns"], e
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

# --- Models that are kept
run 0 mastermind model law.mm --save repo
mastermind model law.mm --at Q=12345 --json > before.json
mastermind model repo --at Q=12345 --json > after.json
python3 - << 'END' || fail "a model that was kept answers otherwise"
import json
before, after = (json.load(open(n))["methods"][0] for n in ("before.json", "after.json"))
assert before["models"] == after["models"] and len(after["models"]) == 2
END
expect 0 "kept in repo" mastermind model repo
expect 0 "us * Q" mastermind model repo --formula text
fits model <(mastermind model repo --json)
run 0 mastermind model law.mm --save repo
[ "$(ls repo | wc -l)" = 2 ] || fail "saving again: $(ls repo)"
expect 2 "expected an experiment before repositories" mastermind predict repo
expect 1 "no model of CPU_TIME" mastermind model repo --metric CPU_TIME
expect 3 "did you mean 'samples'" mastermind model repo --of-class sample
expect 3 "is an experiment" mastermind model law.mm --save law.mm
first=$(ls repo | head -n 1)
python3 - "$first" << 'END'
import sys
text = open("repo/" + sys.argv[1]).read()
open("repo/" + sys.argv[1], "w").write(text.replace('"calls"', '"colls"', 1))
END
expect 3 "$first:1: found another check" mastermind model repo

# Several processes save at a time.
for _ in 1 2 3 4 5 6; do
    mastermind model law.mm --save many > /dev/null 2>&1 &
done
wait
[ "$(ls many | wc -l)" = 2 ] || fail "saved at a time: $(ls many)"
expect 0 "us * Q" mastermind model many
# A model that is kept goes before one that is fitted; the sums are then its own.
mkdir slower
python3 - << 'END' > slower/samples.csv
import csv, sys
rows = list(csv.DictReader(open("samples.csv")))
print("t,Q,nx,axis")
for r in rows:
    print("%g,%s,%s,%s" % (1.5 * float(r["t"]), r["Q"], r["nx"], r["axis"]))
END
run 0 mastermind import csv slower/samples.csv --time t:us --params Q,nx --modes axis -o slower.mm
expect 0 "kept in many" mastermind model slower.mm many
python3 - << 'END' || fail "sums of models that are kept"
import re
measured, modelled = map(float, re.findall(r"([\d.]+) ms", next(l for l in open("out") if l.startswith("  all "))))
assert abs(measured / modelled / 1.5 - 1) < .02, (measured, modelled)
END

# A model that a person wrote, and one of another machine.
mkdir hand
cat > hand/sort.model.json << 'END'
{
 "schema": "mastermind/model-file/1",
 "class": "Sorter", "port_type": "sort.SortPort/1", "method": "sort",
 "formula": "2 us + 12 ns * n * log2(n)",
 "range": {"n": [16, 1e6]},
 "interval": 0.2
}
END
expect 0 "written by hand" mastermind model hand
expect 0 "2 us + 0.012 us * n * log2(n)" mastermind model hand
expect 0 "typical 125 us" mastermind model hand --at n=1024
fits model <(mastermind model hand --json)
fits model-file hand/sort.model.json
expect 0 "Sorter" mastermind model hand/sort.model.json
sed 's/"class": "Sorter",/&\n "machine": {"cpu": "Z80"},/' hand/sort.model.json > hand/old.model.json
sed -i 's/Sorter/OldSorter/' hand/old.model.json
expect 0 "1 model of another machine is left out; --any-machine takes them" mastermind model hand
expect 0 "Z80" mastermind model hand --any-machine
sed -i 's/log2(n)/log3(n)/' hand/old.model.json
expect 3 "hand/old.model.json:5: found 'log3' in" mastermind model hand

# --- Powers
python3 -c '
print("t,n")
for i in range(60):
    n = 4 << i % 8
    print("%.9g,%d" % (2 + 3e-4 * n ** 4 * (1 + .002 * (i // 8 % 3)), n))' > steep.csv
run 0 mastermind import csv steep.csv --time t:us --params n -o steep.mm
run 0 mastermind model steep.mm
grep -Eq 'n\^(3\.|[4-9])' out && fail "a power above 3"
expect 0 " ns * n^4 " mastermind model steep.mm --max-power 5
expect 2 "at least 1" mastermind model steep.mm --max-power x

# --- Figures
python3 - > "two.csv" << 'END'
import random
random.seed(7)
print("t,n,w,<m & 'x'>")
for i in range(900):
    n, w, m = 2 ** (4 + i % 9), 1 + i // 9 % 6, i // 54 % 2
    print("%.6g,%d,%d,%d" % ((3 + .002 * n * w + .5 * max(0, n - 300)) * (1 + m) *
                             random.lognormvariate(0, .05), n, w, m))
END
python3 -c '
print("t,n,mode")
for i in range(360):
    n, m = 100 << i % 6, i // 6 % 20
    print("%.6g,%d,%d" % ((3 + .01 * n) * (1 + m) * (1 + i % 7 * .01), n, m))' > modes.csv
printf 't\n3\n4\n5\n' > none.csv
printf 't,n\n3,64\n4,64\n5,64\n0,64\n' > one.csv
printf 't,n\n0,0\n0,1\n0,2\n0,5\n' > zero.csv
run 0 mastermind import csv two.csv --time t:us --params n,w --modes "<m & 'x'>" -o two.mm
run 0 mastermind import csv none.csv --time t:us -o none.mm
run 0 mastermind import csv one.csv --time t:us --params n -o one.mm
run 0 mastermind import csv zero.csv --time t:us --params n -o zero.mm
run 0 mastermind import csv modes.csv --time t:us --params n --modes mode -o modes.mm
for figure in law two none one zero modes; do
    run 0 mastermind model $figure.mm --svg $figure.svg
done
rm hand/old.model.json
run 0 mastermind model hand --svg hand.svg
run 0 mastermind model law.mm two.mm none.mm --svg several.svg
run 0 mastermind model law.mm --at Q=2000,axis=0 --json
python3 "$root/tests/lib/svg_figure.py" law.svg out Q ./*.svg || fail "a figure is wrong"
expect 5 "cannot write 'no/such/file'" mastermind model law.mm --svg no/such/file

# --- Methods without parameters have reasons of their own
printf 't\n5\n6\n' > unmarked.csv
run 0 mastermind import csv unmarked.csv --time t:us -o unmarked.mm
expect 0 "no parameter is marked: one cost for all calls" mastermind model unmarked.mm
grep -q 'explain little\|one call' out && fail "reasons of methods that have parameters or one call"
head -n 2 unmarked.csv > single.csv
run 0 mastermind import csv single.csv --time t:us -o single.mm
expect 0 "sd unknown   1 invocation of 1 size" mastermind model single.mm
grep -q 'one call a size' out && fail "one call has no sizes"

# --- Far beyond: a power that overflows is no small cost, and fits a line
printf 't,n\n1,10\n4,20\n9,30\n16,40\n36,60\n64,80\n100,100\n' > square.csv
run 0 mastermind import csv square.csv --time t:us --params n -o square.mm
run 0 mastermind model square.mm --at n=1e300
awk 'length > 100 { exit 1 }' out || fail "a line is longer than 100 columns"
printf 'n\n100\n1e300\n' > far.csv
run 0 mastermind predict square.mm --points far.csv
awk -F, 'NR == 2 { near = $2 } NR == 3 && !($2 > 1e9 * near) { exit 1 }' out ||
    fail "a cost far beyond the sizes is small"

# --- Parameters that explain little: the mean, with an interval that holds the calls
awk 'BEGIN { srand(3); print "t,n"; for (i = 0; i < 80; i++) { k = i % 8;
    printf "%.3f,%d\n", (k == 5 ? 90 : k == 2 ? 4 : 20) * (.2 + rand()), 16 * 2 ^ k } }' > odd.csv
run 0 mastermind import csv odd.csv --time t:us --params n -o odd.mm
expect 0 "its parameters explain little" mastermind model odd.mm --at n=100
cut -d, -f2 odd.csv > points.csv
run 0 mastermind predict odd.mm --points points.csv
python3 - << 'END' || fail "the interval of a mean does not hold its calls"
import csv
calls, answers = (list(csv.DictReader(open(name))) for name in ("odd.csv", "out"))
held = sum(float(a["lo"]) <= float(c["t"]) <= float(a["hi"]) for c, a in zip(calls, answers))
assert len(answers) == len(calls) == 80 and held >= 72, held
END

finish
