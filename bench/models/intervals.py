#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""intervals.py: do intervals hold as often as they say, and are they narrow?

    intervals.py [--cases N] [--seed N] [--harder FACTOR] [--recorded DIR]... [--command 'PROGRAM ...'] [--json FILE] [--worst N]

N (300) synthetic cases, or the cases of DIR. The predictor (mastermind of $O/bin, or a command as in score.py) gives lo, hi:
95 % of single calls; and fit_lo, fit_hi: 90 % of the curve. Each is counted against fresh calls, and against the true typical
cost. The interval score (Winkler) of a call y is hi - lo, plus 40 times what y is outside: it rewards what holds and is narrow.
It is compared with conformal intervals around the same curve of one absolute and one relative width: the samples are halved by
lot, each half is predicted by the curve of the other, and the width is the 95 % quantile of these held-out errors. So both see
the same samples. Ratios are geometric means over cases. Exit 0; 1: a bar is missed; 5: no answers."""
import argparse
import csv
import json
import math
import os
import random
import shutil
import statistics
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import generate
import score
import synthetic

ALPHA = .05
BARS = {"call_inside": (93, 97), "call_x4": (90, 99), "curve_inside": (85, 95), "winkler_absolute": (0, .8),
        "winkler_relative": (0, 1.05), "half_width": (0, 2)}


def winkler(lo, hi, draws):
    return (hi - lo) + statistics.fmean(2 / ALPHA * max(lo - y, y - hi, 0) for y in draws)


def write_half(directory, name, case, samples, points):
    """A case of some of the samples, asked at `points`; (case, directory)."""
    about = {k: case[k] for k in ("family", "real", "parameters", "modes", "unit")}
    line = lambda x, mode: [generate.number(v) for v in x] + list(mode)
    generate.write_case(directory, {"name": name, **about}, [line(x, m) + [t] for x, m, t in samples],
                        [line(x, m) for x, m in points], {"points": [], "exponents": []})
    return {**about, "name": name, "path": os.path.join(directory, name), "samples": samples, "points": points}


def held_out_errors(case, tool, directory):
    """(error, predicted) of each sample by the curve of the half that it is not in."""
    samples = list(case["samples"])
    random.Random(case["name"]).shuffle(samples)
    halves, errors = (samples[::2], samples[1::2]), []
    for fit, rest in (halves, halves[::-1]):
        points = sorted({(x, m) for x, m, _ in rest})
        answers, _ = tool.predict(write_half(directory, "half", case, fit, points))
        centre = {p: a and a["typ"] for p, a in zip(points, answers)}
        errors += [(abs(t - centre[x, m]), centre[x, m]) for x, m, t in rest if centre[x, m]]
        shutil.rmtree(os.path.join(directory, "half"))
    return errors


def conformal(values):
    """The quantile that holds for one more value with 95 %."""
    ordered = sorted(values)
    return ordered[min(math.ceil((len(ordered) + 1) * (1 - ALPHA)), len(ordered)) - 1]


def measure(case, tool, directory):
    """What the intervals of a case are worth; None where there are none."""
    answers, note = tool.predict(case)
    found = {"name": case["name"], "family": case["family"], "note": note, "call": {}, "curve": {}}
    widths, scores, points = [], [], []
    for answer, truth in zip(answers, case["truth"]["points"]):
        where = truth["set"]
        if where == "exponent" or not answer or answer["lo"] is None or answer["hi"] is None:
            continue
        lo, hi = answer["lo"], answer["hi"]
        found["call"].setdefault(where, []).append(statistics.fmean(lo <= d <= hi for d in truth["draws"]))
        if answer.get("fit_lo") is not None and answer.get("fit_hi") is not None:
            found["curve"].setdefault(where, []).append(answer["fit_lo"] <= truth["typ"] <= answer["fit_hi"])
        if where == "interp":
            widths.append((hi - lo) / 2 / truth["sd"])
            scores.append(winkler(lo, hi, truth["draws"]))
            points.append((answer["typ"], truth))
    if not scores:
        return None
    found["half_width"] = statistics.median(widths)
    errors = held_out_errors(case, tool, directory)
    if errors:
        absolute, relative = conformal([e for e, _ in errors]), conformal([e / c for e, c in errors])
        other = lambda width: statistics.fmean(winkler(typ - width(typ), typ + width(typ), t["draws"]) for typ, t in points)
        found["winkler_absolute"] = statistics.fmean(scores) / other(lambda typ: absolute)
        found["winkler_relative"] = statistics.fmean(scores) / other(lambda typ: relative * typ)
    return found


def synthetic_cases(count, seed, harder, directory):
    made = 0
    while made < count:
        for case in synthetic.make_cases(seed, harder):
            if made < count:
                generate.generate_synthetic(case, seed, directory, 100)
                path = os.path.join(directory, case.name)
                yield score.read_case(path)
                shutil.rmtree(path)
                made += 1
        seed += 1


def share(found, key, where):
    values = [v for f in found for v in f[key].get(where, [])]
    return 100 * statistics.fmean(values) if values else None


def geometric(values):
    values = [v for v in values if v and v > 0]
    return math.exp(statistics.fmean(map(math.log, values))) if values else None


def summarise(found):
    result = {"cases": len(found)}
    for where in score.SETS:
        name = "inside" if where == "interp" else where
        result["call_" + name], result["curve_" + name] = share(found, "call", where), share(found, "curve", where)
    for key in ("winkler_absolute", "winkler_relative"):
        result[key] = geometric([f.get(key) for f in found])
    result["half_width"] = score.median([f["half_width"] for f in found])
    return result


def print_summary(summary, found, worst):
    for key, title in (("call", "calls in [lo, hi], %, said 95"), ("curve", "curve in [fit_lo, fit_hi], %, said 90")):
        print("%-42s" % title + "".join("  %s %s" % (w, score.cell(summary["%s_%s" % (key, w)], 5)) for w in ("inside", "x2", "x4", "x16")))
    print("interval score by one absolute width %s, by one relative width %s; half width in sd of a call %s" % (
        score.cell(summary["winkler_absolute"], 1), score.cell(summary["winkler_relative"], 1), score.cell(summary["half_width"], 1)))
    families = {}
    for f in found:
        families.setdefault(f["family"], []).append(f)
    print("%-10s cases  calls: inside     x4  curve: inside     x4  absolute relative  width" % "family")
    for name, members in families.items():
        s = summarise(members)
        print("%-10s %5d        %s %s       %s %s  %s %s %s" % (name, len(members), *(score.cell(s[k], 6) for k in (
            "call_inside", "call_x4", "curve_inside", "curve_x4")), score.cell(s["winkler_absolute"], 8),
            score.cell(s["winkler_relative"], 8), score.cell(s["half_width"], 6)))
    off = sorted(found, key=lambda f: -abs(statistics.fmean(f["call"]["interp"]) - .95))
    for f in off[:worst]:
        print("  %-28s calls inside %3.0f %%, x4 %s  %s" % (f["name"], 100 * statistics.fmean(f["call"]["interp"]),
              score.cell(share([f], "call", "x4"), 5), f["note"][:110]))


def main():
    parser = argparse.ArgumentParser(description="count intervals against fresh calls")
    parser.add_argument("--cases", type=int, default=300)
    parser.add_argument("--seed", type=int, default=101)
    parser.add_argument("--harder", type=float, default=1.0, help="as in generate.py")
    parser.add_argument("--recorded", action="append", help="cases of this directory instead")
    parser.add_argument("--command", help="a predictor, as in score.py")
    parser.add_argument("--worst", type=int, default=0)
    parser.add_argument("--json")
    options = parser.parse_args()
    tool = score.Command(options.command) if options.command else score.make_tool("mastermind", {})
    with tempfile.TemporaryDirectory(prefix="mm-intervals-") as directory:
        cases = score.read_cases(options.recorded, None) if options.recorded else synthetic_cases(
            options.cases, options.seed, options.harder, directory)
        found = [measure(case, tool, directory) for case in cases]
    silent = sum(f is None for f in found)
    found = [f for f in found if f]
    if silent:
        print("%d cases without intervals" % silent)
    if not found:
        sys.exit(5)
    summary = summarise(found)
    print_summary(summary, found, options.worst)
    missed = [k for k, (low, high) in BARS.items() if summary[k] is None or not low <= summary[k] <= high]
    print("bars missed: " + (", ".join("%s (%g to %g)" % (k, *BARS[k]) for k in missed) or "none"))
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"schema": "mastermind/bench-intervals/1", "summary": summary, "missed": missed, "cases": found}, file, indent=1)
            file.write("\n")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
