#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# `mastermind diff`: groups of runs that were made with known changes, from experiments to words.
. "$(dirname "$0")/../lib/lib.sh"

# --- Runs of two methods: `solve` costs 20 ns * n, `load` 5 us; factors of calls, sizes and costs
python3 - <<'END'
import random
random.seed(11)
def run(name, calls=1, size=1, dearer=1, drop=0, other=0):
    pace = random.gauss(1, .008)
    with open(name + ".csv", "w") as file:
        file.write("t,n,who\n")
        for k in range(60 * calls):
            n = [1000, 2000, 4000, 8000, 16000][k % 5] * (size if k % 2 else 1) + 100 * other
            pause = 2e6 if random.random() < .01 else 0
            file.write(f"{20 * n * dearer * pace * random.gauss(1, .02) + pause:.0f},{n},a.b.solve\n")
            if not drop:
                file.write(f"{50000 * pace * random.gauss(1, .02):.0f},{1 + other},a.b.load\n")
for i in range(5):
    run(f"a{i}"); run(f"e{i}"); run(f"d{i}", dearer=1.08); run(f"c{i}", calls=2, dearer=1.08)
    run(f"s{i}", size=2); run(f"x{i}", drop=1)
    run(f"o{i}", dearer=1.08, other=1)
END
for f in *.csv; do
    mastermind import csv "$f" --time t --method-column who -o "${f%.csv}.mm" 2>/dev/null || fail "import $f"
done

run 0 mastermind diff a?.mm -- e?.mm
grep -qE '^(same  |undecided) all methods together' out || fail "equal sides"
run 0 mastermind diff --same 30 --min-change 10 a?.mm -- e?.mm
holds out 'same   all methods together'
run 2 mastermind diff --same 1 a?.mm -- e?.mm
holds err 'found --same 1 and --min-change 2'

# --- Runs of a side that differ by far more than the sides do: nothing is known, so it is not `same`
python3 - <<'END' || fail "experiments of several sizes"
for i in range(6):
    with open(f"n{i}.csv", "w") as file:
        file.write("t,n,who\n")
        for k in range(60):
            file.write(f"{20000 * 2 ** (i % 3) * (1.1 if i > 2 else 1)},7,a.b.solve\n")
END
for i in 0 1 2 3 4 5; do
    mastermind import csv n$i.csv --time t --method-column who -o n$i.mm 2>/dev/null || fail "import n$i"
done
run 0 mastermind diff n0.mm n1.mm n2.mm -- n3.mm n4.mm n5.mm
holds out 'undecided: the interval is not within 3 %'
holds <(tail -n 1 out) 'undecided all methods together: '
run 0 mastermind race n0.mm n1.mm n2.mm -- n3.mm n4.mm n5.mm
holds <(tail -n 1 out) 'undecided: '

run 1 mastermind diff a?.mm -- d?.mm
holds out 'worse  a.b.solve: '
holds out 'costlier at equal parameters'
run 1 mastermind diff a?.mm -- c?.mm
holds out '120 calls where there were 60.0'
run 0 mastermind diff c?.mm -- a?.mm
holds out 'better a.b.solve: 60.0 calls where there were 120'
run 0 mastermind diff --min-change 30 a?.mm -- d?.mm
run 0 mastermind diff --min-change 30% a?.mm -- d?.mm
run 2 mastermind diff --min-change %% a?.mm -- d?.mm
run 0 mastermind diff a?.mm -- x?.mm
holds out 'better a.b.load'
run 0 mastermind diff a0.mm -- c0.mm
holds out 'no verdict'
run 1 mastermind diff --json a?.mm -- c?.mm
cp out c.json
fits diff c.json
run 1 mastermind diff --json a?.mm -- s?.mm
cp out s.json
fits diff s.json
run 1 mastermind diff --json a?.mm -- o?.mm # no sizes in common
cp out o.json
fits diff o.json
run 0 mastermind diff --json a0.mm -- e0.mm
cp out one.json
fits diff one.json
# The truth, by what the files were made with: 20 ns * n, means of n = 6200; half of the calls twice as large
python3 - <<'END' || fail "parts are not those of the runs"
import json
def solve(name):
    d = json.load(open(name))
    return next(m for m in d["methods"] if m["name"] == "a.b.solve"), d
