#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The scorer of whole runs: predictors of runs whose costs are known functions err by what they must, and two small
# measured runs are read as other verbs read them.
. "$(dirname "$0")/../lib/lib.sh"
export PYTHONPATH=$root/bench/composite SCRIPTS=$root/scripts

cat >known.py <<'END'
import math
import baselines, score
from baselines import predictors

bent = lambda size: size + 4 * max(size - 24, 0)

class Known:
    """A run of known costs: flux by class and mode on patches of Q cells, NX steps; a path that is constant."""
    def __init__(self, nx, flux, per_patch=16.0, factor=1.0):
        self.numbers, self.classes = {"NX": float(nx), "NY": nx / 4.0}, {"flux": flux, "driver": "Driver"}
        slope = {"A": 2.0, "B": 5.0}[flux]
        self.calls = [("Driver", "go", "go", "", 0.0, 1, 1000.0)]
        for mode, more in (("x", 1), ("y", 3)):
            for size, share in ((per_patch, nx), (3 * per_patch, 2 * nx)):
                self.calls.append((flux, "flux", "compute", mode, size, share, share * (100 + slope * more * bent(size)) * factor))
        total = sum(c[6] for c in self.calls[1:])
        self.paths, self.total_ns = {"driver.go.go": 1000.0, "driver.go.go>flux.flux.compute": total}, total + 1000.0

train = [Known(nx, f, q) for f in "AB" for nx in (8, 16, 32, 64) for q in (4.0, 8.0, 16.0)]
same = [Known(nx, "A") for nx in (8, 16, 32, 64)]
methods = predictors(lambda v: v["NX"])
error = lambda name, runs, run: methods[name](runs, run) / run.total_ns - 1
asked = Known(128, "A")
assert baselines.axes_of(train, asked) == ["NX"], "NX and NY grow together"
assert abs(error("total", same, asked)) < 1e-9 and abs(error("paths", same, asked)) < 1e-9
# In proportion to NX, the constant 1000 ns are doubled.
assert abs(error("work", same, asked) - 1000 / asked.total_ns) < 1e-12
# A class is taken from its own runs.
b = [Known(nx, "B") for nx in (8, 16, 32, 64)]
assert abs(error("paths", same + b, Known(128, "B"))) < 1e-9
# With true calls and sizes the bent law is exact, with its break alone.
assert abs(error("plain", train, asked)) < 1e-9 and abs(error("no breaks", train, asked)) > 1e-3
# Sizes 16 and 48, 1 : 2, at their mean: 4 (2/3 24 - (112/3 - 24)) less of each slope.
less = 128 * 3 * 4 * (16 - 40 / 3) * 2.0 * (1 + 3)
assert abs(error("no Phi", train, asked) + less / asked.total_ns) < 1e-9
assert abs(baselines.power_law({float(s): (1, 7.0 + 3 * s ** 1.5) for s in (1, 2, 4, 8, 16, 32)})(64.0) / (7 + 3 * 512) - 1) < .02
# Modes pooled: the mean of 1 and 3; the sum over both is the same where both have the same calls.
assert abs(error("no modes", train, asked) - error("plain", train, asked)) < .02
# Two lines that meet, and one line through them.
sizes = {float(s): (1, 10.0 + s + (5 * (s - 8) if s > 8 else 0)) for s in (2, 4, 6, 8, 10, 12, 14)}
assert abs(baselines.broken_line(sizes)(20.0) - 90) < 1e-6
assert abs(baselines.broken_line(sizes, breaks=False)(20.0) - 90) > 10
# Medians, spread of equal runs, binomial tails.
pairs = [Known(8, "A", factor=f) for f in (1.0, 1.1)]
u, v = (r.total_ns for r in pairs)
assert abs(score.spread_of(pairs) - abs(u - v) / math.sqrt(2) / ((u + v) / 2)) < 1e-12
more, fewer = score.tail(10, .5, 8)
assert abs(more - 56 / 1024) < 1e-12 and abs(fewer - 1013 / 1024) < 1e-12
END
run 0 python3 known.py
quiet

# Measured runs: the sums are those of `report` before it takes off recording (below 1 us a call), the calls those of `records`.
for nx in 16 24; do
    run 0 ccafe --measure --metrics CPU_TIME -o $nx.mm -D FLUX=EFMFlux -D NX=$nx -D NY=8 -D PATCH=8 -D T_END=.05 -D PICTURE= "$SCRIPTS/shock-demo.rc"
    mastermind report --json --metric CPU_TIME $nx.mm >$nx.report
done
cat >measured.py <<'END'
import json, sys
from experiments import Run
for nx in "16", "24":
    run, report = Run(nx + ".mm"), json.load(open(nx + ".report"))
    most = 1000 * report["rows"]
    less = lambda own, reported: 0 <= own - reported <= most
    assert report["total"] == sum(m["exclusive"] for m in report["methods"])
    assert less(run.total_ns, report["total"]), (run.total_ns, report["total"])
    assert sum(run.paths.values()) == run.total_ns and run.numbers["NX"] == int(nx) and run.classes["flux"] == "EFMFlux"
    for m in report["methods"]:
        own = [c for c in run.calls if (c[0], c[1], c[2]) == (m["class"], m["port"], m["method"])]
        assert sum(c[5] for c in own) == m["calls"] and less(sum(c[6] for c in own), m["exclusive"]), m["name"]
        ending = [p for p in run.paths if p.split(">")[-1] == m["name"]]
        assert sum(run.paths[p] for p in ending) == sum(c[6] for c in own), m["name"]
    flux = [c for c in run.calls if c[1] == "flux"]
    assert {c[3] for c in flux} == {"0", "1"} and {c[4] for c in flux} == {72.0}, flux
END
run 0 python3 measured.py
quiet
expect 2 "no case has 'nothing'" "$root/bench/composite/score.py" -o "$dir/none" --only nothing
finish
