# SPDX-License-Identifier: BSD-3-Clause
"""live.py: the directory of a run that is still going, with threads at work, being born and dying,
is read over and over: what is read is a state that the run has had, or it is refused with the
file and where in it; calls are never fewer than before.

FAULT_READS: readings for each storage mode, of as many runs as these take.
"""
import contextlib
import csv
import json
import os
import re
import shutil
import subprocess
import time

from harness import about, count, expect, fail, finish, mastermind, progress, script

LARGE = 200000  # calls of a run, after which another is begun
MODES = ("rows", "auto:2000", "sample:7", "reservoir:50", "aggregates")


def look_at_rows(what, text, seen):
    """Each is whole: the component gives nx = 1, and ny falls from 3 to 1 along a chain."""
    found = list(csv.DictReader(text.splitlines()))
    for row in found:
        if row["instance"].startswith("w") and (
                (row["p.nx"], row["p.axis"]) != ("1", "0") or row["p.ny"] not in "123"
                or row["p.Q"] != row["p.ny"] or row["status"] not in ("done", "open")
                or (row["status"] == "open") != (row["wall_ns"] == "")
                or row["wall_ns"].startswith("-")):
            fail(what + ": a row that never was:", row)
            break
    keys = {(r["thread"], r["invocation"]) for r in found}
    expect(what + ": rows of the same invocation", len(found), len(keys))
    if not seen <= keys:
        fail(what + ": %d rows have gone again" % len(seen - keys))
    return {(r["thread"], r["invocation"]) for r in found if r["status"] == "done"}


def read_one_run(what, storage, first, reads):
    """Readings from number `first` on, until there are `reads` or the run has become a large one.
    How many there are then, and how many verbs refused."""
    script("FaultTraffic", 3, False, threads=6, rounds=1000000, calls=300, depth=3)
    shutil.rmtree("fault.mm", ignore_errors=True)
    refusals, calls, done, seen = 0, 0, first, set()
    with subprocess.Popen(["ccafe", "--path", os.environ["CLASSES"], "--measure", "--experiment", "fault.mm",
                           "--storage", storage, "fault.rc"], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as run, contextlib.ExitStack() as leaving:
        leaving.callback(run.kill)  # it does not end by itself
        start = time.monotonic()
        while not os.path.exists("fault.mm/rank-0000/thread-000.ring") and time.monotonic() < start + 60:
            time.sleep(0.01)
        while done < reads and calls < LARGE and run.poll() is None:
            done += 1
            progress(what, done, reads)
            report = mastermind("report", "fault.mm", "--json")
            if report.returncode == 0:
                now = sum(m["calls"] for m in json.loads(report.stdout)["methods"])
                if now < calls:
                    fail("%s: %d calls, and %d before" % (what, now, calls))
                calls = now
            for verb in (["report", "--json"], ["records", "--csv"], ["graph"], ["graph", "--contexts"], ["model"]):
                if verb[0] == "records" and calls > LARGE:
                    continue  # enough has been looked at one by one
                result = report if verb[0] == "report" else mastermind(*verb, "fault.mm")
                if result.returncode == 3:
                    refusals += 1
                    if not re.search(r"fault\.mm/\S+", result.stderr):
                        fail("%s: %s: refused without a file:" % (what, verb[0]), result.stderr)
                elif result.returncode:
                    fail("%s: %s: status %d:" % (what, verb[0], result.returncode), result.stderr)
                elif verb[0] == "records":
                    kept = look_at_rows(what, result.stdout, seen if storage == "rows" else set())
                    seen = kept if storage == "rows" else set()
        if run.poll() is not None:
            fail("%s: the run ended by itself: status %d" % (what, run.returncode))
            done = reads
    expect(what + ": finished", False, about()["finished"])
    result = mastermind("report", "fault.mm", "--json")
    expect(what + ": report of what is left", 0, result.returncode)
    if result.returncode == 0 and sum(m["calls"] for m in json.loads(result.stdout)["methods"]) < calls:
        fail(what + ": less is left than there was")
    return done, refusals


def read_while_it_runs(storage, reads):
    what = "reading %s" % storage
    done, refusals = 0, 0
    while done < reads:
        done, more = read_one_run(what, storage, done, reads)
        refusals += more
    if refusals > done:
        fail("%s: %d of %d were refused" % (what, refusals, 4 * done))
    return refusals


def main():
    reads = count("READS", 2, 200)
    refusals = [read_while_it_runs(storage, reads) for storage in MODES]
    finish("%d readings of runs under way, refused: %s" % (4 * reads * len(MODES), refusals))


main()
