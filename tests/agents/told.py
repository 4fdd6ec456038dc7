# SPDX-License-Identifier: BSD-3-Clause
"""told.py EXPERIMENT STEPS [LEAST]: the profile of tests/agents/told.c has the right values.

Every step is whole, lacks a rank that is counted as lost, or is counted as lost; at least LEAST steps
(default all) are whole. Prints how many are whole."""
import json, subprocess, sys

experiment, steps = sys.argv[1], int(sys.argv[2])
least = int(sys.argv[3]) if len(sys.argv) > 3 else steps
run = subprocess.run(["mastermind", "mesh", experiment, "--step", "0:", "--probe", "work", "--csv"],
                     capture_output=True, text=True)
assert run.returncode == 0, run.stderr
whole, lacking = {}, set()
for line in run.stdout.splitlines()[1:]:
    step, i, j, rank, value = line.split(",")
    if value == "":
        lacking.add(int(step))
        continue
    cell = int(i) * 50 + int(j)
    assert float(value) == (cell * 7 + int(step) * 13) % 101, line
    whole[int(step)] = whole.get(int(step), 0) + 1
good = {s for s, cells in whole.items() if cells == 1200}
assert all(s in good or s in lacking for s in whole), "a step that is not whole and lacks nothing"
assert len(good) >= least, "%d whole steps of %d, expected %d" % (len(good), steps, least)
print(len(good))
