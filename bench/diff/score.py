#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Score `mastermind diff` on real runs: pairs of groups of equal runs, and of runs whose one method
# costs 5 % more. Makes the programs, records, compares. usage: score.py [RUNS]
import json, os, random, subprocess, sys, tempfile

RUNS = int(sys.argv[1]) if len(sys.argv) > 1 else 150
SIDE, HERE = 5, os.path.dirname(os.path.abspath(__file__))
random.seed(5)


def sh(*words, **more):
    return subprocess.run(words, check=True, capture_output=True, text=True, **more)


def diff(metric, a, b):
    done = subprocess.run(["mastermind", "diff", "--json", "--metric", metric, *a, "--", *b],
                          capture_output=True, text=True)
    return json.loads(done.stdout)


def interval_score(part):
    low, high = part["low"], part["high"]
    return high - low + 40 * max(low, 0) + 40 * max(-high, 0)


def groups(order):
    first = random.randrange(RUNS - 2 * SIDE)
    numbers = list(range(first, first + 2 * SIDE))
    if order == "random":
        numbers = random.sample(range(RUNS), 2 * SIDE)
    return (numbers[::2], numbers[1::2]) if order == "turns" else (numbers[:SIDE], numbers[SIDE:])


os.chdir(tempfile.mkdtemp())
for folder, extra in (("a", 100), ("b", 105)):
    os.mkdir(folder)
    sh("cc", "-O2", "-shared", "-fPIC", f"-DEXTRA={extra}", "-Wl,-soname,libk.so.1", "-o", f"{folder}/libk.so.1",
       f"{HERE}/kernels.c")
    sh("ln", "-s", "libk.so.1", f"{folder}/libk.so")
    sh("cc", "-O2", "-o", f"{folder}/program", f"{HERE}/program.c", f"-L{folder}", "-lk", "-Wl,-rpath,$ORIGIN")
sh("proxygen", "--interpose", f"{HERE}/kernels.h", "--functions", "k_*", "-o", "proxies")
for i in range(RUNS):
    for name, folder, times in (("a", "a", "1"), ("b", "b", "1"), ("d", "b", "2")):
        sh("mastermind", "record", "--proxy", "proxies", "-o", f"{name}{i}.mm", "--",
           f"{folder}/program", times)
    if sys.stderr.isatty():
        print(f"\r{i + 1} of {RUNS} runs", end="", file=sys.stderr)
for metric in ("CPU_TIME", "TIME"):
    for order in ("turns", "random", "blocks"):
        alarms = found = doubled = 0
        own = plain = 0.0
        for _ in range(100):
            a, b = groups(order)
            equal = diff(metric, [f"a{i}.mm" for i in a], [f"a{i}.mm" for i in b])
            alarms += any(v in ("worse", "better") for v in
                           [m["verdict"] for m in equal["methods"]] + [equal["parts"]["all"]["verdict"]])
            own += interval_score(equal["parts"]["dearer"])
            plain += interval_score(equal["parts"]["all"])
            for name in "bd":
                other = diff(metric, [f"a{i}.mm" for i in a], [f"{name}{i}.mm" for i in b])
                hit = any(m["name"].endswith("k_tri") and m["parts"]["dearer"]["verdict"] == "worse"
                          for m in other["methods"])
                found += hit and name == "b"
                doubled += hit and name == "d"
        print(f"{metric:8} {order:6}  equal sides with a verdict {alarms:3} %  5 % dearer found {found:3} %  "
              f"while calls double {doubled:3} %  interval score {own / plain:.2f} of totals'")
