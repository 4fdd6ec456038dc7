# SPDX-License-Identifier: BSD-3-Clause
"""sweep.py: let every call of a kind fail, one after the other, and look what comes of it.

usage: sweep.py SUBJECT RUNS      in an empty directory, with LIBFAULT and CLASSES set

SUBJECT is one of
    run        ccafe --measure on a small assembly: any call of the process fails
    ffi        the same, with proxies that libffi serves from descriptions
    recording  the same, but only calls from the start of go on, outside the framework and the
               application: nothing may change but what is kept
    aggregates the same, with aggregates kept instead of rows
    record     mastermind record of a program that calls zlib, calls of the recording alone: nothing
               may change but what is kept
    verbs      each verb of mastermind on a good experiment
    mesh       mastermind mesh, and import and export of mesh profiles
RUNS: about how many runs to do for each kind, mode and command; 0: all that there are.
"""
import contextlib
import difflib
import json
import os
import shutil
import sqlite3
import struct
import subprocess
import sys

import harness

MODES = [("memory", "once", 0), ("memory", "always", 0), ("io", "once", 5), ("io", "always", 28),
         ("io", "short", 5), ("io", "interrupted", 4)]
DONE, NO, INPUT, FAILED, SYSTEM = 0, 1, 3, 4, 5


def fail(what, result, *more):
    harness.fail(what, "status", result.returncode, *more, "stdout:", result.stdout[:300], "stderr:", result.stderr[:600])


def call(command, **fault):
    """Run a command, with a fault or without. Returns it and how many calls it did and failed."""
    env = dict(os.environ)
    if fault:
        if os.path.exists("fault.report"):
            os.remove("fault.report")
        env.update({"LD_PRELOAD": os.environ["LIBFAULT"], "FAULT_REPORT": os.path.abspath("fault.report")})
        env.update({"FAULT_" + k.upper(): str(v) for k, v in fault.items()})
    result = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            timeout=120, check=False)
    counts = (0, 0)
    if fault:
        with open("fault.report", "rb") as report:
            counts = struct.unpack("<QQ", report.read())
    return result, counts


