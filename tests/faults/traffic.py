# SPDX-License-Identifier: BSD-3-Clause
"""traffic.py: deep recursion, re-entrancy, many threads, threads that come and go, forks, alarms,
and very many calls: nothing is lost, nothing grows.

FAULT_THREAD_CALLS (of each of 64 threads), FAULT_BIRTHS, FAULT_FORKS, FAULT_ALARMS,
FAULT_CALLS: how many.
"""
import os

from harness import about, count, expect, fail, finish, report, same_when_measured, script

SANITIZED = os.environ.get("BUILD") in ("asan", "tsan")


def run(what, wanted, chain=1, loop=True, storage="rows", **parameters):
    """The same bare and measured; `wanted` calls besides that of go are kept, and none lost."""
    script("FaultTraffic", chain, loop, **parameters)
    _, measured = same_when_measured(what, storage)
    expect(what, 0, measured.returncode)
    if measured.returncode:
        fail(measured.stderr)
        return
    totals = about()["totals"]
    alarm_calls = int(measured.stderr.split("alarm calls ")[1].split()[0])
    kept = totals["rows"] + totals["aggregated"] - totals["sampled"]
    expect(what + ": calls kept", wanted + alarm_calls + 1, kept + totals["nested"])
    if storage == "rows":
        expect(what + ": rows", kept, totals["rows"])
    expect(what + ": dropped", 0, totals["dropped"])
    if not alarm_calls:
        expect(what + ": nested", 0, totals["nested"])
    expect(what + ": calls found", kept, sum(m["calls"] for m in report(what)["methods"]))


def inclusive_once(what):
    """Recursion: no method has more inclusive time than all there was."""
    methods = {m["name"]: m for m in report(what)["methods"]}
    whole = methods["driver.go.go"]["inclusive_ns"]
    for name, method in methods.items():
        if method["inclusive_ns"] > whole * 1.001:
            fail("%s: %s has %s ns of %s" % (what, name, method["inclusive_ns"], whole))


def main():
    deep = 20000 if SANITIZED else 100000
    run("deep recursion", deep, calls=1, depth=deep, threads=1, stack_mb=128 if not SANITIZED else 512)
    for chain in (1, 2, 3):  # A calls itself; A, B, A; A, B, C, A
        run("re-entrancy of %d" % chain, 100 * 200, chain, calls=100, depth=200)
        inclusive_once("re-entrancy of %d" % chain)
    calls = count("THREAD_CALLS", 500, 1000000)
    run("64 threads", 64 * calls, threads=64, calls=calls)
    births = count("BIRTHS", 400, 100000)
    run("threads born and dying", births * 3, 3, False, threads=8, rounds=births // 8, calls=1, depth=3,
        grow_kb=1 << 30 if SANITIZED else 4096)
    expect("threads born and dying", births + 1, about()["totals"]["threads"])
    if os.environ.get("BUILD") != "tsan":  # a child inherits what it knows of threads that are not there
        run("forks", 4 * 2000, threads=4, calls=2000, forks=count("FORKS", 20, 1000))
        expect("forks: threads", 5, about()["totals"]["threads"])
    run("alarms", 0, calls=0, alarms=count("ALARMS", 2000, 1000000))
    calls = count("CALLS", 1000000, 100000000)
    for storage in ("rows", "auto", "aggregates", "sample:100", "reservoir:1000"):
        run("many calls as " + storage, calls, storage=storage, calls=calls // 20, rounds=20,
            grow_kb=1 << 30 if SANITIZED else 4096, most_kb=1 << 30 if SANITIZED else 64 << 10)
    finish("recursion, threads, forks, alarms and %d calls" % calls)


main()