m, d = solve("c.json")
mu = 20 * 6200
for part, truth in (("calls", 60 * mu * 1.04), ("sizes", 0), ("dearer", 90 * mu * .08)):
    p = m["parts"][part]
    assert p["low"] - 1 <= truth <= p["high"] + 1 or abs(p["change"] - truth) < .02 * 60 * mu, (part, truth, p)
assert abs(sum(m["parts"][k]["change"] for k in ("calls", "sizes", "dearer", "rare")) - (m["b"] - m["a"])) < 1
assert abs(m["dearer"] - .08) < .02 and m["parts"]["calls"]["exact"] and m["parts"]["dearer"]["p"] <= .05
m, d = solve("s.json")
assert m["parts"]["sizes"]["verdict"] == "worse" and m["parts"]["calls"]["verdict"] == "same", m
assert m["parts"]["dearer"]["verdict"] == "same", m
m, d = solve("o.json")
assert m["by_model"] and m["parts"]["dearer"]["verdict"] == "worse" and abs(m["dearer"] - .08) < .02, m
END

# --- diff and race have one verdict on the same experiments
for side in e d c s o x; do
    mastermind diff --json a?.mm -- $side?.mm >diff.json
    status=$?
    run $status mastermind race --json --junit $side.xml --markdown $side.md a?.mm -- $side?.mm
    cp out race.json
    fits race race.json
    python3 - $side <<'END' || fail "diff and race differ: $side"
import json, sys, xml.etree.ElementTree as xml
d, r = json.load(open("diff.json")), json.load(open("race.json"))
assert d["verdict"] == r["verdict"] and d["same"] == r["same"] == .03, (d["verdict"], r["verdict"])
whole = {"verdict": d["parts"]["all"]["verdict"], "a": d["a"], "parts": {"all": d["parts"]["all"]}}
for m in d["methods"] + [whole]:
    p = m["parts"]["all"]
    assert m["verdict"] != "same" or max(abs(p["low"]), abs(p["high"])) <= .030001 * m["a"], m
failures = int(xml.parse(sys.argv[1] + ".xml").getroot().get("failures"))
assert (failures > 0) == (d["verdict"] == "worse"), failures
heading = open(sys.argv[1] + ".md").read().splitlines()[0]
assert {"worse": "more", "better": "less", "same": "the same", "open": "Undecided"}[d["verdict"]] in heading, heading
END
done

# --- A series
run 0 mastermind diff --series a?.mm e?.mm
holds out 'no change in 10 runs'
run 1 mastermind diff --series a?.mm d?.mm
holds out 'run 6, d0.mm: a.b.solve: costlier at equal parameters'
run 1 mastermind diff --series x?.mm a?.mm
holds out 'run 6, a0.mm: a.b.load: called, and never before'
run 1 mastermind diff --series a?.mm x0.mm d?.mm
holds out 'run 7, d0.mm: a.b.solve: costlier at equal parameters'
run 1 mastermind diff --series --json x?.mm a?.mm
cp out new.json
fits diff-series new.json
run 1 mastermind diff --series --json a?.mm d?.mm
cp out series.json
fits diff-series series.json

# --- Whole programs: `kernel` is recorded, the loop in `main` is not; the same program under another name
cat >own.c <<'END'
#include <stdio.h>
#include <stdlib.h>
static volatile double sink;
__attribute__((noinline)) double kernel(int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += i * 1e-3 / (i & 7 | 1);
    return sum;
}
int main(int argc, char **argv)
{
    long more = argc > 1 ? atol(argv[1]) : 0;
    size_t size = argc > 2 ? atol(argv[2]) << 20 : 1;
    volatile char *block = malloc(size);
    for (size_t i = 0; i < size; i += 4096)
        block[i] = 1;
    for (int k = 0; k < 20; k++) {
        sink += kernel(100000 + k);
        for (long i = 0; i < more; i++)
            sink += i;
    }
    return 0;
}
END
$CC -O2 -g -o own own.c || fail compile
cp own another-name
for i in 1 2 3 4 5; do
    for side in "wa ./own" "wb ./own 4000000" "wc ./another-name" "wm ./own 0 20"; do
        set -- $side
        mastermind record --functions kernel --no-report -o $1$i.mm -- "${@:2}" 2>err || fail "record $side"
    done
