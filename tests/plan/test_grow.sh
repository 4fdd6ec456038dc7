#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# `mastermind grow`: scaling functions of a program whose work and memory are known, larger runs, functions, jobs.
. "$(dirname "$0")/../lib/lib.sh"

cat >grid.c <<'END'
#include <stdio.h>
#include <stdlib.h>
/* n^3 additions, and some n^2: memory of n^2 doubles */
__attribute__((noinline)) double cubic(double *u, long n)
{
    double sum = 0;
    for (long k = 0; k < n; k++)
        for (long i = 0; i < n * n; i += 16)
            sum += u[i] = u[i] * .5 + 1e-3;
    return sum;
}
__attribute__((noinline)) double square(const double *u, long n)
{
    double sum = 0;
    for (int k = 0; k < 75; k++)
        for (long i = 0; i < n * n; i++)
            sum += u[i] * 1e-3 / (1 + (i & 7));
    return sum;
}
int main(int argc, char **argv)
{
    long n = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
    double *u = calloc(n * n, sizeof *u);
    if (n == 13)
        return 9;
    printf("%g\n", cubic(u, n) + square(u, n));
    return 0;
}
END
$CC -O2 -g -o grid grid.c || fail compile

# --- Six sizes: laws, functions, and a run that is twice as large, held against that run
run 0 mastermind grow -n 150,220,300,420,600,850 --at 1700,3400 -- ./grid '{n}'
holds out 'predicted, 90 %'
holds out 'cubic'
holds out 'square'
cp out text
[ -d grid.grow ] || fail "no directory grid.grow"
stat -c %Y.%i grid.grow/run-*.mm >before
run 0 mastermind grow -n 150,220,300,420,600,850 --at 1700,3400 -- ./grid '{n}'
cmp -s out text || fail "the same command prints something else"
stat -c %Y.%i grid.grow/run-*.mm | cmp -s - before || fail "the same command makes runs again"
run 0 mastermind grow --json --svg grow.svg -n 150,220,300,420,600,850 --at 1700,3400 -- ./grid '{n}'
cp out grow.json
fits grow grow.json
run 0 mastermind predict grid.grow --set n=1700 --json
cp out predict.json
run 0 mastermind predict grid.grow --metric o.peak_bytes --set n=3400 --json
cp out peak.json
python3 - <<'END' || fail "laws, predictions"
import json, resource, subprocess
grow, predict, peak = (json.load(open(n + ".json")) for n in ("grow", "predict", "peak"))
assert grow["parameter"] == "n" and [s["value"] for s in grow["sizes"]] == "150 220 300 420 600 850".split()
assert all(s["runs"] >= 3 for s in grow["sizes"])
first, second = grow["predictions"]
# one engine: what predict says of the same runs
assert abs(1e9 * first["cpu_s"]["value"] - predict["total"]) < 1e-6 * predict["total"], (first, predict)
assert abs(second["peak_bytes"]["value"] - peak["total"]) < 1, (second, peak)
# a run of one part: the part's interval is the total's, with differences between equal runs
assert [p["name"] for p in predict["parts"]] == ["grid.program.run"], predict["parts"]
for end in "low", "high":
    assert end not in predict or abs(predict["parts"][0][end] / predict[end] - 1) < 1e-6, (end, predict)
# memory: n^2 doubles, and some MB that each process has; a kernel counts some hundred KiB late
for p, n, error in ((first, 1700, .1), (second, 3400, .2)):
    truth = 8 * n * n + 1.6e6
    assert abs(p["peak_bytes"]["value"] / truth - 1) < error, (p, truth)
    assert p["peak_bytes"]["low"] <= truth <= p["peak_bytes"]["high"], (p, truth)
# time: a run of that size, here and now, on a core that others may share
before = resource.getrusage(resource.RUSAGE_CHILDREN)
subprocess.run(["./grid", "1700"], check=True, stdout=subprocess.DEVNULL)
after = resource.getrusage(resource.RUSAGE_CHILDREN)
seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
assert .25 < first["cpu_s"]["value"] / seconds < 4, (first, seconds) # two-fold by caches and by the host
assert "low" not in first["cpu_s"] or first["cpu_s"]["low"] < first["cpu_s"]["value"] < first["cpu_s"]["high"]
# a cost that never fell with n is not less than that of the largest size, and grows with n^3 and a cache at most
most = grow["sizes"][-1]["cpu_s"]
for p, n in ((first, 1700), (second, 3400)):
    if "low" in p["cpu_s"]:
        assert p["cpu_s"]["low"] > .4 * most, (p, most)
        assert p["cpu_s"]["high"] < 2.5 * 1.6 * most * (n / 850) ** 3, (p, most)
# functions: shares are of the whole; what grows with n^3 gains on what grows with n^2
names = {f["name"]: f for f in grow["functions"]}
assert abs(sum(f["share"] for f in grow["functions"]) - 1) < 1e-6
for k in (0, 1):
    assert abs(sum(f["share_at"][k] for f in grow["functions"]) - 1) < 1e-6
cubic, square = names["cubic"], names["square"]
assert cubic["share"] < cubic["share_at"][0] < cubic["share_at"][1], cubic
assert square["share"] > square["share_at"][0] > square["share_at"][1], square
# a job may use as much as the upper ends
for p in first, second:
    assert ("slurm" in p) == ("high" in p["cpu_s"] and "high" in p["peak_bytes"]), p # none without an interval
    if "slurm" in p:
        hours, minutes, _ = p["slurm"].split()[0].split("=")[1].split(":")
        assert 3600 * int(hours) + 60 * int(minutes) >= p["cpu_s"]["high"], p
        assert int(p["slurm"].split("--mem=")[1][:-1]) * 2 ** 20 >= p["peak_bytes"]["high"], p
    else:
        assert "why" in p["cpu_s"] or "why" in p["peak_bytes"], p