def places(total, runs, shift):
    """Which calls shall fail: about `runs` of `total`, at other places for another shift."""
    step = max(1, total // runs) if runs else 1
    return range(1 + shift % step, total + 1, step)


def sweep(name, runs, command, judge, clean=lambda: None, usual=DONE, **more):
    """Try each kind and mode; judge(result, what, mode) is told of those that failed a call.
    `usual`: the command's status without a fault."""
    summary = []
    for number, (kind, mode, error) in enumerate(MODES):
        plan = dict(more, kind=kind, mode=mode, errno=error)
        clean()
        _, (total, _) = call(command, at=0, **plan)
        tried = struck = 0
        codes = {}
        for at in places(total, runs, 7 * number):
            clean()
            result, (_, hit) = call(command, at=at, **plan)
            tried += 1
            struck += hit > 0
            codes[result.returncode] = codes.get(result.returncode, 0) + 1
            what = "%s, %s %s, call %d of %d:" % (name, kind, mode, at, total)
            harness.progress(what, tried, total)
            if result.returncode != usual and not DONE <= result.returncode <= SYSTEM:
                fail(what, result, "is none of ours")
            else:
                judge(result, what, mode)
        if total and not struck:
            fail("%s, %s %s: no call failed in %d runs of" % (name, kind, mode, tried), result)
        summary.append("%s %s %d of %d %s" % (kind, mode, tried, total, sorted(codes.items())))
    print("%s: %s" % (name, "; ".join(summary)), flush=True)


# --- Measured runs ---------------------------------------------------------------------------

SCRIPT = """instantiate FaultDriver driver
instantiate FaultChain a
instantiate FaultChain b
connect driver flux a flux
connect a next b flux
parameter driver config count %d
parameter driver config depth 2
go driver go
"""


def clean_runs():
    shutil.rmtree("sweep.mm", ignore_errors=True)


def facts():
    """What the files around the rows say, less what differs from run to run."""
    found = []
    for name in ("wiring.json", "rank-0000/methods.json", "experiment.json"):
        with open("sweep.mm/" + name, encoding="utf-8") as file:
            found.append(json.load(file))
    methods = found[1]["methods"]
    for method in methods:  # one kind of proxy may stand in for another, and come in another order
        del method["id"]
    del found[1]["check"]  # of all that, which the reader has looked at
    methods.sort(key=lambda method: (method["instance"], method["port"], method["method"]))
    return found[:2], sorted(found[2]), sorted(found[2]["measured"])


def look_at_facts(result, what, wanted):
    """Where nothing is said all facts of the run are there."""
    try:
        found = facts()
        same = wanted == found or [part for part in zip(wanted, found) if part[0] != part[1]]
    except (OSError, ValueError) as problem:
        same = str(problem)
    said = [line for line in result.stderr.splitlines() if b": measuring cost " not in line]
    if same is not True and b" rows, " in result.stderr and len(said) == 1:
        fail(what + " not all facts are there and no word of it:", result,
             [line for pair in same for line in difflib.unified_diff(
                 *(json.dumps(side, indent=1).split("\n") for side in pair), lineterm="", n=1)]
             if isinstance(same, list) else same)


def look_at_experiment(result, what, rows):
    """What a run left is right, or refused with a reason."""
    if not os.path.exists("sweep.mm/experiment.json"):
        return 0
    report, _ = call(["mastermind", "report", "sweep.mm", "--json"])
    if report.returncode not in (DONE, INPUT, SYSTEM):
        fail(what + " the report of what it left:", report)
    elif report.returncode != DONE:
        if b"sweep.mm" not in report.stderr or (result.returncode == DONE and not result.stderr):
            fail(what + " an experiment refused without a reason:", report)
    else:
        with open("sweep.mm/experiment.json", encoding="utf-8") as file:
            about = json.load(file)
        kept = sum(m["calls"] for m in json.loads(report.stdout)["methods"])
        if about["finished"]:
            totals = about["totals"]
            wanted = totals["rows"] + totals["aggregated"] - totals["sampled"]
            if kept != wanted or kept + totals["dropped"] > rows:
                fail("%s %d rows found, %s:" % (what, kept, totals), result)
            # All is kept or counted, but for methods that were never opened, which is said.
            if kept + totals["dropped"] != rows and b"not measured" not in result.stderr:
                fail("%s %s of %d and no word of it:" % (what, totals, rows), result)
    return 1


def describe():
    """What FfiProxy is made from."""
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    os.makedirs("described", exist_ok=True)
    subprocess.run(["proxygen", "-I", root, "--describe", "-o", "described",
                    os.path.join(root, "ports", "flux_port.h")], check=True)


def sweep_runs(runs, subject):
    recording = subject in ("recording", "aggregates")
    count = 9000 if recording else 100  # enough to fill windows
    text = SCRIPT % count
    options = ["--measure", "--experiment", "sweep.mm"]
    if subject == "ffi":
        describe()
        text = text.replace("go driver", "insert a flux FfiProxy\ninsert b flux FfiProxy\ngo driver")
        options += ["--path", "described"]
    with open("sweep.rc", "w", encoding="utf-8") as script:
        script.write(text)
    command = ["ccafe", "--path", os.environ["CLASSES"], *options,
               "--storage", "aggregates" if subject == "aggregates" else "rows", "sweep.rc"]
    with open("bare.rc", "w", encoding="utf-8") as script:
        script.write(SCRIPT % count)
    bare, _ = call([command[0], *command[1:3], "bare.rc"])
    rows = 1 + 2 * count
    left = [0]
    call(command)
    wanted = facts()

    def judge(result, what, mode):
        code = result.returncode
        left[0] += look_at_experiment(result, what, rows)
        if code == DONE and not os.path.exists("sweep.mm") and b"not measured" not in result.stderr:
            fail(what + " not measured and no word of it:", result)
        if code == DONE or recording:
            if code != DONE or result.stdout != bare.stdout:
                fail(what + " the program has changed:", result)
            else:
                look_at_facts(result, what, wanted)
        elif code not in (INPUT, FAILED, SYSTEM) or not result.stderr:
            fail(what + " no reason given:", result)
        elif "memory" in what and code != SYSTEM:
            fail(what + " out of memory is status 5:", result)
        elif not bare.stdout.startswith(result.stdout):
            fail(what + " the output is another:", result)
        if mode in ("short", "interrupted") and "io" in what and recording:
            if b" 0 dropped" not in result.stderr:
                fail(what + " rows are lost:", result)

    if bare.returncode or not bare.stdout:
        fail("the bare run:", bare)
    more = {"skip": "ccafe:libcca:fa_", "armed": 0} if recording else {}
    sweep(subject, runs, command, judge, clean_runs, **more)
    if not left[0]:
        fail("no run left an experiment:", bare)


# --- A recorded program ------------------------------------------------------------------------

def sweep_record(runs):
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "random_calls.c")
    subprocess.run([*os.environ.get("CC", "cc").split(), "-O1", "-pthread", "-o", "random_calls", source, "-lz"],
                   check=True)
    subprocess.run(["proxygen", "--interpose", "/usr/include/zlib.h", "--functions",
                    "compress2,uncompress,crc32,adler32", "-o", "zlib"], check=True, stderr=subprocess.DEVNULL)
    program = ["./random_calls", "3", "50", "return"]
    command = [shutil.which("mastermind"), "record", "--proxy", "zlib", "-o", "sweep.mm", "--", *program]
    bare, _ = call(program)

    def judge(result, what, mode):
        del mode
        if (result.returncode, result.stdout) != (bare.returncode, bare.stdout):
            fail(what + " the program has changed:", result)
        elif os.path.exists("sweep.mm/experiment.json"):
            report, _ = call(["mastermind", "report", "sweep.mm"])
            if report.returncode not in (DONE, INPUT, SYSTEM):
                fail(what + " the report of what it left:", report)

    sweep("record", runs, command, judge, clean_runs, bare.returncode,
          skip="random_calls:libz.so:bin/mastermind:ld-linux:libc.so")


