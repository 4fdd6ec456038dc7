# SPDX-License-Identifier: BSD-3-Clause
"""baselines.py: other ways to predict the CPU time of a whole run from other runs, and parts of ours left out.

A predictor takes the runs (experiments.Run) and the run asked for, of which it reads the parameters and classes. Those of
COUNTED are also given its true calls and sizes: they differ in what a call costs alone. A prediction is ns, or None."""
import math
import os
import statistics
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "models"))
import peers  # noqa: E402; bench/models


def nearest(runs, asked):
    """The runs that have most classes in common with the one asked for."""
    common = lambda run: sum(run.classes.get(i) == c for i, c in asked.classes.items())
    most = max(map(common, runs))
    return [run for run in runs if common(run) == most]


def axes_of(runs, asked):
    """Names of the numbers that vary, one of those that vary together."""
    names, seen = [], []
    for name in sorted(asked.numbers):
        column = [run.numbers.get(name) for run in runs]
        if None in column or len(set(column)) < 2:
            continue
        ranks = [sorted(set(column)).index(v) for v in column]
        if ranks not in seen:
            seen.append(ranks)
            names.append(name)
    return names


def fit_one_term(runs, values, asked):
    """The one-term search of Extra-P on values of runs, at the parameters asked for."""
    names = axes_of(runs, asked)
    if not names or len(set(values)) < 2:
        return statistics.median(values)
    at = lambda run: tuple(run.numbers[n] for n in names)
    try:
        return max(peers.PEERS["pmnf"]([at(r) for r in runs], values, [at(asked)])[0][0], 0.0)
    except (ArithmeticError, ValueError):
        return None


def work_proportional(runs, asked, work):
    """From the largest runs that are most like the one asked for, in proportion to the work by its parameters."""
    like = nearest(runs, asked)
    largest = max(work(run.numbers) for run in like)
    from_ns = statistics.median(run.total_ns for run in like if work(run.numbers) == largest)
    return from_ns * work(asked.numbers) / largest


def total_one_term(runs, asked):
    like = nearest(runs, asked)
    return fit_one_term(like, [run.total_ns for run in like], asked)


def paths_one_term(runs, asked):
    """A fit for each call path, from runs with the class that the path ends in; of those, from the ones most like the run
    asked for if they have three sizes or more."""
    total = 0.0
    for path in sorted({p for run in nearest(runs, asked) for p in run.paths}):
        instance = path.split(">")[-1].split(".")[0]
        known = [r for r in runs if r.classes.get(instance) == asked.classes.get(instance)]
        if not known:
            return None
        like = nearest(known, asked)
        names = axes_of(known, asked)
        if len({tuple(r.numbers[n] for n in names) for r in like}) < min(3, len({tuple(r.numbers[n] for n in names) for r in known})):
            like = known
        found = fit_one_term(like, [r.paths.get(path, 0) for r in like], asked)
        if found is None:
            return None
        total += found
    return total


# --- What a call costs, with the true calls and sizes ------------------------------------------


def samples_of(runs, with_modes):
    """{(class, port, method, mode): {size: (calls, ns)}}; without modes, mode is ''."""
    found = {}
    for run in runs:
        for name, port, method, mode, size, calls, ns in run.calls:
            sizes = found.setdefault((name, port, method, mode if with_modes else ""), {})
            before = sizes.get(size, (0, 0))
            sizes[size] = before[0] + calls, before[1] + ns
    return found


def power_law(sizes):
    """a n^b + c, as StarPU describes it: a function of the size."""
    means = {size: ns / calls for size, (calls, ns) in sizes.items()}
    if len(means) < 3 or min(means) <= 0 or min(means.values()) <= 0:
        return lambda size: statistics.fmean(means.values())
    return lambda size: peers.starpu([(s,) for s in means], list(means.values()), [(size,)])[0][0]


def line_fit(means, hinge):
    """a + b n (+ c max(n - hinge, 0)), least squares of relative errors: a function of the size, or None."""
    columns = lambda s: [1.0, s] + ([max(s - hinge, 0.0)] if hinge else [])
    rows = [[c / v for c in columns(s)] for s, v in means.items()]
    a = peers.solve(rows, [1.0] * len(rows)) if len(rows) >= len(rows[0]) else None
    return (lambda size: sum(x * c for x, c in zip(a, columns(size)))) if a else None


def price(means, hinge):
    """Schwarz's criterion of a fit, its relative errors taken for half a percent at least."""
    law, count = line_fit(means, hinge), len(means)
    squares = statistics.fmean((law(size) / value - 1) ** 2 for size, value in means.items()) if law else math.inf
    return count * math.log(squares + .005 ** 2) + (4 if hinge else 2) * math.log(count)


def broken_line(sizes, breaks=True):
    """The best line, or two that meet at a size: a simple stand-in for the models of the tool."""
    means = {size: ns / calls for size, (calls, ns) in sizes.items() if ns > 0}
    if len(means) < 3:
        law = line_fit(means, 0) if len(means) == 2 else None
        return law or (lambda size: statistics.fmean(means.values()) if means else 0.0)
    inner = sorted(means)[1:-1] if breaks and len(means) >= 5 else []
    best = min([0, *inner], key=lambda hinge: price(means, hinge))
    return line_fit(means, best) or (lambda size: statistics.fmean(means.values()))


def counted(runs, asked, law, with_modes=True, with_sums=True):
    """Models of `law` times the true calls of the run asked for; without sums, each method's calls at their mean size."""
    samples, models, groups = samples_of(runs, with_modes), {}, {}
    for name, port, method, mode, size, calls, _ in asked.calls:
        key = name, port, method, mode if with_modes else ""
        if key not in samples:
            return None
        if key not in models:
            models[key] = law(samples[key])
        groups.setdefault(key, []).append((size, calls))
    total = 0.0
    for key, found in groups.items():
        calls = sum(c for _, c in found)
        if with_sums:
            total += sum(c * models[key](s) for s, c in found)
        else:
            total += calls * models[key](sum(s * c for s, c in found) / calls)
    return total if math.isfinite(total) else None


def predictors(work):
    """{name: function of (runs, asked)}; the work by a run's numbers as its user knows it."""
    return {"work": lambda runs, asked: work_proportional(runs, asked, work), "total": total_one_term, "paths": paths_one_term,
            "power": lambda runs, asked: counted(runs, asked, power_law),
            "plain": lambda runs, asked: counted(runs, asked, broken_line),
            "no modes": lambda runs, asked: counted(runs, asked, broken_line, with_modes=False),
            "no Phi": lambda runs, asked: counted(runs, asked, broken_line, with_sums=False),
            "no breaks": lambda runs, asked: counted(runs, asked, lambda sizes: broken_line(sizes, breaks=False))}


RIVALS = ("work", "total", "paths")
COUNTED = ("power", "plain", "no modes", "no Phi", "no breaks")