done
run 1 mastermind diff wa?.mm -- wb?.mm
grep -q "^worse  the rest: own code, and unrecorded functions: " out || fail "the program's own code"
holds out "worse  the program's CPU time: "
run 1 mastermind diff --json wa?.mm -- wb?.mm
cp out whole.json
fits diff whole.json
run 1 mastermind diff wa?.mm -- wm?.mm
holds out 'worse  peak memory: '
mastermind diff --json wa?.mm -- wc?.mm >name.json
fits diff name.json
python3 - <<'END' || fail "whole programs"
import json
d = json.load(open("whole.json"))
assert d["cpu"]["verdict"] == d["rest"]["verdict"] == d["verdict"] == "worse", d
assert d["rest"]["b"] > .7 * d["cpu"]["b"] and abs(d["cpu"]["b"] - d["rest"]["b"] - d["b"]) < .02 * d["cpu"]["b"], d
assert d["memory"]["verdict"] == "same", d["memory"]
d = json.load(open("name.json"))
assert len(d["methods"]) == 1 and d["methods"][0]["calls_a"] == d["methods"][0]["calls_b"] == 20, d["methods"]
assert d["methods"][0]["name"] == "own.function.kernel" and d["memory"]["verdict"] == "same", d
END

# --- Runs without recorded calls: -o keeps CPU time and memory
for i in 1 2 3 4 5; do
    for side in "pa ./own" "pb ./own 4000000" "pc ./another-name"; do
        set -- $side
        mastermind record -o $1$i.mm -- "${@:2}" >out 2>err || fail "record $side"
    done
done
run 1 mastermind diff pa?.mm -- pb?.mm
holds out "worse  the program's CPU time: "
run 1 mastermind race pa?.mm -- pb?.mm
holds out 'worse: CPU time of B is x '
mastermind diff --json pa?.mm -- pc?.mm >name.json
fits diff name.json
python3 - <<'END' || fail "runs without calls"
import json
d = json.load(open("name.json"))
assert len(d["methods"]) == 1 and d["methods"][0]["name"] == "own.program.run", d["methods"]
assert d["memory"]["verdict"] == "same" and d["memory"]["a"] > 3e5 and d["cpu"]["a"] == d["a"], d
END

# --- A series of whole programs: its own loop is slower from run 6 on, also under another name
run 1 mastermind diff --series --min-change 50 wa?.mm wb?.mm
holds out "worse  run 6, wb1.mm: the program's CPU time: "
holds out 'worse  run 6, wb1.mm: the rest: own code, and unrecorded functions: '
holds <(tail -n 1 out) "worse  from run 6 of 10 on, wb1.mm: the program's CPU time: "
run 1 mastermind diff --series --min-change 50 wc?.mm wb?.mm
holds <(tail -n 1 out) "worse  from run 6 of 10 on, wb1.mm: the program's CPU time: "
run 0 mastermind diff --series --min-change 50 wb?.mm wa?.mm
holds <(tail -n 1 out) "better from run 6 of 10 on, wa1.mm: the program's CPU time: "
run 0 mastermind diff --series --min-change 50 wa?.mm wc?.mm
holds out 'no change in 10 runs that matters'
run 1 mastermind diff --series --min-change 50 pc?.mm pb?.mm
holds out "worse  run 6, pb1.mm: the program's CPU time: "
run 1 mastermind diff --series wa?.mm wm?.mm
holds out 'worse  run 6, wm1.mm: peak memory: '
run 1 mastermind diff --series --json --min-change 50 wa?.mm wb?.mm
cp out programs.json
fits diff-series programs.json
python3 - <<'END' || fail "a series of programs"
import json
d = json.load(open("programs.json"))
cpu = next(c for c in d["changes"] if c.get("total") == "cpu")
assert d["verdict"] == cpu["verdict"] == "worse" and cpu["run"] == 6 and cpu["b"] > 2 * cpu["a"], d
END

# --- Wrong words
run 2 mastermind diff
run 2 mastermind diff a0.mm
run 2 mastermind diff a0.mm --
run 2 mastermind diff -- a0.mm
run 2 mastermind diff --series a0.mm -- a1.mm
run 2 mastermind diff a0.mm a1.mm -- a0.mm e0.mm
holds err 'a run is given twice'
run 2 mastermind diff a0.mm -- --json e0.mm
run 3 mastermind diff a0.mm -- nothing.mm
run 3 mastermind diff --metric CPU_TIME a0.mm -- e0.mm
run 2 mastermind diff --min-change -1 a0.mm -- e0.mm
finish
