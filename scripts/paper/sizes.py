# SPDX-License-Identifier: BSD-3-Clause
"""sizes.py OUT MODELS.py CSV...: costs of States, StatesRows and the fluxes against the size of the array.

Writes OUT/sizes-CLASS.dat with the blocks `x0 y0 x1 ...` (calls by mode and rank, thinned), `ratio` and
`ratio-median` (strided to sequential, pairs of calls of one patch), `mean` (Q, mean and standard deviation over
modes), `mode-x`, `mode-y` (the same of a mode), `model` (Q, mean of the models' costs of these calls), and OUT/sizes.json.
MODELS is what `mastermind model --metric CPU_TIME --formula python` prints.
"""
import collections
import importlib.util
import inspect
import math
import statistics
import sys

from rows import rows
from table import thin, write_blocks, write_values

BINS = 12  # a decade
X, Y = (0, "x"), (1, "y")


def bin_of(q):
    return round(math.log10(q) * BINS)


def mode_of(row):
    return "x" if row["axis"] in X else "y"


def summary(calls):
    """(Q, mean, sd, count) for each bin of sizes: of the costs per element, times the mean size."""
    groups = collections.defaultdict(list)
    for row in calls:
        groups[bin_of(row["Q"])].append(row)
    out = []
    for _, group in sorted(groups.items()):
        if len(group) < 4:
            continue
        q = statistics.fmean(r["Q"] for r in group)
        cost = [r.cpu / r["Q"] for r in group]
        out.append((q, statistics.fmean(cost) * q, statistics.stdev(cost) * q, len(group)))
    return out


def functions_of(path):
    """The functions of MODELS by (class, mode), each with the names of its arguments."""
    spec = importlib.util.spec_from_file_location("models", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = {}
    for name, function in inspect.getmembers(module, inspect.isfunction):
        found[name.split("_")[0], name[-1]] = function, list(inspect.signature(function).parameters)
    return found


def modelled(functions, calls):
    """(Q, mean of the models' costs of the same calls) for each bin of sizes."""
    groups = collections.defaultdict(list)
    for row in calls:
        function, names = functions[row.class_name, mode_of(row)]
        groups[bin_of(row["Q"])].append((row["Q"], function(*(row[n] for n in names)) / 1e3))
    out = []
    for _, group in sorted(groups.items()):
        if len(group) >= 4:
            q = statistics.fmean(p[0] for p in group)
            out.append((q, statistics.fmean(p[1] / p[0] for p in group) * q))
    return out


def pairs(calls):
    """Calls of the two modes by one caller: (Q, time of y / time of x)."""
    first = {}
    for row in calls:
        key = row.rank, row.caller
        if mode_of(row) == "x":
            first[key] = row
        elif key in first:
            x = first.pop(key)
            if x.cpu > 0:
                yield (x["Q"] * row["Q"]) ** .5, row.cpu / x.cpu


def medians(points):
    groups = collections.defaultdict(list)
    for q, ratio in points:
        groups[round(math.log10(q) * 6)].append((q, ratio))
    out = []
    for _, group in sorted(groups.items()):
        if len(group) >= 8:
            q = statistics.median(p[0] for p in group)
            low, middle, high = statistics.quantiles([p[1] for p in group], n=4)
            out.append((q, middle, low, high))
    return out


def main(out, models, files):
    functions = functions_of(models)
    calls = collections.defaultdict(list)
    for path in files:
        # Ranks of different files are different callers.
        for row in rows(path, ("reconstruct", "compute")):
            row.caller = (path, row.caller)
            calls[row.class_name].append(row)
    values = {}
    for name, group in calls.items():
        modes = {m: [r for r in group if mode_of(r) == m] for m in "xy"}
        ratios = list(pairs(group))
        blocks = {}
        for rank in range(3):
            for mode in "xy":
                points = [(r["Q"], r.cpu) for r in modes[mode] if r.rank == rank]
                blocks["%s%d" % (mode, rank)] = thin_by_size(points, 160)
        blocks["ratio"] = thin_by_size(ratios, 400)
        blocks["ratio-median"] = medians(ratios)
        blocks["mean"] = summary(group)
        blocks["mode-x"] = summary(modes["x"])
        blocks["mode-y"] = summary(modes["y"])
        blocks["model"] = modelled(functions, group)
        write_blocks("%s/sizes-%s.dat" % (out, name), blocks)
        values[name] = {
            "calls": len(group), "cpu_s": sum(r.cpu for r in group) / 1e6,
            "smallest": min(r["Q"] for r in group), "largest": max(r["Q"] for r in group),
            "mean": blocks["mean"], "mode_x": blocks["mode-x"], "mode_y": blocks["mode-y"],
            "ratio": blocks["ratio-median"], "iterations": iterations(group),
        }
    write_values(out + "/sizes.json", values)


def iterations(group):
    """Iterations of the Riemann solver a face; None where there are none."""
    told = [r for r in group if r["iterations"] is not None]
    return sum(r["iterations"] for r in told) / sum(r["Q"] for r in told) if told else None


def thin_by_size(points, most):
    """At most `most`, as many from each bin of sizes as can be."""
    groups = collections.defaultdict(list)
    for point in points:
        groups[bin_of(point[0])].append(point)
    each = max(1, most // max(1, len(groups)))
    return [p for _, group in sorted(groups.items()) for p in thin(group, each, lambda p: p[1])]


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
