#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""made_up.py: made-up samples of known laws, and questions about them.

    made_up.py [--seed N] [--only TEXT] [--show] [--keep DIR]

An answer may be off: then its interval has to hold the truth, or the model has to say what it does not know. An answer that is
off by more than a quarter, with the truth outside the interval of the curve and no note on the model, is silent and wrong.
Prints each such answer and counts them; exit 1 where they are more than 2 % of the questions."""
import argparse
import csv
import json
import math
import os
import random
import subprocess
import sys
import tempfile

OFF, MOST = .25, .02
# Notes that say what is unknown of a model; "one run" and the like are on all.
NOTES = {"sizes_too_near", "few_sizes", "other_step", "no_order", "coarse_clock", "parameters_explain_little",
         "rivals", "odd_end", "one_call"}
SETS = []


def made(function):
    SETS.append(function)
    return function


def spread(low, high, count):
    """Sizes with equal ratios, odd ones, as programs have them: no structure."""
    sizes = {int(low * (high / low) ** (k / (count - 1))) | 1 for k in range(count)}
    return sorted(sizes)


def noisy(rng, cost, cv=.03):
    return max(cost * math.exp(rng.gauss(0, cv)), 1e-6)


def call(rng, law, sizes, calls=10, cv=.03):
    return [((n,), noisy(rng, law(n), cv)) for n in sizes for _ in range(calls)]


def ask(law, high, *times):
    """Questions at so many times the largest size."""
    return [((max(1, int(high * t) | 1),), law(int(high * t) | 1)) for t in times or (.37, .8, 1.2, 2, 4, 16)]


def law_set(name, law, low=50, high=20000, count=12, calls=10, cv=.03, times=()):
    def make(rng):
        sizes = spread(low, high, count)
        return call(rng, law, sizes, calls, cv), ask(law, sizes[-1], *times)
    make.__name__ = name
    SETS.append(make)


log2 = math.log2
# --- Growth laws ---------------------------------------------------------------------------------------
law_set("constant", lambda n: 7)
law_set("line", lambda n: 2 + .013 * n)
law_set("line_noisy", lambda n: 5 + .02 * n, cv=.15)
law_set("line_late", lambda n: 200 + .013 * n)
law_set("square", lambda n: 3 + 2e-5 * n * n)
law_set("cube", lambda n: 1 + 3e-6 * n ** 3, 10, 400)
law_set("root", lambda n: 1 + .4 * n ** .5)
law_set("root_alone", lambda n: .4 * n ** .5)
law_set("cube_root", lambda n: 2 + 1.3 * n ** (1 / 3))
law_set("logarithm", lambda n: 1 + .7 * log2(n))
law_set("log_squared", lambda n: 3 + .2 * log2(n) ** 2)
law_set("n_log_n", lambda n: 1 + .004 * n * log2(n))
law_set("n_log_squared", lambda n: 1 + .0006 * n * log2(n) ** 2)
law_set("three_halves", lambda n: 2 + .0003 * n ** 1.5)
law_set("two_thirds", lambda n: 1 + .05 * n ** (2 / 3))
law_set("line_and_square", lambda n: .1 * n + 2e-8 * n * n, 50, 20000, times=(.5, 1.2, 2, 4, 16, 64))
law_set("line_and_square_seen", lambda n: .05 * n + 2e-6 * n * n, 100, 50000, times=(.5, 2, 4, 16, 64))
law_set("sqrt_and_line", lambda n: 2 * n ** .5 + .002 * n, 50, 50000)
law_set("cube_with_line", lambda n: 1 + .5 * n + 1e-6 * n ** 3, 10, 1000)
law_set("power_1.2", lambda n: .02 * n ** 1.2)
law_set("power_1.7", lambda n: 1 + .0009 * n ** 1.7)
law_set("power_2.8", lambda n: 2e-6 * n ** 2.8, 10, 500)
law_set("inverse", lambda n: 2 + 3000 / n, 10, 3000)
law_set("falling_line", lambda n: max(1000 - .0145 * n, 1), 1000, 60000, times=(.3, .9, 1.05, 1.12))
law_set("falling_line_steep", lambda n: max(90 - .5 * n, 1), 5, 121, 12, times=(.3, .7, 1.2, 1.3))
law_set("falling_line_shallow", lambda n: max(500 - .004 * n, 1), 1000, 60000, times=(.5, 1.2, 1.8))
law_set("falling_power", lambda n: 400 * n ** -.5, 10, 5000)
law_set("line_wide", lambda n: .5 + .001 * n, 10, 10 ** 6, 20)
law_set("line_narrow", lambda n: 5 + .01 * n, 1001, 2101, 8)
law_set("square_narrow", lambda n: 5 + 1e-5 * n * n, 1001, 1801, 8)
# --- Exponentials -------------------------------------------------------------------------------------------
law_set("exp_quarter", lambda n: 2 ** (n / 4), 4, 40, 14, times=(.6, .9, 1.1, 1.2, 1.3, 1.5))
law_set("exp_1.7", lambda n: .002 * 1.7 ** n, 6, 24, 10, times=(.6, .9, 1.2, 1.5))
law_set("exp_2", lambda n: .01 * 2 ** n, 3, 21, 10, times=(.8, 1.2, 1.3, 1.5))
law_set("exp_slow", lambda n: 3 * 1.05 ** n, 5, 101, 12, times=(.5, 1.2, 1.5))
law_set("exp_and_floor", lambda n: 30 + .05 * 1.5 ** n, 3, 25, 12, times=(.8, 1.2, 1.5))
law_set("exp_noisy", lambda n: .1 * 1.6 ** n, 4, 24, 11, cv=.15, times=(.8, 1.2, 1.5))
law_set("exp_few", lambda n: .5 * 1.9 ** n, 5, 15, 6, 5, times=(.8, 1.2, 1.5))
law_set("factorial", lambda n: 1e-3 * math.gamma(n + 1), 3, 11, 5, times=(1.2, 1.4))
# --- Breaks ----------------------------------------------------------------------------------------------------
law_set("hinge", lambda n: 1 + .01 * n + .02 * max(0, n - 3000), count=14)
law_set("hinge_late", lambda n: 1 + .01 * n + .03 * max(0, n - 9000), count=16)
law_set("jump", lambda n: 2 + .01 * n + (60 if n > 2500 else 0), count=14)
law_set("two_hinges", lambda n: .01 * n + .01 * max(0, n - 1000) + .03 * max(0, n - 6000), count=20)
law_set("n_log_n_caches", lambda n: .003 * n * log2(n) * (1 + .3 / (1 + (4000 / n) ** 4)), count=16)


def odd_end(name, law, factor, count, odd=1, at_low=0, calls=25, cv=.03):
    """The sizes at one end cost more, in all calls: a break that only they show."""
    def make(rng):
        sizes = spread(50, 20000, count)
        dear = sizes[:odd] if at_low else sizes[-odd:]
        samples = [((n,), noisy(rng, law(n) * (factor if n in dear else 1), cv)) for n in sizes for _ in range(calls)]
        edge = dear[-1] if at_low else dear[0]
        return samples, [((n,), law(n) * (factor if (n <= edge if at_low else n >= edge) else 1))
                         for n in [sizes[3], sizes[-1]] + ([sizes[0]] if at_low else [int(sizes[-1] * t) for t in (1.2, 2, 4)])]
    make.__name__ = name
    SETS.append(make)


odd_end("odd_end_6x", lambda n: 2 + .032 * n, 6, 12)
odd_end("odd_end_3x", lambda n: 5 + .002 * n, 3, 10)
odd_end("odd_end_1.6x", lambda n: 1 + .002 * n * log2(n), 1.6, 14)
odd_end("odd_end_square", lambda n: 1 + 1e-5 * n * n, 4, 12)
odd_end("odd_end_two", lambda n: 2 + .03 * n, 5, 12, 2)
odd_end("odd_end_constant", lambda n: 30, 8, 9)
odd_end("odd_end_few", lambda n: 3 + .02 * n, 6, 12, calls=4)
odd_end("odd_start", lambda n: 20 + .02 * n, 5, 12, at_low=1)


@made
def odd_middle(rng):
    """One size of its own: a bad alignment."""
    law, sizes = lambda n: 2 + .02 * n, spread(50, 20000, 14)
    samples = [((n,), noisy(rng, law(n) * (4 if n == sizes[6] else 1))) for n in sizes for _ in range(15)]
    return samples, ask(law, sizes[-1])


# --- Few sizes, narrow designs ------------------------------------------------------------------------------
def few(name, law, sizes, calls, times=(1.2, 2, 4, 16), cv=.03):
    def make(rng):
        return call(rng, law, sizes, calls, cv), ask(law, sizes[-1], *times)
    make.__name__ = name
    SETS.append(make)


few("one_size", lambda n: .01 * n, [1001], 50)
few("one_size_square", lambda n: 1e-5 * n * n, [1001], 5, (.5, 2, 4))
few("one_size_one_call", lambda n: .01 * n, [1001], 1, (.5, 2, 4))
few("two_sizes", lambda n: .01 * n, [101, 1001], 20)
few("two_sizes_square", lambda n: 1e-5 * n * n, [101, 1001], 20)
few("two_sizes_near", lambda n: 1e-5 * n * n, [1001, 1203], 20, (.5, 2, 4))
few("three_sizes_square", lambda n: 2e-5 * n * n, [101, 401, 1601], 2)
few("three_sizes_cube", lambda n: 1e-6 * n ** 3, [51, 101, 201], 2)
few("three_sizes_line", lambda n: 2 + .03 * n, [101, 401, 1601], 10)
few("three_sizes_n_log_n", lambda n: .005 * n * log2(n), [101, 401, 1601], 5)
few("four_sizes_square", lambda n: 5 + 2e-5 * n * n, [101, 301, 901, 2701], 3)
few("four_sizes_root", lambda n: 5 + n ** .5, [101, 301, 901, 2701], 3)
few("five_sizes_cube", lambda n: 5 + 1e-7 * n ** 3, [51, 101, 201, 401, 801], 3)
few("six_one_call", lambda n: 5 + 1e-3 * n ** 1.5, [51, 101, 201, 401, 801, 1601], 1, cv=.05)
few("three_near", lambda n: 1e-5 * n * n, [1001, 1101, 1201], 10)


# --- Sizes with structure --------------------------------------------------------------------------------------
def structured(name, sizes, factor, law=lambda n: 2 + .01 * n, step=8):
    """The sizes seen suffer from what makes multiples of `step` slow (or quick); others do not."""
    def make(rng):
        full = lambda n: law(n) * (factor if n % step == 0 else 1)
        return call(rng, full, sizes, 12), [((n,), full(n)) for n in (sizes[2] + 1, sizes[-2] + 3, sizes[-2], sizes[-1] * 2 + 1)]
    make.__name__ = name
    SETS.append(make)


structured("powers_of_two", [2 ** k for k in range(6, 16)], 4, step=16)
structured("multiples_of_8", [8 * k for k in (5, 9, 16, 31, 60, 111, 200, 401, 802)], .4)
structured("multiples_of_64", [64 * k for k in (1, 2, 3, 5, 8, 13, 21, 34, 55)], 3, step=64)
structured("powers_of_two_plain", [2 ** k for k in range(6, 16)], 1)


# --- Clocks ----------------------------------------------------------------------------------------------------
def quantised(name, law, tick, low, high, count=10, calls=40, cv=.05, times=(.5, 1.2, 2, 4), first=0):
    """Times are whole ticks, as a clock that begins at any time gives them."""
    def make(rng):
        sizes, samples = spread(low, high, count), []
        for n in sizes:
            for _ in range(calls):
                start = rng.random() * tick
                samples.append(((n,), (math.floor((start + noisy(rng, law(n), cv)) / tick)) * tick))
        return samples, ask(law, sizes[-1], *times)
    make.__name__ = name
    SETS.append(make)


quantised("clock_1us", lambda n: .25 + .0013 * n, 1, 50, 1000)
quantised("clock_1us_root", lambda n: .1 + .05 * n ** .5, 1, 50, 2000)
quantised("clock_1us_few", lambda n: .3 + .003 * n, 1, 50, 1000, calls=15, times=(.5, 2, 4))
quantised("clock_10us", lambda n: 2 + .05 * n, 10, 50, 1000)
quantised("clock_1us_square", lambda n: .2 + 2e-6 * n * n, 1, 50, 1500)
quantised("clock_16us", lambda n: 5 + .02 * n, 16, 50, 3000, 8)


# --- Populations ---------------------------------------------------------------------------------------------------
def population(name, law, share, factor, calls=60, count=12, mean=1, times=(.3, .8, 1, 1.2)):
    """A share of the calls, which may go with the size, costs `factor` as much; asked is the mean, or the typical cost."""
    def make(rng):
        sizes = spread(50, 20000, count)
        samples = [((n,), noisy(rng, law(n) * (factor if rng.random() < share(n) else 1))) for n in sizes for _ in range(calls)]
        truth = lambda n: law(n) * (1 + mean * share(n) * (factor - 1))
        return samples, ask(truth, sizes[-1], *times), "mean" if mean else "typ"
    make.__name__ = name
    SETS.append(make)


population("rare_fixed", lambda n: 2 + .002 * n, lambda n: .05, 20)
population("rare_grows", lambda n: 2 + .002 * n, lambda n: min(.3, n / 100000), 20)
population("rare_grows_log", lambda n: 10 + .001 * n, lambda n: .02 * log2(n) / 2, 20)
population("rare_shrinks", lambda n: 5 + .002 * n, lambda n: min(.3, 20 / n), 20, times=(.01, .1, .5))
population("rare_grows_constant", lambda n: 10, lambda n: min(.4, n / 50000), 20)
population("two_populations", lambda n: 2 + .002 * n, lambda n: .35, 2.5)
population("becomes_usual", lambda n: 4 + .002 * n, lambda n: min(.9, n / 20000), 10)
population("typical_beside_rare", lambda n: 2 + .002 * n, lambda n: min(.3, n / 100000), 20, mean=0, times=(.3, .8, 1.2, 4))


@made
def pareto_tail(rng):
    law, sizes = lambda n: 3 + .01 * n, spread(50, 20000, 12)
    return [((n,), law(n) * (1 + .05 * rng.paretovariate(1.5))) for n in sizes for _ in range(20)], ask(law, sizes[-1])


@made
def cold_first(rng):
    law, sizes = lambda n: 3 + .01 * n, spread(50, 20000, 12)
    return [((n,), noisy(rng, law(n) * (8 if not k else 1))) for n in sizes for k in range(10)], ask(law, sizes[-1])


# --- Several parameters ---------------------------------------------------------------------------------------------
def category(name, effect, law=lambda n: .05 * n, levels=(1, 7, 3, 20), asked=None):
    """A parameter that is a name for something: its effect has no order."""
    def make(rng):
        cost = lambda n, a: law(n) * effect[a]
        sizes = spread(50, 20000, 8)
        samples = [((n, a), noisy(rng, cost(n, a))) for n in sizes for a in levels for _ in range(6)]
        return samples, [((n, a), cost(n, a)) for n in (sizes[2], sizes[-2], 2 * sizes[-1]) for a in levels]
    make.__name__ = name
    SETS.append(make)


category("category_4", {1: 7, 7: 1, 3: 20, 20: 3})
category("category_3", {1: 3, 2: 10, 3: 1}, levels=(1, 2, 3))
category("category_5", {10: 2, 20: 1, 30: 9, 40: 1.5, 50: 4}, levels=(10, 20, 30, 40, 50))
category("category_0", {0: 5, 1: 1, 2: 8}, levels=(0, 1, 2))
category("category_6", dict(zip((2, 5, 11, 17, 23, 31), (3, 9, 1, 6, 2, 14))), levels=(2, 5, 11, 17, 23, 31))


def two(name, law, design, calls=4, asked=((.5, .5), (1.5, 1), (1, 4), (4, 4))):
    def make(rng):
        samples = [((n, m), noisy(rng, law(n, m))) for n, m in design for _ in range(calls)]
        high = max(n for n, _ in design), max(m for _, m in design)
        points = [(int(high[0] * a) | 1, int(high[1] * b) | 1) for a, b in asked]
        return samples, [(p, law(*p)) for p in points]
    make.__name__ = name
    SETS.append(make)


GRID = [(n, m) for n in spread(10, 1000, 5) for m in spread(5, 300, 5)]
CROSS = [(n, 51) for n in spread(10, 1000, 7)] + [(101, m) for m in spread(5, 300, 7)]
DIAGONAL = [(n, n // 3 | 1) for n in spread(20, 2000, 9)]
two("product", lambda n, m: 2 + .01 * n * m, GRID)
two("sum", lambda n, m: 2 + .1 * n + .3 * m, GRID)
two("n_log_m", lambda n, m: 1 + .05 * n * log2(m), GRID)
two("square_by_m", lambda n, m: 1 + .0005 * n * n * m, GRID)
two("irrelevant", lambda n, m: 1 + .05 * n, GRID)
two("cross_product", lambda n, m: 2 + .01 * n * m, CROSS)
two("cross_sum", lambda n, m: 2 + .1 * n + .3 * m, CROSS)
two("diagonal", lambda n, m: 2 + .1 * n, DIAGONAL, asked=((1, 1), (2, 2), (4, 4)))
two("quotient", lambda n, m: 1 + 5 * n / m, GRID)


# --- Run and score ------------------------------------------------------------------------------------------------------
def mastermind(*words):
    run = subprocess.run(["mastermind", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if run.returncode not in (0, 1):
        sys.exit("mastermind %s: %s" % (" ".join(words), run.stderr))
    return run.stdout


def write(path, head, rows):
    with open(path, "w", encoding="utf-8") as file:
        csv.writer(file).writerows([head] + rows)


def measure(directory, samples, questions, show):
    names = "nm"[:len(samples[0][0])]
    write(directory + "/samples.csv", ["t", *names], [(repr(t), *x) for x, t in samples])
    write(directory + "/points.csv", names, [x for x, _ in questions])
    exp = directory + "/exp"
    mastermind("import", "csv", directory + "/samples.csv", "--time", "t:us", "--params", ",".join(names), "-o", exp)
    if show:
        print(mastermind("model", exp))
    answers = list(csv.DictReader(mastermind("predict", exp, "--points", directory + "/points.csv", "--curve").splitlines()))
    for answer, (x, _) in zip(answers, questions):
        at = ",".join("%s=%d" % pair for pair in zip(names, x))
        model = json.loads(mastermind("model", exp, "--json", "--at", at))["methods"][0]["models"][0]
        estimate = model["estimate"]
        answer["notes"] = NOTES & set(estimate["reasons"])
        for end in ("mean_low", "mean_high"):
            answer[end] = estimate[end + "_ns"] / 1000 if estimate.get(end + "_ns") is not None else ""
    return answers


def number(answer, name):
    return float(answer[name]) if answer[name] != "" else None


def judge(answer, truth, kind):
    """Whether the answer is silent or narrow and wrong, and what it said."""
    value = number(answer, kind)
    ends = [number(answer, name) for name in (("mean_low", "mean_high") if kind == "mean" else ("fit_lo", "fit_hi"))]
    if value is None:
        return False, "no answer"
    held = None not in ends and ends[0] <= truth <= ends[1]
    said = "%.4g (%s) %s" % (value, " to ".join("%.4g" % e if e is not None else "-" for e in ends),
                             " ".join(sorted(answer["notes"])))
    return not held and abs(value / truth - 1) > OFF and not answer["notes"], said


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only")
    parser.add_argument("--show", action="store_true")
    args = parser.parse_args()
    wrong = asked = sets = 0
    with tempfile.TemporaryDirectory() as directory:
        for make in SETS:
            if args.only and args.only not in make.__name__:
                continue
            sets += 1
            rng = random.Random("%d %s" % (args.seed, make.__name__))
            samples, questions, *kind = make(rng)
            rng.shuffle(samples)
            os.makedirs("%s/%d" % (directory, sets))
            if args.show:
                print("---", make.__name__)
            for answer, (x, truth) in zip(measure("%s/%d" % (directory, sets), samples, questions, args.show), questions):
                bad, said = judge(answer, truth, kind[0] if kind else "typ")
                asked += 1
                wrong += bad
                if bad or args.show:
                    print("%s %s at %s: %.4g, said %s" % ("wrong" if bad else "fine ", make.__name__, x, truth, said))
    print("%d of %d questions to %d sets: silent or narrow, and wrong" % (wrong, asked, sets))
    sys.exit(wrong > MOST * asked)


if __name__ == "__main__":
    main()
