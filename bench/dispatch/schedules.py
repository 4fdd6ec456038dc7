#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How much of the best schedule's gain rules by `choose --dispatch` recover: examples/dispatch, sorted by one class, by
these rules, and by a table of the best class for each of 24 ranges of sizes, which is found from all rows of both classes;
also by the rules while they learn, and by rules that are wrong (each class where the other is best) and learn. CPU time of whole runs, by turns; medians over rounds and their bootstrap intervals.

    bench/dispatch/schedules.py [--rounds 10] [--calls 4000]
"""
import argparse
import csv
import io
import math
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile

parser = argparse.ArgumentParser()
parser.add_argument("--rounds", type=int, default=10)
parser.add_argument("--calls", type=int, default=4000)
args = parser.parse_args()
root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
bin_dir = os.path.join(os.environ.get("O", os.path.join(root, "build", "release")), "bin")
os.environ["PATH"] = bin_dir + ":" + os.environ["PATH"]
folder = tempfile.mkdtemp()
shutil.copytree(os.path.join(root, "examples", "dispatch"), folder, dirs_exist_ok=True)
os.chdir(folder)
RANGES, CLASSES = 24, ("MergeSort", "RadixSort")


def run(*words):
    """The CPU time of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def script(name, sorter, rules):
    with open(name, "w") as out:
        out.write("path prepend .\ninstantiate %s sort\ninstantiate SortDriver driver\n"
                  "connect driver sort sort sort\nparameter driver config calls %d\n" % (sorter, args.calls))
        if rules:
            out.write("dispatch sort sort %s\n" % rules)
        out.write("go driver go\n")


subprocess.run(["make", "-s"], check=True)
for c in CLASSES:
    script(c + ".rc", c, None)
    run("ccafe", "--measure", "--experiment", c + ".mm", c + ".rc")
answer = subprocess.run(["mastermind", "choose"] + [c + ".mm" for c in CLASSES] + ["--dispatch", "rules.dispatch"],
                        capture_output=True, text=True)
sys.stdout.write(answer.stdout)
if answer.returncode:
    sys.exit(answer.stderr)

# The best table: the class with the smaller median in each range of sizes.
low, high = 500.0, 100000.0
times = {c: [[] for _ in range(RANGES)] for c in CLASSES}
for c in CLASSES:
    out = subprocess.run(["mastermind", "records", c + ".mm"], check=True, capture_output=True, text=True).stdout
    for row in csv.DictReader(io.StringIO(out)):
        if row["method"] == "sort":
            at = int(RANGES * math.log(float(row["p.n"]) / low) / math.log(high / low))
            times[c][min(at, RANGES - 1)].append(float(row["exclusive_ns"]) - float(row["host_exclusive_ns"] or 0))


def median(values):
    values = sorted(values)
    return values[len(values) // 2] if values else float("inf")


with open("table.dispatch", "w") as out:
    out.write("dispatch example.SortPort/1\n")
    for at in range(RANGES):
        best = min(CLASSES, key=lambda c: median(times[c][at]))
        bound = " when n <= %d" % int(low * (high / low) ** ((at + 1) / RANGES)) if at + 1 < RANGES else ""
        out.write("sort: %s%s\n" % (best, bound))
with open("one.dispatch", "w") as out:
    out.write("dispatch example.SortPort/1\nsort: RadixSort when n >= 0\nsort: MergeSort\n")
text = open("rules.dispatch").read()
text = "\n".join("learn 1 %" if line.startswith("# learn") else line for line in text.split("\n"))
with open("learn.dispatch", "w") as out:
    out.write(text)
with open("mended.dispatch", "w") as out:
    out.write(re.sub(r"^sort: (\w+)", lambda m: "sort: " + CLASSES[m.group(1) == CLASSES[0]], text, flags=re.M))
for rules in ("rules", "table", "one", "learn", "mended"):
    script(rules + ".rc", "MergeSort", rules + ".dispatch")
kinds = list(CLASSES) + ["rules", "table", "one", "learn", "mended"]
runs = {k: [] for k in kinds}
for _ in range(args.rounds):
    for k in random.sample(kinds, len(kinds)):
        runs[k].append(run("ccafe", k + ".rc"))


def figures(pick):
    m = {k: median([runs[k][i] for i in pick]) for k in kinds}
    single = min(m[c] for c in CLASSES)
    gain = single - m["table"]
    return ((single - m["rules"]) / gain, (single - m["learn"]) / gain, (single - m["mended"]) / gain, m["rules"] / single,
            m["table"] / single, m["one"] / m["RadixSort"], m["learn"] / m["rules"])


whole = figures(range(args.rounds))
many = [figures([random.randrange(args.rounds) for _ in range(args.rounds)]) for _ in range(2000)]
cpu = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "?")
print("\n%s, load %s, %d rounds of %d calls" % (cpu, open("/proc/loadavg").read().split()[0], args.rounds, args.calls))
for k in kinds:
    print("  %-10s %7.0f ms" % (k, 1e3 * median(runs[k])))
for i, what in enumerate(("gain recovered by the rules, of the table's", "by the rules while they learn", "by wrong rules that learn",
                          "rules / best single class", "table / best single class", "nothing to gain: rules / class alone",
                          "nothing to learn: learning rules / rules")):
    ends = sorted(m[i] for m in many)
    print("  %-44s %.3f (90 %%: %.3f to %.3f)" % (what, whole[i], ends[100], ends[1900]))
shutil.rmtree(folder)