# --- Verbs -------------------------------------------------------------------------------------

def sweep_asked(runs, verb, experiment):
    """A verb answers as without a fault, or refuses."""
    command = ["mastermind", *verb, experiment]
    good, _ = call(command)
    if good.returncode not in (DONE, NO):
        fail("%s without a fault:" % verb, good)

    def judge(result, what, mode):
        if (result.returncode, result.stdout) == (good.returncode, good.stdout):
            return
        if result.returncode not in (INPUT, SYSTEM) or not result.stderr:
            fail(what + " neither right nor refused:", result)
        elif "memory" in what and result.returncode != SYSTEM:
            fail(what + " out of memory is status 5:", result)
        elif mode in ("short", "interrupted"):
            fail(what + " is no failure:", result)

    sweep(" ".join(verb), runs, command, judge)


def sweep_verbs(runs):
    with open("sweep.rc", "w", encoding="utf-8") as script:
        script.write(SCRIPT % 100)
    made, _ = call(["ccafe", "--path", os.environ["CLASSES"], "--measure", "--experiment", "good.mm", "sweep.rc"])
    if made.returncode:
        fail("cannot make an experiment:", made)
        return
    for verb in (["report"], ["report", "--json"], ["graph"], ["graph", "--contexts"], ["model"], ["predict"], ["choose"],
                 ["records", "--csv"], ["records", "--jsonl"], ["properties", "--why"]):
        sweep_asked(runs, verb, "good.mm")
    made, _ = call(["mastermind", "sweep", "-D", "n=1,2,3", "-D", "x=a,b", "--repeat", "2", "-o", "values", "--", "sh", "-c",
                    ": {n} {x}"])
    if made.returncode:
        fail("cannot make a sweep:", made)
        return
    for verb in (["choose", "--over", "x", "--set", "n=2"], ["choose", "--over", "x", "--set", "n=2", "--json"]):
        sweep_asked(runs, verb, "values")
    sweep_store(runs)


def store_rows():
    """All that good.sqlite says, None where there is no such file."""
    if not os.path.exists("good.sqlite"):
        return None
    with contextlib.closing(sqlite3.connect("file:good.sqlite?mode=ro", uri=True)) as store:
        return list(store.iterdump())


def sweep_store(runs):
    """A store is whole or not there."""
    command = ["mastermind", "export", "sqlite", "good.mm", "-o", "good.sqlite"]

    def clean():
        for name in os.listdir("."):
            if name.startswith("good.sqlite"):
                os.remove(name)

    clean()
    good, _ = call(command)
    if good.returncode:
        fail("export sqlite without a fault:", good)
        return
    wanted = store_rows()

    def judge(result, what, mode):
        found = store_rows()
        if result.returncode == DONE and "source_file" in "".join(set(wanted) ^ set(found)):
            found = wanted  # addr2line could not be started: places are left out, with the reason
        if result.returncode == DONE and found == wanted:
            return
        if result.returncode not in (INPUT, SYSTEM) or not result.stderr or found is not None:
            fail(what + " neither right nor refused:", result)
        elif "memory" in what and result.returncode != SYSTEM:
            fail(what + " out of memory is status 5:", result)
        elif [n for n in os.listdir(".") if n.startswith("good.sqlite")] and mode != "always":
            fail(what + " a part of a store is left:", result, os.listdir("."))

    sweep("export sqlite", runs, command, judge, clean)
    clean()


