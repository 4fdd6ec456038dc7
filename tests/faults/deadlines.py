# SPDX-License-Identifier: BSD-3-Clause
"""deadlines.py: a go that never returns, spinning or blocked, is named with the path of its open
calls soon after its deadline, ends with status 4 and leaves all finished calls."""
import json
import re
import time

from harness import about, ccafe, expect, fail, finish, mastermind, rows, script, statuses

CALLS = 50
DEADLINE = 0.3


def stuck(act, where, depth):
    what = "%s in %s, %d deep" % (act, where, depth)
    script("FaultDriver", 3, True, count=CALLS, depth=max(depth, 1), act=act, where=where)
    start = time.monotonic()
    for measured in (False, True):
        result = ccafe(measured, "--deadline", str(DEADLINE))
        expect(what, 4, result.returncode)
        lines = result.stderr.splitlines()
        expect(what + ": the go", "fault.rc:13: 'go' of 'driver' has not returned within its deadline of 0.3 s",
               lines[0] if lines else "")
        paths = [re.findall(r"(\w+)\.\w+\.\w+ \((\d+\.\d+) s\)", line) for line in lines[1:]]
        names = sorted([name for name, _ in path] for path in paths)
        calls = ["w%d" % (1 + i % 3) for i in range(depth)]
        wanted = [["driver"], calls] if where == "thread" else [["driver"] + calls]
        expect(what + ": open calls", sorted(wanted) if measured else [], names)
        if any(float(open_for) > time.monotonic() - start for path in paths for _, open_for in path):
            fail("%s: open for longer than the run: %s" % (what, lines))
    said = sorted(float(open_for) for path in paths for _, open_for in path)
    kept = sorted(f["elapsed_ns"] * 1e-9 for f in json.loads(mastermind("report", "fault.mm", "--json").stdout)["open"])
    if len(kept) != len(said) or any(k < s - 0.01 for k, s in zip(kept, said)):
        fail("%s: open for %s, found %s in the report" % (what, said, kept))
    found = rows(what)
    expect(what + ": finished calls", CALLS * max(depth, 1), statuses(found).get("done", 0))
    expect(what + ": open rows", depth + 1, sum(r["status"] == "open" for r in found))
    expect(what + ": finished", False, about()["finished"])
    expect(what + ": report", 0, mastermind("report", "fault.mm").returncode)


def told(act, code, finished, output):
    """A program that handles SIGTERM has two seconds to save what it has."""
    what = "SIGTERM and %s" % act
    script("FaultDriver", 2, True, count=CALLS, depth=3, act=act, where="chain")
    for measured in (False, True):
        start = time.monotonic()
        result = ccafe(measured, "--deadline", str(DEADLINE))
        took = time.monotonic() - start
        expect(what, code, result.returncode)
        if output not in result.stdout or ("came back" in result.stdout) != finished:
            fail(what + ": output:", result.stdout)
        if "has not returned within its deadline" not in result.stderr:
            fail(what + ": no word of it:", result.stderr)
        if took < DEADLINE + (2 if act == "ignore" else 0):
            fail("%s: it had %.2f s only" % (what, took))
    found = rows(what)
    expect(what + ": finished calls", 3 * (CALLS + finished), statuses(found).get("done", 0))
    expect(what + ": open calls", 0 if finished else 3, statuses(found).get("open", 0))
    expect(what + ": finished", finished, about()["finished"])


def in_time():
    """Each go has its own deadline, and nothing is said of those that keep it."""
    script("FaultDriver", 1, count=10, lines=["go driver go"] * 3)
    result = ccafe(True, "--deadline", "60")
    expect("in time", 0, result.returncode)
    if "deadline" in result.stderr:
        fail("in time:", result.stderr)


def deep():
    """Of a deep path the two ends are shown."""
    script("FaultDriver", 1, True, count=0, depth=1000, act="block", where="chain")
    result = ccafe(True, "--deadline", str(DEADLINE))
    expect("a deep path", 4, result.returncode)
    line = result.stderr.splitlines()[-1]
    if len(line) > 4096 or not re.search(r"driver\.go\.go .* more \.\.\. > w1", line):
        fail("a deep path:", line)


def main():
    for act in ("spin", "block"):
        for where, depth in (("go", 0), ("chain", 5), ("thread", 4)):
            stuck(act, where, depth)
    told("heed", 4, True, "came back\n")
    told("save", 0, False, "saved\n")
    told("ignore", 4, False, "")
    deep()
    in_time()
    for bad in ("0", "-1", "soon", "", "nan", "1e99"):
        expect("--deadline '%s'" % bad, 2, ccafe(False, "--deadline", bad).returncode)
    finish("runs that do not end are named")


main()
