# SPDX-License-Identifier: BSD-3-Clause
"""unwinding.py: calls that are left by longjmp, by C++ exceptions and by cancelling their thread,
through 1 to 8 generated proxies: every frame is closed as what it was, exclusive times add up to
inclusive ones, and nothing grows.

FAULT_LONGJMPS, FAULT_THROWS, FAULT_CANCELS: how many.
"""
import csv
import os
import subprocess

from harness import about, count, expect, fail, finish, same_when_measured, script

SANITIZED = os.environ.get("BUILD") in ("asan", "tsan")


def census(what):
    """Count rows and add times while they come: there may be millions."""
    found = {"status": {}, "rows": 0, "exclusive": 0, "inclusive": 0}
    with subprocess.Popen(["mastermind", "records", "fault.mm", "--csv"], stdout=subprocess.PIPE,
                          encoding="utf-8") as records:
        for row in csv.DictReader(records.stdout):
            found["rows"] += 1
            if row["instance"] != "driver":
                found["status"][row["status"]] = found["status"].get(row["status"], 0) + 1
            found["exclusive"] += int(row["exclusive_ns"])
            if row["caller"] in ("", "0"):
                found["inclusive"] += int(row["wall_ns"])
            if int(row["wall_ns"]) < 0 or int(row["exclusive_ns"]) < -1:
                fail(what + ": a negative time:", row)
    expect(what + ": status of records", 0, records.returncode)
    return found


def leave(driver, how, times, **parameters):
    what = "%s %d times" % (how, times)
    grow = 1 << 30 if SANITIZED else 4096  # the windows of a thread get their pages at first use
    script(driver, 8, count=times, depth=8, grow_kb=grow, **parameters)
    _, measured = same_when_measured(what)
    expect(what, 0, measured.returncode)
    if measured.returncode:
        fail(measured.stderr)
        return
    frames = int(measured.stdout.split()[1].rstrip(","))
    found = census(what)
    expect(what + ": rows", {"longjmp" if how == "longjmp" else "unwound": frames}, found["status"])
    expect(what + ": all rows", (frames + 1, 0), (about()["totals"]["rows"], about()["totals"]["dropped"]))
    difference = abs(found["exclusive"] - found["inclusive"])
    if difference > max(found["rows"], found["inclusive"] / 1000):
        fail("%s: exclusive and inclusive times differ by %d ns" % (what, difference))


def main():
    leave("FaultJumper", "longjmp", count("LONGJMPS", 10000, 1000000))
    leave("FaultThrower", "throw", count("THROWS", 5000, 1000000), by="throw")
    if os.environ.get("BUILD") != "asan":  # it takes frames that a cancellation leaves for in use
        leave("FaultThrower", "cancel", count("CANCELS", 200, 10000), by="cancel")
    finish("left by longjmp, exception and cancellation")


main()
