#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""score.py: how far predictions of whole runs are from runs that then happen, beside other ways to predict them.

    score.py [-o DIR] [--quick] [--only CASE] [--runs N] [--seed N] [--again N] [--no-small] [--no-cases] [--each] [--json FILE]

Training sweeps and held-out runs are made in DIR (default build/release/bench/composite), or taken from there. CPU time of
everything; a run's total is the sum of its methods' exclusive CPU time. Each held-out run is made three times, and the one with
the median total is the truth. Exit 0; 1: a bar is missed; 2: misuse; 5: a run failed."""
import argparse
import json
import math
import os
import statistics
import sys

sys.dont_write_bytecode = True
import baselines  # noqa: E402
import cases  # noqa: E402
from experiments import TREE, Run, measure, predict, remove, sweep  # noqa: E402

# Bars: case, then (median, worst) of the total error; None: there is none.
BARS = {"uniform, 2 x": (.05, .12), "uniform, 4 x": (.05, .12), "class never beside": (.10, None), "and a dry run": (.10, None), "adaptive, 2 x": (.10, None),
        "solver": (.10, None), "solver, never beside": (.10, None)}
COVERED = (.85, .95)


def note(text):
    sys.stderr.write(text + "\n")


def equal_runs(runs):
    """Runs with the same parameters and classes, together."""
    groups = {}
    for run in runs:
        groups.setdefault((tuple(sorted(run.numbers.items())), tuple(sorted(run.classes.items()))), []).append(run)
    return list(groups.values())


def slow_runs(runs):
    """Those that took a tenth more CPU time than the least of their equals."""
    return [r for group in equal_runs(runs) for r in group if r.total_ns > 1.1 * min(g.total_ns for g in group)]


def steady(read, again):
    """What `read` returns, after slow runs were made again up to `again` times, by removing them."""
    runs = read()
    for _ in range(again):
        slow = slow_runs(runs)
        if not slow:
            break
        for run in slow:
            remove(run.path)
        runs = read()
    return runs


def make(case, folder, repeats, again):
    """The training directories and runs, and the held-out runs, `repeats` of each."""
    os.makedirs(folder, exist_ok=True)
    at = case.directory or folder
    directories = [os.path.join(folder, "train-%02d" % (i + 1)) for i in range(len(case.train))]
    train = lambda: [Run(p) for d, (options, command) in zip(directories, case.train) for p in sweep(d, options, command, at)]
    hold = lambda: [Run(measure(os.path.join(folder, "held-%03d-%d.mm" % (i + 1, k + 1)), options, at)) for i, options in enumerate(case.held)
                    for k in range(repeats)]
    held = steady(hold, again)
    return directories, steady(train, again), [held[i:i + repeats] for i in range(0, len(held), repeats)]


def label(run, case):
    words = [o for o in case if "=" in o and not o.startswith(("T_END", "PICTURE", "LEVELS", "GHOSTS", "BALANCE", "TOLERANCE", "STATES"))]
    return " ".join(words) if words else os.path.basename(run.path)


def score(case, folder, options_of_all):
    """Signed errors of each method for each held-out run, and what the tool says beside."""
    directories, runs, held = make(case, folder, 1 if options_of_all.quick else 3, options_of_all.again)
    spread = spread_of(runs + [r for equal in held for r in equal])
    held = [sorted(equal, key=lambda r: r.total_ns)[len(equal) // 2] for equal in held]
    largest = max(case.work(r.numbers) for r in held)
    result = {"case": case.name, "spread": spread, "runs": [], "errors": {}, "trained_s": sum(r.total_ns for r in runs) / 1e9, "held_s": sum(r.total_ns for r in held if case.work(r.numbers) == largest) / 1e9}
    methods = baselines.predictors(case.work)
    for run, options in zip(held, case.held):
        document, reason = predict(directories, run.path)
        entry = {"run": label(run, options), "measured_s": run.total_ns / 1e9, "why": reason, "errors": {}}
        if document:
            against = document["against"]
            entry["errors"] = {"ours": against["total_error"], "ours: cost": against["cost_error"], "ours: structure": against["structure_error"]}
            if document.get("low") is not None and document.get("high") is not None:
                entry["half"] = (document["high"] - document["low"]) / 2 / document["total"]
                entry["inside"] = document["low"] <= run.total_ns <= document["high"]
            entry["run_sd"] = document.get("run_sd")
            entry["notes"] = [n if isinstance(n, str) else n.get("text", "") for n in document.get("notes", [])]
        for name, predictor in methods.items():
            found = predictor(runs, run)
            if found is not None:
                entry["errors"][name] = found / run.total_ns - 1
        result["runs"].append(entry)
        if options_of_all.each:
            note("%-22s %-46s %7.3f s  " % (case.name, entry["run"], entry["measured_s"]) +
                 "  ".join("%s %+.1f" % (n, 100 * e) for n, e in entry["errors"].items()) + ("  NONE: " + reason if reason else ""))
    for name in ["ours", "ours: cost", "ours: structure", *methods]:
        errors = [abs(e["errors"][name]) for e in result["runs"] if e["errors"].get(name) is not None]
        result["errors"][name] = {"median": statistics.median(errors), "worst": max(errors), "count": len(errors)} if errors else None
    return result


def print_tables(results):
    print("percent of the measured CPU time, without sign: median / worst of the held-out runs\n")
    titles = ("ours", "work-prop.", "1 term tot", "1 term path", "inside", "half", "equal", "trained")
    print("%-21s" % "" + "".join("%11s" % t for t in titles[:4]) + "%9s%7s%7s%9s" % titles[4:])
    for r in results:
        known = [e for e in r["runs"] if "inside" in e]
        print("%-21s" % r["case"] + "".join("%11s" % cell(r, n) for n in ("ours", *baselines.RIVALS)) +
              "%9s" % ("%d of %d" % (sum(e["inside"] for e in known), len(r["runs"]))) +
              "%7s%7.1f%9.2f" % (median_text(e.get("half") for e in r["runs"]), 100 * r["spread"], r["trained_s"] / r["held_s"]))
    print("\nparts of ours, and costs of calls with the true calls and sizes\n")
    print("%-21s" % "" + "".join("%11s" % t for t in ("structure", "cost", "a n^b + c", "lines", "no modes", "no Phi", "no breaks")))
    for r in results:
        print("%-21s" % r["case"] + "".join("%11s" % cell(r, n) for n in ("ours: structure", "ours: cost", *baselines.COUNTED)))


def cell(result, name):
    found = result["errors"][name]
    if not found:
        return "-"
    text = ["%.1f" % (100 * v) if v < 10 else ">999" for v in (found["median"], found["worst"])]
    return "/".join(text) + ("*" if found["count"] < len(result["runs"]) else "")


def median_text(values):
    known = [v for v in values if v is not None]
    return "%.1f" % (100 * statistics.median(known)) if known else "-"


def judge(result):
    """What is missed, in words."""
    missed, errors = [], result["errors"]
    median, worst = BARS.get(result["case"], (None, None))
    if median is not None:
        if not errors["ours"] or errors["ours"]["count"] < len(result["runs"]):
            missed.append("%s: %d of %d runs have no prediction: %s" % (result["case"], sum("ours" not in e["errors"] for e in result["runs"]),
                                                                       len(result["runs"]), next(e["why"] for e in result["runs"] if e["why"])))
        else:
            if errors["ours"]["median"] > median:
                missed.append("%s: median %.1f %%, expected at most %.0f" % (result["case"], 100 * errors["ours"]["median"], 100 * median))
            if worst and errors["ours"]["worst"] > worst:
                missed.append("%s: worst %.1f %%, expected at most %.0f" % (result["case"], 100 * errors["ours"]["worst"], 100 * worst))
            best = min(errors[n]["median"] for n in baselines.RIVALS if errors[n])
            if errors["ours"]["median"] > max(best / 2, result["spread"]):  # no prediction is nearer than equal runs are
                missed.append("%s: median %.1f %%, expected at most half of the best baseline's %.1f" % (result["case"], 100 * errors["ours"]["median"], 100 * best))
    return missed


# --- Intervals of many small runs ------------------------------------------------------------


def spread_of(runs):
    """Pooled relative sd of equal runs."""
    groups = [[r.total_ns for r in group] for group in equal_runs(runs)]
    squares = [((v - statistics.fmean(g)) / statistics.fmean(g)) ** 2 for g in groups for v in g if len(g) > 1]
    freedom = sum(len(g) - 1 for g in groups)
    return math.sqrt(sum(squares) / freedom) if freedom else math.nan


def tail(count, share, held):
    """Probability of so many or more, and of so many or fewer, of `count` at this share."""
    terms = [math.exp(math.lgamma(count + 1) - math.lgamma(k + 1) - math.lgamma(count - k + 1) + k * math.log(share) + (count - k) * math.log1p(-share))
             for k in range(count + 1)]
    return sum(terms[held:]), sum(terms[:held + 1])


def score_small(count, folder, seed, each):
    """Coverage of the intervals of small runs; true unless it is surely outside the band."""
    case = cases.small_runs(count, seed)
    os.makedirs(folder, exist_ok=True)
    directories, runs, held = [], [], {}
    for k, (axes, command) in enumerate(case.train):  # in turns: training and held-out runs see the same host
        directories.append(os.path.join(folder, "train-%02d" % (k + 1)))
        runs += [Run(p) for p in sweep(directories[-1], axes, command, folder)]
        for i in range(k, count, len(case.train)):
            held[i] = Run(measure(os.path.join(folder, "held-%03d.mm" % (i + 1)), case.held[i], folder))
    held = [held[i] for i in range(count)]
    inside, halves, errors, none, low = 0, [], [], [], 0
    for run, options in zip(held, case.held):
        document, reason = predict(directories, run.path)
        if not document or document.get("low") is None:
            none.append("%s: %s" % (label(run, options), reason or "no interval"))
            continue
        is_in = document["low"] <= run.total_ns <= document["high"]
        inside += is_in
        low += run.total_ns < document["low"]
        halves.append((document["high"] - document["low"]) / 2 / document["total"])
        errors.append(document["total"] / run.total_ns - 1)
        if each and not is_in:
            note("outside: %s: measured %.2f ms, %.2f .. %.2f" % (label(run, options), run.total_ns / 1e6, document["low"] / 1e6, document["high"] / 1e6))
    spread = spread_of(runs)
    known = len(halves)
    print("\nsmall runs: %d held out, trained by %d runs (%.2f of their CPU time)" % (len(held), len(runs), sum(r.total_ns for r in runs) / sum(r.total_ns for r in held)))
    if none:
        print("  %d have no interval, as %s" % (len(none), none[0]))
    if not known:
        return ["small runs: no intervals"]
    print("  %d of %d inside the 90 %% interval: %.1f %%; %d below it, %d above" % (inside, known, 100 * inside / known, low, known - inside - low))
    print("  half-width %.1f %% (median); equal runs differ by %.1f %% (sd), so it is %.2f times that" %
          (100 * statistics.median(halves), 100 * spread, statistics.median(halves) / spread))
    print("  total error %.1f %% (median), %.1f %% (worst), %+.1f %% (mean)" %
          (100 * statistics.median(map(abs, errors)), 100 * max(map(abs, errors)), 100 * statistics.fmean(errors)))
    missed = ["small runs: %d have no interval" % len(none)] if none else []
    if tail(known, COVERED[0], inside)[1] < .005 or tail(known, COVERED[1], inside)[0] < .005:
        missed.append("small runs: %.1f %% inside, expected 85 to 95" % (100 * inside / known))
    if statistics.median(halves) > 2 * spread:
        missed.append("small runs: half-width %.2f times the spread of equal runs, expected at most 2" % (statistics.median(halves) / spread))
    return missed


def cpu_name():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        return next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), "an unknown CPU")


def main():
    parser = argparse.ArgumentParser(description="score predictions of whole runs")
    parser.add_argument("-o", "--output", help="directory of the runs (default: bench/composite of the build tree)")
    parser.add_argument("--quick", action="store_true", help="fewer and smaller runs, and no bars")
    parser.add_argument("--only", help="cases whose name has this in it")
    parser.add_argument("--runs", type=int, help="small runs (default 200; --quick 24)")
    parser.add_argument("--seed", type=int, default=1, help="of the small runs")
    parser.add_argument("--again", type=int, default=0, help="make runs again, up to so many times, that took a tenth more CPU time than the least of their "
                        "equals: for a host that others use; not the small runs")
    parser.add_argument("--no-small", action="store_true", help="leave out the small runs")
    parser.add_argument("--no-cases", action="store_true", help="the small runs only")
    parser.add_argument("--each", action="store_true", help="print a line for each held-out run to standard error")
    parser.add_argument("--json", help="write all numbers here")
    options = parser.parse_args()
    folder = os.path.abspath(options.output or os.path.join(TREE, "bench", "composite", "quick" if options.quick else "full"))
    chosen = [] if options.no_cases else [c for c in cases.all_cases(os.path.join(folder, "solver"), options.quick) if (options.only or "") in c.name]
    if not chosen and not options.no_cases:
        parser.error("--only: no case has '%s' in its name" % options.only)
    results = [score(c, os.path.join(folder, c.name.replace(",", "").replace(" ", "-")), options) for c in chosen]
    print("CPU: %s" % cpu_name())
    if results:
        print_tables(results)
    missed = [] if options.quick else [m for r in results for m in judge(r)]
    if not options.no_small and not options.only:
        missed += score_small(options.runs or (24 if options.quick else 200), os.path.join(folder, "small-%d" % options.seed), options.seed, options.each)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)
    for line in missed:
        print("missed: " + line)
    return 1 if missed and not options.quick else 0


if __name__ == "__main__":
    sys.exit(main())
