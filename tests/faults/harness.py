# SPDX-License-Identifier: BSD-3-Clause
"""harness.py: run an assembly of fault components bare and measured, and read what it left.

CLASSES is a directory with the components; the working directory is empty and ours.
"""
import csv
import json
import os
import shutil
import subprocess
import sys
import time

SOAK = bool(os.environ.get("SOAK"))
START = time.monotonic()
failures = 0
said = -10.0


def fail(*words):
    global failures  # pylint: disable=global-statement
    failures += 1
    if failures <= 20:
        print("FAILED:", *(str(word)[:2000] for word in words))


def expect(what, wanted, found):
    if wanted != found:
        fail("%s: expected %r, found %r" % (what, wanted, found))


def finish(words):
    if not failures:
        print(words)
    sys.exit(failures > 0)


def count(name, short, soak):
    """How often: FAULT_<name> from the environment, else by SOAK."""
    return int(os.environ.get("FAULT_" + name, soak if SOAK else short))


def progress(what, done=None, number=None):
    """In a soak run, say now and then how far it is."""
    global said  # pylint: disable=global-statement
    now = time.monotonic() - START
    if SOAK and now >= said + (2 if done is None else 10):
        said = now
        how_far = "" if done is None else ": %d of %d, %d failures" % (done, number, failures)
        print("%6.0f s  %s%s" % (now, what, how_far), flush=True)


def script(driver, chain=1, loop=False, lines=(), **parameters):
    """An assembly: a driver before a chain of `chain` instances w1, w2, ...; `loop`: the last is
    connected to the first."""
    text = ["instantiate %s driver" % driver]
    text += ["instantiate FaultChain w%d" % i for i in range(1, chain + 1)]
    text += ["connect driver flux w1 flux"]
    text += ["connect w%d next w%d flux" % (i, i + 1) for i in range(1, chain)]
    if loop:
        text += ["connect w%d next w1 flux" % chain]
    text += ["parameter driver config %s %s" % item for item in parameters.items()]
    with open("fault.rc", "w", encoding="utf-8") as file:
        file.write("\n".join([*text, *lines, "go driver go"]) + "\n")


def ccafe(measured, *options, storage="rows", fresh=False, **environment):
    """Run fault.rc; what is measured goes to fault.mm, a row for every call unless told otherwise.
    Output goes to files, as in a batch job: what the C library has buffered is lost by those who
    die. `fresh`: there is no fault.mm before."""
    if measured or fresh:
        shutil.rmtree("fault.mm", ignore_errors=True)
    if measured:
        options = ("--measure", "--experiment", "fault.mm", "--storage", storage, *options)
    env = dict(os.environ, **environment)
    with open("out", "w+", encoding="utf-8") as out, open("err", "w+", encoding="utf-8") as err:
        result = subprocess.run(["ccafe", "--path", os.environ["CLASSES"], *options, "fault.rc"],
                                env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                timeout=count("TIMEOUT", 300, 7200), check=False)
        out.seek(0)
        err.seek(0)
        result.stdout, result.stderr = out.read(), err.read()
    return result


def same_when_measured(what, storage="rows", **environment):
    """Run bare, then measured: output, status and signal must be the same. Returns both."""
    progress(what)
    bare = ccafe(False, **environment)
    measured = ccafe(True, storage=storage, **environment)
    expect(what + ": status", bare.returncode, measured.returncode)
    expect(what + ": output", bare.stdout, measured.stdout)
    return bare, measured


def mastermind(*arguments):
    return subprocess.run(["mastermind", *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, encoding="utf-8", errors="surrogateescape", check=False)


def rows(what="records"):
    """Every row of fault.mm as a dictionary of texts."""
    result = mastermind("records", "fault.mm", "--csv")
    words = [line for line in result.stderr.splitlines() if not line.startswith("mastermind: note: ")]
    expect(what + ": status of records", (0, []), (result.returncode, words))
    return list(csv.DictReader(result.stdout.splitlines()))


def statuses(found):
    """{"done": 12, "longjmp": 3} of rows, those of the driver left out."""
    of = {}
    for row in found:
        if row["instance"] != "driver":
            of[row["status"]] = of.get(row["status"], 0) + 1
    return of


def about():
    with open("fault.mm/experiment.json", encoding="utf-8") as file:
        return json.load(file)


def report(what):
    result = mastermind("report", "fault.mm", "--json")
    expect(what + ": status of report", 0, result.returncode)
    return json.loads(result.stdout) if result.returncode == 0 else {"methods": []}


def exclusive_sums_to_inclusive(what, found):
    """Of rows: times of all calls add up to those of calls that nobody measured called, within a
    nanosecond for each row (they are rounded), and none is negative."""
    exclusive = sum(int(r["exclusive_ns"]) for r in found)
    inclusive = sum(int(r["wall_ns"]) for r in found if r["caller"] in ("", "0"))
    if abs(exclusive - inclusive) > len(found):
        fail("%s: exclusive %d ns, inclusive %d ns of %d rows" % (what, exclusive, inclusive, len(found)))
    if any(int(r["wall_ns"]) < 0 or int(r["exclusive_ns"]) < -1 for r in found):
        fail(what + ": a negative time")
