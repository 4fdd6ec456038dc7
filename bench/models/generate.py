#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""generate.py: write the cases of the benchmark of models.

    generate.py SEED DIR [--draws N] [--family NAME] [--harder FACTOR]

Each case is a directory DIR/NAME: samples.csv (one invocation a line, shuffled), points.csv (what is asked), case.json (what
is known to a modeller) and truth.json (what is not): for each line of points.csv its set and the typical cost, mean and sd
of one invocation, and N fresh draws, all in the unit of the samples."""
import argparse
import csv
import json
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import synthetic

SCALE = {"ns": 1.0, "us": 1e-3, "ms": 1e-6, "s": 1e-9}


def write_csv(path, header, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def write_json(path, value):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(value, file, separators=(",", ":"))
        file.write("\n")


def write_case(directory, case, samples, points, truth):
    """`case`: name, family, real, parameters, modes (names of columns), unit. Samples and points are rows of numbers."""
    path = os.path.join(directory, case["name"])
    os.makedirs(path, exist_ok=True)
    columns = case["parameters"] + case["modes"]
    write_json(os.path.join(path, "case.json"), case)
    write_csv(os.path.join(path, "samples.csv"), columns + ["t"], samples)
    write_csv(os.path.join(path, "points.csv"), columns, points)
    write_json(os.path.join(path, "truth.json"), truth)


def number(x):
    return int(x) if x == int(x) else float("%.10g" % x)


def generate_synthetic(case, seed, directory, draws):
    rng = random.Random("%d/%s/samples" % (seed, case.name))
    scale = SCALE[case.unit]
    has_modes = case.modes != [None]
    samples, points = [], []
    line = lambda x, mode: [number(v) for v in x] + ([mode] if has_modes else [])
    value = lambda t: float("%.7g" % (t * scale)) if case.unit != "ns" else max(round(t), 1)
    for x, mode, calls in case.design:
        for _ in range(calls):
            samples.append(line(x, mode) + [value(case.noise.draw(rng, case.law(x, mode)))])
    rng.shuffle(samples)
    truth = {"points": [], "exponents": []}

    def ask(name, x, mode):
        t = case.law(x, mode)
        points.append(line(x, mode))
        truth["points"].append({"set": name, "typ": t * scale, "mean": case.noise.mean(t) * scale, "sd": case.noise.sd(t) * scale,
                                "draws": [value(case.noise.draw(rng, t)) for _ in range(draws if name != "exponent" else 0)]})
        return len(points) - 1

    for name, members in case.sets.items():
        for x, mode in members:
            ask(name, x, mode)
    for parameter, mode, low, high in case.exponents:
        truth["exponents"].append({"parameter": case.parameters[parameter], "mode": mode,
                                   "low": ask("exponent", low, mode), "high": ask("exponent", high, mode)})
    about = {"name": case.name, "family": case.family, "real": False, "parameters": case.parameters,
             "modes": ["mode"] if has_modes else [], "unit": case.unit}
    write_case(directory, about, samples, points, truth)


def main():
    parser = argparse.ArgumentParser(description="write the cases of the benchmark of models")
    parser.add_argument("seed", type=int)
    parser.add_argument("directory")
    parser.add_argument("--draws", type=int, default=100, help="fresh calls for each point")
    parser.add_argument("--family", help="only cases of this family")
    parser.add_argument("--harder", type=float, default=1.0, help="factor of noise, and divisor of calls")
    options = parser.parse_args()
    count = 0
    for case in synthetic.make_cases(options.seed, options.harder):
        if options.family in (None, case.family):
            generate_synthetic(case, options.seed, options.directory, options.draws)
            count += 1
    print("%d synthetic cases in %s" % (count, options.directory))


if __name__ == "__main__":
    main()