END

# --- The figure has the band that the table states: its pixels at n=1700, by the labels of the axis
python3 - <<'END' || fail "figure"
import json, math, re
text, first = open("grow.svg").read(), json.load(open("grow.json"))["predictions"][0]
unit = {"us": 1e-6, "ms": 1e-3, "s": 1}
ticks = [(math.log(float(n) * unit[u]), float(y) - 4)
         for y, n, u in re.findall(r'y="([\d.]+)" text-anchor="end">([\d.]+) (us|ms|s)<', text)]
(a, at), (b, bt) = ticks[0], ticks[-1]
points = [tuple(map(float, p.split())) for p in re.search(r'<path d="M([^"Zz]*)Z"', text).group(1).split("L")]
assert len(points) % 2 == 0
half = len(points) // 2
x = 74 + 458 * math.log(1700 / 100) / math.log(3400 * 1.05 / 100)
def cost(side):
    (x0, y0), (x1, y1) = next((p, q) for p, q in zip(side, side[1:]) if p[0] <= x <= q[0])
    return math.exp(a + (y0 + (y1 - y0) * (x - x0) / (x1 - x0) - at) * (b - a) / (bt - at))
if "low" in first["cpu_s"]: # else the table says why not
    high, low = cost(points[:half]), cost(points[:half - 1:-1])
    assert abs(math.log(high / first["cpu_s"]["high"])) < .05, (high, first)
    assert abs(math.log(low / first["cpu_s"]["low"])) < .05, (low, first)
assert "./grid {n}" in text and "90 %: a run" in text
END

# --- Three sizes tell a power, with a wide interval, and which size is missing
run 0 mastermind grow -D n=200,400,800 --repeat 3 -o three -- ./grid '{n}'
holds out 'n has 3 sizes: add 1600'
grep -q 'CPU time .*\* n' out || fail "three sizes have no scaling function: $(cat out)"
grep -q '^ *1600 ' out || fail "three sizes predict no run"

# --- Another list of sizes: the runs that stand are kept, also of sizes that are not in it
stat -c %Y%i three/*.mm/* | sort >before
run 0 mastermind grow -D n=200,400,600 --repeat 3 -o three -- ./grid '{n}'
holds err "'three' has runs of n=800: they count as well"
equal "runs of four sizes" 12 "$(ls -d three/run-*.mm | wc -l)"
stat -c %Y%i three/*.mm/* | sort | comm -23 before - >lost
[ -s lost ] && fail "runs were made again"
python3 - <<'END_PYTHON' || fail "runs have the numbers of the plan"
import json
for run in json.load(open("three/plan.json"))["runs"]:
    about = json.load(open(f"three/{run['experiment']}/experiment.json"))
    assert str(about["variables"]["n"]) == run["values"]["n"], (run, about["variables"])
END_PYTHON

# --- Runs that fail; refusals
run 1 mastermind grow -n 13,20,40,80 --repeat 1 -o failing -- ./grid '{n}'
grep -q 'run [0-9]* failed: n=13: status 9' err || fail "a run that failed is not reported: $(cat err)"
holds out 'no run finished'
expect 2 "has another plan: its command: ./grid {n}, requested: ./grid {n} 1; another directory" \
    mastermind grow -n 1,2,3 -- ./grid '{n}' 1
[ "$(wc -l <err)" = 1 ] || fail "more than one line: $(cat err)"
expect 2 'found 2 values of n, expected at least three sizes' mastermind grow -n 1,2 -o no -- ./grid '{n}'
touch plain.mm-not-a-verb
expect 2 "unknown verb 'plain.mm-not-a-verb'; did you mean './plain.mm-not-a-verb'?" mastermind plain.mm-not-a-verb
expect 2 'found n=-5, expected sizes above 0' mastermind grow -n 200,-5,100 -o no -- ./grid '{n}'
expect 3 'grid.grow/run-001.mm: found no metric' mastermind predict grid.grow --set n=100 --metric peak
holds err ', o.peak_bytes'
run 0 mastermind predict grid.grow --set n=1700 --metric o.peak_bytes
grep -qE '^total [0-9.]+ MiB' out || fail "peak memory has no unit: $(cat out)"
! grep -q 'sizes of calls' out || fail "a sum of memory speaks of calls"
expect 1 'nothing to choose from' mastermind choose grid.grow --set n=100
expect 2 'found 1 value of n, expected at least three sizes' mastermind grow -n 100 -o no -- ./grid '{n}'
expect 2 "found values of n that are no numbers" mastermind grow -n a,b -o no -- ./grid '{n}'
expect 2 "found no {n} in the command './grid ...'" mastermind grow -n 1,2,3 -o no -- ./grid 1
expect 2 "found none of -n and -D, expected one" mastermind grow -o no -- ./grid 1
expect 2 "found several of -n and -D, expected one" mastermind grow -n 1,2 -D m=1,2 -o no -- ./grid '{n}'
expect 2 "--at: found 'x', expected a number above 0" mastermind grow -n 1,2,3 --at x -o no -- ./grid '{n}'
expect 2 'found no command' mastermind grow -n 1,2,3 -o no
expect 1 'none: found finished runs of 0 sizes, expected at least 2' \
    mastermind grow -n 1,2,3 -o none -- ./nothing '{n}'
[ "$(grep -c 'cannot run' err)" = 3 ] || fail "a command that cannot run is tried $(grep -c 'cannot run' err) times, expected 3"
[ ! -e no ] || fail "a refused request leaves a directory"
finish
