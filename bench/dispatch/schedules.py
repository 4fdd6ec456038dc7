#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How much of the best schedule's gain rules by `choose --dispatch` recover, in two scenarios:

  sort   examples/dispatch: MergeSort and RadixSort, by the number of items; CPU time of whole runs
  flux   the shock problem: GodunovScalar and GodunovVector, by the active faces that the patch had in its last call; own
         time of all flux calls, as measured in each run

Against a table of the best class for each of 24 ranges of that value, which is found from all rows of both classes; also
the rules while they learn, and rules that are wrong (each class where the other is best) and learn. By turns; medians over
rounds and their bootstrap intervals.

    bench/dispatch/schedules.py [--scenario sort] [--rounds 10]
"""
import argparse
import csv
import io
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile

parser = argparse.ArgumentParser()
parser.add_argument("--scenario", choices=("sort", "flux"), default="sort")
parser.add_argument("--rounds", type=int, default=10)
args = parser.parse_args()
root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
bin_dir = os.path.join(os.environ.get("O", os.path.join(root, "build", "release")), "bin")
os.environ["PATH"] = bin_dir + ":" + os.environ["PATH"]
folder = tempfile.mkdtemp()
os.chdir(folder)
RANGES, MEASURED = 24, 4


class Sort:
    classes, base = ("MergeSort", "RadixSort"), "MergeSort"
    port, method, value, all_calls = "example.SortPort/1", "sort", "p.n", "n >= 0"

    def __init__(self):
        shutil.copytree(os.path.join(root, "examples", "dispatch"), folder, dirs_exist_ok=True)
        subprocess.run(["make", "-s"], check=True)

    def script(self, sorter, rules):
        return ("path prepend .\ninstantiate %s sort\ninstantiate SortDriver driver\nconnect driver sort sort sort\n"
                "parameter driver config calls 4000\n%sgo driver go\n" %
                (sorter, "dispatch sort sort %s\n" % rules if rules else ""))

    def cost(self, script_file):
        return cpu_time("ccafe", script_file)


class Flux:
    classes, base = ("GodunovScalar", "GodunovVector"), "GodunovScalar"
    port, method, value, all_calls = "shock.FluxPort/1", "compute", "o.last_active", "Q >= 0"
    sizes = ("mesh config patch_nx 16", "mesh config patch_ny 16", "driver config nx 128", "driver config ny 32",
             "driver config t_end 2", "states config limiter vanleer")

    def script(self, flux, rules):
        with open(os.path.join(root, "scripts", "shock.rc")) as file:
            lines = [line for line in file.read().splitlines() if not line.startswith(("go ", "quit"))]
        lines = ["instantiate %s flux" % flux if line.startswith("instantiate GodunovFlux") else line for line in lines]
        lines += ["parameter " + size for size in self.sizes]
        lines += ["dispatch flux flux %s" % rules] if rules else []
        return "\n".join(lines + ["go driver go", ""])

    def cost(self, script_file):
        shutil.rmtree("cost.mm", ignore_errors=True)
        cpu_time("ccafe", "--measure", "--experiment", "cost.mm", script_file)
        return sum(own for _, own in rows_of("cost.mm", self)) / 1e9


def cpu_time(*words):
    """The CPU time of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def rows_of(experiment, scenario):
    """Value and own time in ns of each call of the slot."""
    out = subprocess.run(["mastermind", "records", experiment, "--csv"], check=True, capture_output=True, text=True).stdout
    for row in csv.DictReader(io.StringIO(out)):
        if row["method"] == scenario.method and row["class"] in scenario.classes:
            yield row[scenario.value], float(row["exclusive_ns"]) - float(row["host_exclusive_ns"] or 0)