# --- Mesh profiles -----------------------------------------------------------------------------

def make_mesh_input():
    """A CSV file of cells and LBDatafiles of two ranks."""
    with open("cells.csv", "w", encoding="utf-8") as file:
        file.write("step,i,j,value\n")
        for cell in range(5 * 12):
            file.write("%d,%d,%d,%d\n" % (cell // 12, cell // 4 % 3, cell % 4, cell * 7 % 11))
    os.makedirs("lbaf", exist_ok=True)
    for rank in range(2):
        phases = [{"id": phase, "tasks": [{"entity": {"type": "object", "id": task, "home": rank, "index": [task]},
                                           "node": rank, "resource": "cpu", "time": 0.5 * task}
                                          for task in range(rank, 6, 2)]} for phase in range(3)]
        with open("lbaf/data.%d.json" % rank, "w", encoding="utf-8") as file:
            json.dump({"metadata": {"type": "LBDatafile", "rank": rank}, "phases": phases}, file)


def made_files(top):
    """What a command has made, less what has the time in it; None: nothing."""
    found = {}
    for folder, _, names in os.walk(top):
        for name in names:
            if name not in ("experiment.json", "rank.json"):
                with open(os.path.join(folder, name), "rb") as file:
                    found[os.path.relpath(os.path.join(folder, name), top)] = file.read()
    return found if os.path.exists(top) else None


def sweep_made(runs, words):
    """What a command makes is whole or not there."""
    command = ["mastermind", *words, "-o", "made"]

    def clean():
        for name in os.listdir("."):
            if name.startswith("made"):
                shutil.rmtree(name)

    clean()
    good, _ = call(command)
    wanted = made_files("made")
    if good.returncode or not wanted:
        fail("%s without a fault:" % " ".join(words), good)
        return

    def judge(result, what, mode):
        found = made_files("made")
        if result.returncode == DONE and found == wanted:
            return
        if result.returncode not in (INPUT, SYSTEM) or not result.stderr or (found is not None and found != wanted):
            fail(what + " neither right nor refused:", result)
        elif "memory" in what and result.returncode != SYSTEM:
            fail(what + " out of memory is status 5:", result)
        elif mode in ("short", "interrupted"):
            fail(what + " is no failure:", result)
        elif [n for n in os.listdir(".") if n.startswith("made.")] and mode != "always":
            fail(what + " a part is left:", result, os.listdir("."))

    sweep(" ".join(words), runs, command, judge, clean)
    clean()


def sweep_mesh(runs):
    make_mesh_input()
    for words in (["import", "cells", "cells.csv", "--shape", "3,4"], ["import", "lbaf", "lbaf"]):
        sweep_made(runs, words)
    for kind, words in (("cells", ["cells.csv", "--shape", "3,4"]), ("lbaf", ["lbaf"])):
        made, _ = call(["mastermind", "import", kind, *words, "-o", kind + ".mm"])
        if made.returncode:
            fail("cannot make an experiment:", made)
            return
    for words in (["export", "vtk", "cells.mm"], ["export", "lbaf", "cells.mm"], ["export", "lbaf", "lbaf.mm"]):
        sweep_made(runs, words)
    for options in ([], ["--json"], ["--csv"], ["--cell", "1,2"], ["--coarse", "2"],
                    ["--errors", "--eps", "0"]):  # where zfp has no memory another method serves
        sweep_asked(runs, ["mesh", *options], "cells.mm")


def main():
    subject, runs = sys.argv[1], int(sys.argv[2])
    if subject == "verbs":
        sweep_verbs(runs)
    elif subject == "mesh":
        sweep_mesh(runs)
    elif subject == "record":
        sweep_record(runs)
    else:
        sweep_runs(runs, subject)
    sys.exit(harness.failures > 0)


main()
