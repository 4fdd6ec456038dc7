# SPDX-License-Identifier: BSD-3-Clause
"""experiments.py: measured runs of ccafe, and what the baselines read of them.

A run is reduced to what costs need: CPU time of each call path, and of each method, mode and size the number of calls
and their CPU time, all exclusive. It is kept beside the experiment in EXPERIMENT.json."""
import collections
import csv
import json
import os
import shutil
import subprocess
import sys

TREE = os.path.abspath(os.environ.get("O", "build/release"))
SCRIPTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts")
ENVIRONMENT = {**os.environ, "PATH": os.path.join(TREE, "bin") + os.pathsep + os.environ["PATH"]}
SIZES = ("Q", "n", "nx", "cells", "count")  # the parameter that decides a cost; the first that a method has


def call(command, directory=None, statuses=(0,)):
    """Standard output of a command. Exit 5 where it fails."""
    done = subprocess.run(command, cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, env=ENVIRONMENT)
    if done.returncode not in statuses:
        sys.stderr.write("score.py: %s: exit %d\n%s" % (" ".join(command), done.returncode, done.stderr))
        sys.exit(5)
    return done.stdout


def script(name):
    return os.path.abspath(os.path.join(SCRIPTS, name))


def options_of(path):
    """The file with the options that made it; hidden, so that DIR/train-* are sweeps alone."""
    return os.path.join(os.path.dirname(path), "." + os.path.basename(path) + ".options")


def remove(path):
    """An experiment or a sweep, and what is kept of it."""
    shutil.rmtree(path, ignore_errors=True)
    for beside in (path + ".json", options_of(path)):
        if os.path.exists(beside):
            os.remove(beside)


def is_made(path, words):
    """Whether it was made with these words; what was made with others is removed."""
    kept = options_of(path)
    if os.path.exists(kept):
        with open(kept, encoding="utf-8") as file:
            if file.read() == " ".join(words):
                return True
    remove(path)
    return False


def set_made(path, words):
    with open(options_of(path), "w", encoding="utf-8") as file:
        file.write(" ".join(words))


def measure(path, options, directory):
    """One measured run, unless it is there. `options` end with the script."""
    if not is_made(path, options):
        call(["ccafe", "--measure", "--metrics", "CPU_TIME", "-o", path, *options], directory)
        set_made(path, options)
    return path


def sweep(path, options, command, directory):
    """The experiments of a sweep; runs that were made are kept."""
    words = [*options, "--", *command]
    if not is_made(path, words):
        set_made(path, words)  # a sweep that was cut goes on
    call(["mastermind", "sweep", *options, "-o", path, "--", *command], directory)
    return sorted(os.path.join(path, name) for name in os.listdir(path) if name.endswith(".mm"))


def modes_of(path):
    """{(instance, port, method): names of its modes and parameters}"""
    with open(os.path.join(path, "rank-0000", "methods.json"), encoding="utf-8") as file:
        methods = json.load(file)["methods"]
    return {(m["instance"], m["port"], m["method"]): ([v["name"] for v in m["values"] if v["kind"] == "mode"],
                                                      [v["name"] for v in m["values"] if v["kind"] == "param"]) for m in methods}


def rows_of(path):
    process = subprocess.run(["mastermind", "records", path], stdout=subprocess.PIPE, text=True, check=True, env=ENVIRONMENT)
    return list(csv.DictReader(process.stdout.splitlines()))


def summarise(path):
    """CPU time of the run by call path, and calls by class, method, mode and size."""
    rows, values = rows_of(path), modes_of(path)
    own = {(r["rank"], r["thread"], r["invocation"]): int(r["cpu_ns"]) for r in rows}
    about = {(r["rank"], r["thread"], r["invocation"]): r for r in rows}
    for r in rows:
        caller = r["rank"], r["thread"], r["caller"]
        if caller in own:
            own[caller] -= int(r["cpu_ns"])
    names = {}

    def path_of(key):
        if key not in names:
            row = about[key]
            above = row["rank"], row["thread"], row["caller"]
            names[key] = (path_of(above) + ">" if above in about else "") + ".".join((row["instance"], row["port"], row["method"]))
        return names[key]

    paths, calls = collections.defaultdict(int), collections.defaultdict(lambda: [0, 0])
    for key, row in about.items():
        modes, parameters = values[row["instance"], row["port"], row["method"]]
        size = next((s for s in SIZES if s in parameters), parameters[0] if parameters else None)
        paths[path_of(key)] += own[key]
        entry = calls[row["class"], row["port"], row["method"], ",".join(row["p." + m] for m in modes), float(row["p." + size] or 0) if size else 0.0]
        entry[0] += 1
        entry[1] += own[key]
    return {"paths": paths, "calls": [[*k, *v] for k, v in sorted(calls.items())], "total": sum(own.values())}


class Run:
    """One experiment: `total_ns`; `numbers`, its variables that are numbers; `classes` by instance; `paths`, ns by call path;
    `calls`, a list of (class, port, method, mode, size, calls, ns)."""

    def __init__(self, path):
        self.path = path
        with open(os.path.join(path, "experiment.json"), encoding="utf-8") as file:
            about = json.load(file)
        self.classes = about["classes"]
        self.numbers = {}
        for name, text in about["variables"].items():
            try:
                self.numbers[name] = float(text)
            except ValueError:
                pass
        kept = path.rstrip("/") + ".json"
        if not os.path.exists(kept):
            with open(kept, "w", encoding="utf-8") as file:
                json.dump(summarise(path), file)
        with open(kept, encoding="utf-8") as file:
            found = json.load(file)
        self.total_ns, self.paths = found["total"], found["paths"]
        self.calls = [tuple(c) for c in found["calls"]]


def predict(training, run, options=()):
    """The document of `mastermind predict TRAINING --against RUN`, or None with the reason where there is no prediction."""
    done = subprocess.run(["mastermind", "predict", *training, "--against", run, "--metric", "CPU_TIME", "--json", *options],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, env=ENVIRONMENT)
    try:
        document = json.loads(done.stdout)
    except ValueError:
        return None, (done.stderr.strip().splitlines() or ["exit %d" % done.returncode])[-1]
    if "total" not in document or not document.get("against"):
        reasons = [p["name"] + ": " + p["why"] for p in document["parts"] if p.get("why")]
        return None, "; ".join(reasons) or (done.stderr.strip().splitlines() or ["no total"])[-1]
    return document, ""