def median(values):
    values = sorted(values)
    return values[len(values) // 2] if values else float("inf")


def write_script(name, class_name, rules):
    with open(name, "w") as out:
        out.write(scenario.script(class_name, rules))


def write_rules(name, lines):
    with open(name, "w") as out:
        out.write("dispatch %s\n" % scenario.port + "".join("%s: %s\n" % (scenario.method, line) for line in lines))


def table_lines():
    """The class with the smaller median in each of the ranges of the value, which have equally many calls."""
    calls = {c: [(float(x), own) for path in measured if path.startswith(c) for x, own in rows_of(path, scenario) if x]
             for c in scenario.classes}
    all_x = sorted(x for c in scenario.classes for x, _ in calls[c])
    bounds = sorted({all_x[len(all_x) * (i + 1) // RANGES] for i in range(RANGES - 1)})
    name = scenario.value.split(".")[1]
    lines, low = [], float("-inf")
    for bound in bounds + [float("inf")]:
        best = min(scenario.classes, key=lambda c: median([own for x, own in calls[c] if low < x <= bound]))
        lines.append("%s when %s <= %d" % (best, name, bound) if bound != float("inf") else best)
        low = bound
    return lines


scenario = {"sort": Sort, "flux": Flux}[args.scenario]()
for c in scenario.classes:
    write_script(c + ".rc", c, None)
measured = ["%s-%d.mm" % (c, i) for i in range(MEASURED) for c in scenario.classes]
for path in measured:
    cpu_time("ccafe", "--measure", "--experiment", path, path.split("-")[0] + ".rc")
answer = subprocess.run(["mastermind", "choose"] + measured + ["--dispatch", "rules.dispatch"],
                        capture_output=True, text=True)
sys.stdout.write(answer.stdout)
if answer.returncode:
    sys.exit(answer.stderr)
other = next(c for c in scenario.classes if c != scenario.base)
write_rules("table.dispatch", table_lines())
write_rules("one.dispatch", ["%s when %s" % (other, scenario.all_calls), scenario.base])
with open("rules.dispatch") as file:
    text = "\n".join("learn 1 %" if line.startswith("# learn") else line for line in file.read().split("\n"))
with open("learn.dispatch", "w") as out:
    out.write(text)
swapped = dict(zip(scenario.classes, reversed(scenario.classes)))
with open("mended.dispatch", "w") as out:
    out.write(re.sub(r"^(%s: )(\w+)" % scenario.method, lambda m: m.group(1) + swapped[m.group(2)], text, flags=re.M))
for rules in ("rules", "table", "one", "learn", "mended"):
    write_script(rules + ".rc", scenario.base, rules + ".dispatch")
kinds = list(scenario.classes) + ["rules", "table", "one", "learn", "mended"]
runs = {k: [] for k in kinds}
for _ in range(args.rounds):
    for k in random.sample(kinds, len(kinds)):
        runs[k].append(scenario.cost(k + ".rc"))


def figures(pick):
    m = {k: median([runs[k][i] for i in pick]) for k in kinds}
    single = min(m[c] for c in scenario.classes)
    gain = single - m["table"]
    return ((single - m["rules"]) / gain, (single - m["learn"]) / gain, (single - m["mended"]) / gain, m["rules"] / single,
            m["table"] / single, m["one"] / m[other], m["learn"] / m["rules"])


whole = figures(range(args.rounds))
many = [figures([random.randrange(args.rounds) for _ in range(args.rounds)]) for _ in range(2000)]
cpu = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "?")
print("\n%s, load %s, scenario %s, %d rounds" % (cpu, open("/proc/loadavg").read().split()[0], args.scenario, args.rounds))
for k in kinds:
    print("  %-14s %7.0f ms" % (k, 1e3 * median(runs[k])))
for i, what in enumerate(("gain recovered by the rules, of the table's", "by the rules while they learn", "by wrong rules that learn",
                          "rules / best single class", "table / best single class", "nothing to gain: rules / class alone",
                          "nothing to learn: learning rules / rules")):
    ends = sorted(m[i] for m in many)
    print("  %-44s %.3f (90 %%: %.3f to %.3f)" % (what, whole[i], ends[100], ends[1900]))
shutil.rmtree(folder)
