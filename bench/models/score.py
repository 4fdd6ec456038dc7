#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""score.py: score predictors on the cases that generate.py and record.py have written.

    score.py DIR... [--tool NAME]... [--command NAME='PROGRAM ...'] [--only TEXT] [--worst N] [--cases] [--json FILE]

Tools: mastermind (of $O/bin, `import csv` and `predict --points`), and those of peers.py. A command gets {samples}, {points},
{params}, {modes} and {unit} filled in, and prints CSV: a header with typ (mean, sd, lo, hi as it has them) and a line for each
point, times in the unit of the samples. Exit 0; 2: misuse; 5: no case, or a tool that could not be started."""
import argparse
import csv
import io
import json
import math
import os
import shlex
import signal
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import peers

FLOOR, CAP = .2, 1000.0
SETS = ("interp", "x2", "x4", "x16")


# --- Cases ------------------------------------------------------------------------------------------
def read_csv(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def read_case(path):
    with open(os.path.join(path, "case.json"), encoding="utf-8") as file:
        case = json.load(file)
    with open(os.path.join(path, "truth.json"), encoding="utf-8") as file:
        case["truth"] = json.load(file)
    case["path"] = path
    key = lambda row: (tuple(float(row[p]) for p in case["parameters"]), tuple(row[m] for m in case["modes"]))
    case["samples"] = [key(row) + (float(row["t"]),) for row in read_csv(os.path.join(path, "samples.csv"))]
    case["points"] = [key(row) for row in read_csv(os.path.join(path, "points.csv"))]
    return case


def read_cases(directories, only):
    cases = []
    for directory in directories:
        for name in sorted(os.listdir(directory)):
            path = os.path.join(directory, name)
            if os.path.exists(os.path.join(path, "case.json")) and (not only or any(o in name for o in only)):
                cases.append(read_case(path))
    return cases


# --- Predictors ---------------------------------------------------------------------------------------
def number(text):
    try:
        value = float(text)
    except (TypeError, ValueError):
        return None
    return value if math.isfinite(value) else None


def parse(text, count):
    """Answers of a table in CSV: a dictionary for each point; absent or empty cells are None."""
    rows = list(csv.DictReader(io.StringIO(text)))
    rows += [{}] * (count - len(rows))
    return [{k: number(row.get(k)) for k in ("typ", "mean", "sd", "lo", "hi", "fit_lo", "fit_hi", "beyond")} for row in rows[:count]]


def run(command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, **more)


def quoted(text):
    """As the tool reads it: the names of columns in a list."""
    return ",".join(text)


class Command:
    """A program that predicts all points of a case from its samples."""

    def __init__(self, template):
        self.template = template

    def predict(self, case):
        words = [w.format(samples=os.path.join(case["path"], "samples.csv"), points=os.path.join(case["path"], "points.csv"),
                          params=quoted(case["parameters"]), modes=quoted(case["modes"]), unit=case["unit"])
                 for w in shlex.split(self.template)]
        done = run(words)
        answers = parse(done.stdout, len(case["points"]))
        return answers, (done.stderr.strip().splitlines() or [""])[-1]


class Mastermind:
    """import csv, then predict --points; the formula as `model` prints it."""

    def __init__(self, program):
        self.program = program
        self.curve = True  # ask for fit_lo, fit_hi, too

    def predict(self, case):
        with tempfile.TemporaryDirectory(prefix="mm-models-") as directory:
            experiment = os.path.join(directory, "case.mm")
            command = [self.program, "import", "csv", os.path.join(case["path"], "samples.csv"), "--time", "t:" + case["unit"],
                       "--params", quoted(case["parameters"])]
            if case["modes"]:
                command += ["--modes", quoted(case["modes"])]
            if case["real"]:
                command.append("--this-machine")
            done = run(command + ["-o", experiment])
            if done.returncode:
                return parse("", len(case["points"])), (done.stderr.strip().splitlines() or ["import failed"])[-1]
            ask = [self.program, "predict", experiment, "--points", os.path.join(case["path"], "points.csv")]
            if self.curve:
                done = run(ask + ["--curve"])
                self.curve = done.returncode != 2
            if not self.curve:
                done = run(ask)
            answers = parse(done.stdout, len(case["points"]))
            formula = " | ".join(" ".join(l.split()) for l in run([self.program, "model", experiment]).stdout.strip().splitlines()[1:6])
            if done.returncode > 1:
                formula = (done.stderr.strip().splitlines() or ["predict failed"])[-1]
            return answers, formula


class Peer:
    def __init__(self, name):
        self.name = name

    def predict(self, case):
        return peers.predict(self.name, case, case["samples"], case["points"]), ""


# --- Scores ---------------------------------------------------------------------------------------------
def ape(answer, truth):
    """Error of `typ` in percent."""
    typ = answer and answer.get("typ")
    if typ is None or not math.isfinite(typ):
        return CAP
    return min(100 * abs(typ - truth["typ"]) / truth["typ"], CAP)


def median(values):
    values = [v for v in values if v is not None]
    return statistics.median(values) if values else None


def index(errors):
    """Geometric mean of errors between the floor and the cap."""
    if not errors:
        return None
    return math.exp(statistics.fmean(math.log(min(max(e, FLOOR), CAP)) for e in errors))


def score_exponents(case, answers):
    """Of each parameter and mode: how far the exponent between 4 and 16 times the sizes is from the true one."""
    found = []
    for e in case["truth"]["exponents"]:
        low, high = answers[e["low"]] or {}, answers[e["high"]] or {}
        if not (low.get("typ") or 0) > 0 or not (high.get("typ") or 0) > 0:
            found.append(math.inf)
            continue
        true = [case["truth"]["points"][e[k]]["typ"] for k in ("low", "high")]
        found.append(abs(math.log(high["typ"] / low["typ"] / (true[1] / true[0])) / math.log(4)))
    return found


def score_regret(case, answers):
    """The extra time, in percent, where the mode predicted fastest is taken; None without modes."""
    groups = {}
    for point, answer, truth in zip(case["points"], answers, case["truth"]["points"]):
        if truth["set"] in SETS:
            groups.setdefault((truth["set"], point[0]), []).append((answer, truth))
    lost = []
    for members in groups.values():
        if len(members) < 2:
            continue
        least = min(t["typ"] for _, t in members)
        known = [(a["typ"], t["typ"]) for a, t in members if a and a.get("typ") is not None]
        taken = min(known)[1] if known else max(t["typ"] for _, t in members)
        lost.append(100 * (taken / least - 1))
    return statistics.fmean(lost) if lost else None


def score_spread(case, answers):
    """(factor between predicted and true sd, coverage of mean +- 1.645 sd, of [lo, hi] inside, and at x4), of fresh draws."""
    factors, covered, inside, far = [], [], [], []
    for answer, truth in zip(answers, case["truth"]["points"]):
        if truth["set"] not in SETS or not answer:
            continue
        sd, draws = answer.get("sd"), truth.get("draws") or []
        if sd is not None and truth.get("sd"):
            ratio = max(sd, 1e-9 * truth["sd"]) / truth["sd"]
            factors.append(max(ratio, 1 / ratio))
        if truth["set"] == "interp" and sd is not None and draws:
            mean = answer["mean"] if answer.get("mean") is not None else answer["typ"]
            covered.append(statistics.fmean(abs(d - mean) <= 1.645 * sd for d in draws))
        if truth["set"] in ("interp", "x4") and answer.get("lo") is not None and answer.get("hi") is not None and draws:
            share = statistics.fmean(answer["lo"] <= d <= answer["hi"] for d in draws)
            (inside if truth["set"] == "interp" else far).append(share)
    mean = lambda v: statistics.fmean(v) if v else None
    return median(factors), mean(covered), mean(inside), mean(far)


def score_case(case, answers, note):
    errors = {}
    for name in SETS:
        of = [ape(a, t) for a, t in zip(answers, case["truth"]["points"]) if t["set"] == name]
        if of:
            errors[name] = statistics.median(of)
    factor, covered, inside, far = score_spread(case, answers)
    noise = [t["noise"] for t in case["truth"]["points"] if "noise" in t]
    return {"truth_noise": median(noise), "name": case["name"], "family": case["family"], "real": case["real"], "errors": errors,
            "exponents": score_exponents(case, answers), "regret": score_regret(case, answers), "sd_factor": factor,
            "coverage_90": covered, "coverage_95_inside": inside, "coverage_95_x4": far, "note": note}


def summarise(cases):
    """The scores of a tool over its cases."""
    if not cases:
        return {}
    all_of = lambda members: [e for c in members for e in c["errors"].values()]
    exponents = [e for c in cases for e in c["exponents"]]
    within = lambda limit: 100 * statistics.fmean(e <= limit for e in exponents) if exponents else None
    mean = lambda values: statistics.fmean(values) if values else None
    of = lambda key: [c[key] for c in cases if c[key] is not None]
    result = {"cases": len(cases), "index": index(all_of(cases)),
              "index_synthetic": index(all_of([c for c in cases if not c["real"]])),
              "index_real": index(all_of([c for c in cases if c["real"]])),
              "exponent_25": within(.25), "exponent_10": within(.10), "sd_factor": median(of("sd_factor")),
              "sd_factor_synthetic": median([c["sd_factor"] for c in cases if not c["real"]]),
              "covdev": mean([100 * abs(v - .9) for v in of("coverage_90")]), "regret": mean(of("regret")),
              "coverage_95_inside": mean(of("coverage_95_inside")), "coverage_95_x4": mean(of("coverage_95_x4"))}
    result["truth_noise"] = median(of("truth_noise"))
    for name in SETS:
        result[name] = median([c["errors"].get(name) for c in cases])
    families = {}
    for c in cases:
        families.setdefault(c["family"], []).append(c)
    coverage = lambda m: mean([100 * abs(c["coverage_90"] - .9) for c in m if c["coverage_90"] is not None])
    result["families"] = {f: {"index": index(all_of(m)), "sd_factor": median([c["sd_factor"] for c in m]), "covdev": coverage(m),
                              "cases": len(m)} for f, m in families.items()}
    return result


# --- Tables -----------------------------------------------------------------------------------------------
def cell(value, width=7):
    if value is None:
        return "-".rjust(width)
    digits = 2 if abs(value) < 10 else 1 if abs(value) < 100 else 0
    return ("%.*f" % (digits, value)).rjust(width)


COLUMNS = (("all", "index"), ("synth", "index_synthetic"), ("real", "index_real"), ("interp", "interp"), ("x2", "x2"), ("x4", "x4"),
           ("x16", "x16"), ("exp.25", "exponent_25"), ("exp.10", "exponent_10"), ("sd-fac", "sd_factor"), ("covdev", "covdev"),
           ("regret", "regret"), ("s/case", "seconds"))


def print_tables(results, worst, every):
    names = list(results)
    width = max(14, max(map(len, names)) + 1)
    print("percent; INDEX over all, synthetic and recorded cases; medians; s/case: run time of the tool")
    print("tool".ljust(width) + "".join(title.rjust(8) for title, _ in COLUMNS))
    for name in names:
        print(name.ljust(width) + "".join(cell(results[name]["summary"].get(key), 8) for _, key in COLUMNS))
    for title, key in COLUMNS[:3] if len(names) > 1 else ():
        own, best = results[names[0]]["summary"][key], min((results[n]["summary"][key] or math.inf, n) for n in names[1:])
        if own:
            print("%s: %s has %.2f of the INDEX of %s, the best other one" % (title, names[0], own / best[0], best[1]))
    noise = results[names[0]]["summary"]["truth_noise"]
    if noise is not None:
        print("truth of recorded cases: known to %.1f %% (median of half the difference between halves of its repeats)" % noise)
    print("\nINDEX by family" + " " * max(0, width - 11) + "".join(n.rjust(max(9, len(n) + 2)) for n in names) + "   sd-fac  covdev of " + names[0])
    for family in results[names[0]]["summary"]["families"]:
        line = ("  %s" % family).ljust(width + 4)
        for n in names:
            of = results[n]["summary"]["families"].get(family, {})
            line += cell(of.get("index"), max(9, len(n) + 2))
        first = results[names[0]]["summary"]["families"][family]
        print(line + cell(first["sd_factor"], 9) + cell(first["covdev"], 8))
    for name in names if worst or every else ():
        lines = sorted(((e, c["name"], s, c["note"]) for c in results[name]["cases"] for s, e in c["errors"].items()), reverse=True)
        if worst:
            print("\n%s: worst" % name)
            for e, case, s, note in lines[:worst]:
                print("  %-28s %-6s %s %%  %s" % (case, s, cell(e), note[:150]))
        if every:
            print("\n%s: every case" % name + " " * 24 + "".join(s.rjust(8) for s in SETS) + "  sd-fac")
            for c in results[name]["cases"]:
                print("  %-38s" % c["name"] + "".join(cell(c["errors"].get(s), 8) for s in SETS) + cell(c["sd_factor"], 8) + "  " + c["note"][:110])


def make_tool(name, commands):
    if name in commands:
        return Command(commands[name])
    if name == "mastermind":
        tree = os.environ.get("O", "build/release")
        return Mastermind(os.path.join(tree, "bin", "mastermind"))
    if name in peers.PEERS:
        return Peer(name)
    sys.stderr.write("score.py: no tool '%s'; there are mastermind, %s\n" % (name, ", ".join(peers.PEERS)))
    sys.exit(2)


def score_tool(tool, cases):
    scored, start = [], time.monotonic()
    for case in cases:
        answers, note = tool.predict(case)
        scored.append(score_case(case, answers, note))
    summary = summarise(scored)
    summary["seconds"] = (time.monotonic() - start) / len(cases)
    return {"summary": summary, "cases": scored}


def main():
    parser = argparse.ArgumentParser(description="score predictors on cases of the benchmark of models")
    parser.add_argument("directory", nargs="+")
    parser.add_argument("--tool", action="append", default=[], help="mastermind, or a peer; may be repeated")
    parser.add_argument("--command", action="append", default=[], metavar="NAME=COMMAND")
    parser.add_argument("--only", action="append", help="cases whose name contains this")
    parser.add_argument("--worst", type=int, default=0, help="list the N worst cases of each tool")
    parser.add_argument("--cases", action="store_true", help="list all cases")
    parser.add_argument("--json", help="write all scores to this file")
    options = parser.parse_args()
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `score.py ... | head`
    commands = dict(c.split("=", 1) for c in options.command)
    cases = read_cases(options.directory, options.only)
    if not cases:
        sys.stderr.write("score.py: no case\n")
        sys.exit(5)
    results = {}
    for name in list(commands) + (options.tool or ([] if commands else ["mastermind"])):
        try:
            results[name] = score_tool(make_tool(name, commands), cases)
        except ImportError:
            sys.stderr.write("score.py: Python has no package '%s'\n" % name)
        except FileNotFoundError as error:
            sys.stderr.write("score.py: %s\n" % error)
            sys.exit(5)
    if not results:
        sys.exit(5)
    print_tables(results, options.worst, options.cases)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"schema": "mastermind/bench-models/1", "tools": results}, file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main()
