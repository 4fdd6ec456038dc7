#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How often the interval of `choose --dispatch` holds: examples/dispatch is measured once with each class, as a user
would; the gain that is predicted then is compared with that of measured runs with the rules and with the better class
alone, by turns.

    bench/dispatch/intervals.py [--trials 12] [--pairs 5] [--calls 2000]
"""
import argparse
import json
import os
import shutil
import subprocess
import tempfile

parser = argparse.ArgumentParser()
parser.add_argument("--trials", type=int, default=12)
parser.add_argument("--pairs", type=int, default=5)
parser.add_argument("--calls", type=int, default=2000)
args = parser.parse_args()
root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
os.environ["PATH"] = os.path.join(os.environ.get("O", os.path.join(root, "build", "release")), "bin") + ":" + os.environ["PATH"]
folder = tempfile.mkdtemp()
shutil.copytree(os.path.join(root, "examples", "dispatch"), folder, dirs_exist_ok=True)
os.chdir(folder)
subprocess.run(["make", "-s"], check=True)
for name in ("sort.rc", "ruled.rc"):
    text = open(name).read().replace("go driver", "parameter driver config calls %d\ngo driver" % args.calls, 1)
    open(name, "w").write(text)


def measure(experiment, *words):
    """The own time of all sorting of a run, in s."""
    shutil.rmtree(experiment, ignore_errors=True)
    subprocess.run(["ccafe", "--measure", "--experiment", experiment, *words], check=True, capture_output=True)
    report = json.loads(subprocess.run(["mastermind", "report", experiment, "--json"], check=True, capture_output=True,
                                       text=True).stdout)
    return sum(m["exclusive_ns"] for m in report["methods"] if m["method"] == "sort") / 1e9


inside = told = 0
for trial in range(args.trials):
    for c in ("MergeSort", "RadixSort"):
        measure(c + ".mm", "-D", "SORT=" + c, "sort.rc")
    answer = subprocess.run(["mastermind", "choose", "MergeSort.mm", "RadixSort.mm", "--dispatch", "sort.dispatch", "--force",
                             "--json"], capture_output=True, text=True)
    if answer.returncode:
        print("  trial %2d: %s" % (trial + 1, answer.stderr.strip()))
        continue
    method = json.loads(answer.stdout)["methods"][0]
    whole = method["total_s"] + method["gain"]["total_s"]
    low, high = method["gain"]["low_s"] / whole, method["gain"]["high_s"] / whole
    ratios = sorted(measure("ruled.mm", "ruled.rc") / measure("one.mm", "-D", "SORT=" + method["gain"]["class"], "sort.rc")
                    for _ in range(args.pairs))
    truth = 1 - ratios[args.pairs // 2]
    told += 1
    inside += low <= truth <= high
    print("  trial %2d: predicted %.1f %% (90 %%: %.1f to %.1f), then %.1f %%  %s" % (
        trial + 1, 100 * method["gain"]["total_s"] / whole, 100 * low, 100 * high, 100 * truth,
        "inside" if low <= truth <= high else "OUTSIDE"), flush=True)
print("%d of %d inside 90 %%; load %s" % (inside, told, open("/proc/loadavg").read().split()[0]))
shutil.rmtree(folder)
