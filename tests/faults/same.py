# SPDX-License-Identifier: BSD-3-Clause
"""same.py: assemblies drawn by lot, of walkers (fa_walker.c) that jump, fork, start threads, take
signals and look at errno: output, words, status and signal are the same bare and measured,
in whatever way, and every call that was made is kept or counted.

FAULT_ASSEMBLIES: how many. FAULT_SEED: of the first.
"""
import os
import random
import re

from harness import about, ccafe, count, expect, fail, finish, mastermind, progress, report

STORAGE = ["rows", "auto", "auto:7", "sample:3", "reservoir:5", "aggregates"]
SANITIZED = os.environ.get("BUILD") in ("asan", "tsan")
ENDS = ["return"] * 6 + ["fail", "exit", "_exit", "quick_exit", "abort", "kill", "term"]


def assembly(draw, seed):
    """Lines of a script, and whether each walker's port is measured with --measure."""
    names = ["driver"] + ["w%d" % i for i in range(1, draw.randint(2, 6))]
    lines = ["instantiate FaultWalker %s" % name for name in names]
    for name in names:
        for port in "ab":
            if draw.random() < 0.85:
                lines.append("connect %s %s %s flux" % (name, port, draw.choice(names)))
    lines += ["parameter driver config seed %d" % seed,
              "parameter driver config calls %d" % draw.choice([3, 60, 400]),
              "parameter driver config end %s" % draw.choice(ENDS)]
    return names, lines


def measuring(draw, names):
    """Options, lines before the first go, an environment; True where all ports are measured."""
    inserted = []
    everything = draw.random() < 0.7
    if not everything:
        inserted = ["insert %s flux" % name for name in names if draw.random() < 0.6]
        inserted = inserted or ["insert driver go"]
        if draw.random() < 0.3:
            inserted.append("eject %s %s" % tuple(inserted[-1].split()[1:]))
    if draw.random() < 0.2:
        inserted[:0] = ["instantiate TauMeasurement tau", "instantiate Mastermind mm",
                        "connect mm measurement tau measurement"]
    options = []
    if draw.random() < 0.15:
        options += ["--metrics", "PROCESS_CPU_TIME,NO_SUCH"]
    if draw.random() < 0.15:
        options += ["--size-limit", draw.choice(["1M", "3M"])]
    environment = {"MM_PACKING": draw.choice(["auto", "caller", "helper"]),
                   "MM_CLOCK": draw.choice(["", "", "monotonic"])}
    return everything, inserted, options, environment


def words_of_program(text):
    """Lines on stderr that are not of measuring, without what differs from run to run, and without
    the call in which a crash was, which a measured run knows more exactly."""
    lines = [re.sub(r"^fault.rc:\d+|^==\d+==", "N", line) for line in text.splitlines()
             if not line.startswith("experiment ") and "not measured" not in line]
    return [re.sub(r"^N: in .* \(class ", "N: in (class ", line) for line in lines]


def write(lines):
    with open("fault.rc", "w", encoding="utf-8") as file:
        file.write("\n".join([*lines, "go driver go"]) + "\n")


def try_one(seed):
    draw = random.Random(seed)
    names, lines = assembly(draw, seed)
    everything, inserted, options, environment = measuring(draw, names)
    what = "assembly %d" % seed
    write(lines)
    bare = ccafe(False)
    again = ccafe(False)
    expect(what + ": the same twice", (bare.returncode, bare.stdout), (again.returncode, again.stdout))
    write(lines + inserted)
    storage = draw.choice(STORAGE)
    if not everything:
        options += ["--experiment", "fault.mm", "--storage", storage]
    measured = ccafe(everything, *options, fresh=True, storage=storage, **environment)
    expect(what + ": status", bare.returncode, measured.returncode)
    expect(what + ": output", bare.stdout, measured.stdout)
    expect(what + ": words", words_of_program(bare.stderr), words_of_program(measured.stderr))
    made = re.search(r"made (\d+)", bare.stdout)
    if everything and made:
        counted = sum(m["calls"] for m in report(what)["methods"])
        totals = about().get("totals")
        lost = totals["dropped"] + totals["nested"] if totals else 0
        expect(what + ": calls", int(made.group(1)) + 1, counted + lost)
    elif os.path.exists("fault.mm"):
        expect(what + ": report", 0, mastermind("report", "fault.mm").returncode)
    return bare.returncode


def main():
    # A sanitizer says of threads, leaks and signals what a measured program need not be asked.
    mine = ":".join("handle_%s=0" % s for s in ("segv", "sigbus", "sigfpe", "sigill", "abort"))
    os.environ["ASAN_OPTIONS"] = mine + ":detect_leaks=0:detect_stack_use_after_return=0"
    os.environ["TSAN_OPTIONS"] = mine
    number, first = count("ASSEMBLIES", 10 if SANITIZED else 30, 5000), count("SEED", 1, 1)
    ends = {}
    for seed in range(first, first + number):
        code = try_one(seed)
        ends[code] = ends.get(code, 0) + 1
        progress("assemblies", seed + 1 - first, number)
    if number >= 30 and len(ends) < 4:
        fail("all end alike:", ends)
    finish("%d assemblies are the same bare and measured" % number)


main()
