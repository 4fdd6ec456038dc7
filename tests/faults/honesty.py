# SPDX-License-Identifier: BSD-3-Clause
"""honesty.py: calls that take a known number of clock ticks have that time in their rows.

The component also says how long it has spun by its own reading of the same counter, so
interruptions do not count. What is left is what lies between the two pairs of readings: at
most 1 % or 100 ns in the median of each length, and never less than nothing.

FAULT_SPINS: calls of each of seven lengths, 0.1 us to 1 ms.
"""
import os
import statistics
import sys

from harness import about, ccafe, count, expect, fail, finish, rows

ASSEMBLY = """instantiate FaultSpinner driver
instantiate FaultSpinner spinner
connect driver next spinner flux
parameter driver config calls %d
go driver go
"""


def main():
    if os.environ.get("BUILD") in ("asan", "tsan"):
        print("a sanitizer's own work is in the times")
        sys.exit(77)
    with open("fault.rc", "w", encoding="utf-8") as file:
        file.write(ASSEMBLY % count("SPINS", 100, 1000))
    result = ccafe(True)
    if "no counter here" in result.stderr or about()["clock"]["name"] != "tsc":
        print("no time stamp counter that can be trusted")
        sys.exit(77)
    expect("status", 0, result.returncode)
    ns_per_tick = about()["clock"]["ns_per_tick"]
    errors = {}
    for row in rows():
        if row["instance"] != "spinner":
            continue
        error = int(row["wall_ns"]) - int(row["o.iterations"]) * ns_per_tick
        if error < -2:  # rounding
            fail("shorter than the call itself:", row)
        errors.setdefault(int(row["p.nx"]), []).append(error)
    expect("lengths", 7, len(errors))
    words = []
    for ticks, found in sorted(errors.items()):
        median = statistics.median(found)
        words.append("%.4g us %+.0f ns" % (ticks * ns_per_tick / 1000, median))
        if median > max(0.01 * ticks * ns_per_tick, 100):
            fail("%d ticks: the median is %.0f ns too long" % (ticks, median))
    finish("honest times: " + ", ".join(words))


main()
