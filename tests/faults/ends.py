# SPDX-License-Identifier: BSD-3-Clause
"""ends.py: a component that dies or leaves, wherever: the same end with and without measuring,
and every finished call is kept.

FAULT_ENDS: how often each is tried.
"""
import os
import re

from harness import about, ccafe, count, expect, fail, finish, mastermind, progress, rows, same_when_measured, \
    script, statuses

ENDS = {"segv": -11, "fpe": -8, "bus": -7, "ill": -4, "abort": -6, "exit": 9, "_exit": 10, "quick_exit": 11}
CALLS = 20


def path_of(depth):
    """Names of the instances that are open when the act is done at this depth."""
    return ["w%d" % (1 + i % 3) for i in range(depth)]


def end_in_a_call(act, where, depth):
    what = "%s in %s, %d deep" % (act, where, depth)
    script("FaultDriver", 3, True, count=CALLS, depth=max(depth, 1), act=act, where=where)
    _, measured = same_when_measured(what)
    expect(what, ENDS[act], measured.returncode)
    found = rows(what)
    expect(what + ": finished calls", CALLS * max(depth, 1), statuses(found).get("done", 0))
    expect(what + ": open calls", depth, statuses(found).get("open", 0))
    expect(what + ": go is open", ["open"], [r["status"] for r in found if r["instance"] == "driver"])
    expect(what + ": finished", False, about()["finished"])
    text = mastermind("report", "fault.mm")
    expect(what + ": status of report", 0, text.returncode)
    last = text.stdout.strip().splitlines()[-1]
    names = re.findall(r"(\w+)\.\w+\.\w+ \(", last)
    expect(what + ": the path", ([] if where == "thread" else ["driver"]) + path_of(depth), names)
    if measured.returncode < 0 and "killed in 'go'" not in measured.stderr:
        fail(what + ": no word of it:", measured.stderr)


def end_in_building(act, where):
    what = "%s in %s" % (act, where)
    script("FaultDriver")
    _, measured = same_when_measured(what, FAULT_IN=where, FAULT_ACT=act)
    expect(what, ENDS[act], measured.returncode)
    if measured.returncode < 0 and "killed in 'instantiate'" not in measured.stderr:
        fail(what + ": no word of it:", measured.stderr)


def overflow(where):
    what = "a stack that runs over in " + where
    script("FaultDriver", 2, True, count=3, depth=100000000, where=where, act="none")
    for measured in (False, True):
        expect(what, -11, ccafe(measured).returncode)
    script("FaultDriver", 2, True, count=0, depth=100000000, where=where, act="none")
    expect(what, -11, ccafe(True).returncode)
    found = rows(what)
    if statuses(found).get("open", 0) < 1000:
        fail("%s: %s" % (what, statuses(found)))
    expect(what + ": report", 0, mastermind("report", "fault.mm").returncode)


def main():
    # Signals are the program's; who dies in a call leaves memory behind.
    mine = ":".join("handle_%s=0" % s for s in ("segv", "sigbus", "sigfpe", "sigill", "abort"))
    os.environ["ASAN_OPTIONS"] = mine + ":detect_leaks=0"
    os.environ["TSAN_OPTIONS"] = mine
    tried = 0
    times = count("ENDS", 1, 50)
    for done in range(times):
        progress("rounds of ends", done, times)
        for act in ENDS:
            for where, depth in (("go", 0), ("chain", 1), ("chain", 5), ("thread", 1), ("thread", 5)):
                end_in_a_call(act, where, depth)
                tried += 1
            for where in ("create", "set_services"):
                end_in_building(act, where)
                tried += 1
        overflow("chain")
    finish("%d ends, the same with and without measuring" % tried)


main()
