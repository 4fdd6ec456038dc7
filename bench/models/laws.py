#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""laws.py: how often do the formulas of measured loops have the right terms?

    laws.py [--runs N] [--load N] [--metric NAME] [--sort] [--show]

Eight methods spin for 1, log n, sqrt n, n, n log n, n + n^2, n^2 and n^3 units at eight ascending sizes, ten calls each, and
are measured by wall time. With --sort it is the tutorial's insertion sort instead: its term that grows fastest must be n^2 and
half of the cost at the largest size (the overhead of its outer loop is a term in n that one may find, too). --load starts as many processes that
spin. A formula is right if the terms that are 5 % of it or more at one of the sizes are those of the law; beside other terms
a constant may be there (a call has one), but a constant law must have nothing else. `strict` allows no further term, however
small. Exit 0; 1: a law was right in less than 95 % of the runs; 5: a program failed."""
import argparse
import collections
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
LAWS = {"constant": [], "logarithm": [(0, 1)], "root": [(.5, 0)], "line": [(1, 0)], "line_log": [(1, 1)], "line_square": [(1, 0), (2, 0)],
        "square": [(2, 0)], "cube": [(3, 0)], "sort": [(2, 0)]}
WEIGHT, SHARE = .05, .95


def run(command, directory, tree):
    path = os.path.join(tree, "bin") + os.pathsep + os.environ["PATH"]
    done = subprocess.run(command, cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False,
                          env={**os.environ, "PATH": path})
    if done.returncode:
        sys.stderr.write("laws.py: %s: exit %d\n%s" % (" ".join(command), done.returncode, done.stderr))
        sys.exit(5)
    return done.stdout


def prepare(directory, sort, tree):
    """Compile the components and their proxy in `directory`."""
    source = os.path.join(HERE, "..", "..", "docs", "tutorial") if sort else os.path.join(HERE, "laws")
    for name in os.listdir(source):
        shutil.copy(os.path.join(source, name), directory)
    flags = run(["ccafe", "cflags"], directory, tree).split()
    run(["proxygen", "sort_port.h" if sort else "laws_port.h"], directory, tree)
    names = ["InsertionSort", "SortDriver", "sort_port_proxy"] if sort else ["Laws", "LawsDriver", "laws_port_proxy"]
    for name in names:
        run(["cc", "-shared", "-O2", *flags, "-I.", name + ".c", "-o", name + ".so", "-lm"], directory, tree)


def value(term, n):
    """A term at n."""
    factor = term.get("factor_ns", term.get("factor"))  # of another metric, it has no unit
    product = lambda x: math.prod(x ** f["exponent"] * math.log2(x) ** f["logs"] for f in term["factors"])
    if term["kind"] == "jump":
        return factor if n > term["at"] else 0.0
    if term["kind"] == "hinge":
        return factor * max(product(n) - product(term["at"]), 0)
    return factor * product(n)


def judge(model, law, leading):
    """(right, strict) of a model; with `leading` only the term that grows fastest counts."""
    strict = sorted((t["kind"], [(f["exponent"], f["logs"]) for f in t["factors"]]) for t in model["terms"])
    wanted = sorted(("product", [t]) for t in law)
    if strict == wanted:
        return True, True
    if not model["terms"] or not model["range"]:
        return False, False
    low, high = ((r["low"], r["high"]) for r in model["range"].values()).__next__()
    sizes = [low * (high / low) ** (i / 20) for i in range(21)]
    constant = model.get("constant_ns", model.get("constant"))
    total = [constant + sum(value(t, n) for t in model["terms"]) for n in sizes]
    if leading:
        fastest = max(model["terms"], key=lambda t: [(f["exponent"], f["logs"]) for f in t["factors"]])
        return ("product", [(f["exponent"], f["logs"]) for f in fastest["factors"]]) in wanted and value(fastest, high) >= .5 * total[-1], False
    seen = []
    for t in model["terms"]:
        if max(abs(value(t, n)) / max(abs(a), 1e-9) for n, a in zip(sizes, total)) >= WEIGHT:
            seen.append((t["kind"], [(f["exponent"], f["logs"]) for f in t["factors"]]))
    return sorted(seen) == wanted, False


def run_once(directory, options, tree):
    """The models of one measured run: [(law, model)]."""
    shutil.rmtree(os.path.join(directory, "run.mm"), ignore_errors=True)
    command = ["ccafe", "--measure", "--experiment", "run.mm"]
    if options.metric != "TIME":
        command += ["--metrics", options.metric]
    command += ["-D", "SORT=InsertionSort", "-D", "LARGEST=5000", "sort.rc"] if options.sort else ["laws.rc"]
    run(command, directory, tree)
    ask = ["mastermind", "model", "run.mm", "--json"] + (["--metric", options.metric] if options.metric != "TIME" else [])
    found = []
    for method in json.loads(run(ask, directory, tree))["methods"]:
        if method["method"] in LAWS:
            found += [(method["method"], m) for m in method["models"]]
    return found


def main():
    parser = argparse.ArgumentParser(description="count how often the formulas of measured loops have the right terms")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--load", type=int, default=0, help="processes that spin meanwhile")
    parser.add_argument("--metric", default="TIME", help="TIME or CPU_TIME")
    parser.add_argument("--sort", action="store_true", help="the tutorial's insertion sort")
    parser.add_argument("--show", action="store_true", help="print the formulas that are not right")
    options = parser.parse_args()
    tree = os.path.abspath(os.environ.get("O", "build/release"))
    load = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(options.load)]
    right, strict, runs, wrong = collections.Counter(), collections.Counter(), collections.Counter(), []
    try:
        with tempfile.TemporaryDirectory(prefix="mm-laws-") as directory:
            prepare(directory, options.sort, tree)
            for i in range(options.runs):
                for name, model in run_once(directory, options, tree):
                    is_right, is_strict = judge(model, LAWS[name], name == "sort")
                    runs[name] += 1
                    right[name] += is_right
                    strict[name] += is_strict
                    if not is_right:
                        wrong.append((name, i, model["formula"]))
    finally:
        for process in load:
            process.kill()
            process.wait()
    print("%d runs by %s, %d processes beside them\nlaw           right  strict" % (options.runs, options.metric, options.load))
    for name in LAWS:
        if runs[name]:
            print("%-12s %3d/%-3d %3d/%-3d" % (name, right[name], runs[name], strict[name], runs[name]))
    for name, i, formula in wrong if options.show else ():
        print("  run %-3d %-12s %s" % (i + 1, name, formula))
    return 0 if runs and all(right[n] >= SHARE * runs[n] for n in runs) else 1


if __name__ == "__main__":
    sys.exit(main())
