# SPDX-License-Identifier: BSD-3-Clause
"""vandals.py: components that change what belongs to the whole process, directories that are
full, read-only or gone, and a clock that jumps: the program goes on as unmeasured, and what was
kept is right.

Needs root for a full disk (a small tmpfs); what cannot be done here is said.

FAULT_STEPS: of a clock that jumps.
"""
import csv
import os
import re
import shutil
import subprocess

from harness import about, ccafe, count, expect, exclusive_sums_to_inclusive, fail, finish, mastermind, \
    report, rows, same_when_measured, script, statuses, SOAK

CALLS = 20000
VANDAL_CALLS = CALLS if SOAK else 9000  # fill windows
skipped = []


def all_is_kept(what, measured, bare):
    expect(what + ": status", bare.returncode, measured.returncode)
    expect(what + ": output", bare.stdout, measured.stdout)
    totals = about()["totals"]
    expect(what + ": rows", (2 * VANDAL_CALLS + 1, 0), (totals["rows"], totals["dropped"]))
    expect(what + ": rows found", {"done": 2 * VANDAL_CALLS}, statuses(rows(what)))


def vandals():
    where = os.getcwd()
    for what in ("rounding", "close", "close-all", "dup2", "chdir", "umask", "ignore-signals",
                 "block-signals"):
        script("FaultVandal", what=what, calls=VANDAL_CALLS)
        bare = ccafe(False)
        expect(what + " bare", 0, bare.returncode)
        measured = ccafe(True)
        all_is_kept(what, measured, bare)
        expect(what + ": finished", True, about()["finished"])
        if what == "dup2":
            expect("written into a foreign file", 0, os.path.getsize("vandal.file"))
        if what != "close-all" and not measured.stderr.startswith("experiment fault.mm: 2 methods"):
            fail("%s: stderr: %s" % (what, measured.stderr))
        if what == "chdir" and os.path.exists("/fault.mm"):
            fail("an experiment in /")
        expect(what + ": still here", where, os.getcwd())


def not_as_root(command):
    """The command as another user, if we are root; None: nobody else can run it here."""
    if os.getuid() != 0:
        return command
    other = ["setpriv", "--reuid", "65534", "--clear-groups"]
    for test in (["test", "-r", "fault.rc"], ["test", "-r", os.environ["CLASSES"]], ["ccafe", "-V"]):
        if not shutil.which("setpriv") or \
                subprocess.run([*other, *test], capture_output=True, check=False).returncode:
            return None
    return [*other, *command]


def hidden_files(storage):
    """Threads and files that begin under a umask that takes all rights away, for a user who is
    not root."""
    script("FaultVandal", what="umask", calls=5 * CALLS)
    command = ["ccafe", "--path", os.environ["CLASSES"], "--measure", "--experiment", "open/x.mm",
               "--storage", storage, "fault.rc"]
    os.makedirs("open", exist_ok=True)
    os.chmod("open", 0o777)
    command = not_as_root(command)
    if not command:
        skipped.append("a umask for other users than root")
        return
    result = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    expect("umask: status", 0, result.returncode)
    for folder, _, files in os.walk("open/x.mm"):
        for name in files:
            mode = os.stat(os.path.join(folder, name)).st_mode
            if mode & 0o600 != 0o600:
                fail("umask: %s is of mode %o" % (name, mode))
    shutil.rmtree("fault.mm")
    shutil.copytree("open/x.mm", "fault.mm")
    expect("umask: calls", 10 * CALLS + 1, sum(m["calls"] for m in report("umask")["methods"]))
    shutil.rmtree("open/x.mm")


def limits():
    """Where nothing more can be kept the program goes on, and it is said and counted."""
    for what in ("descriptors", "file-size"):
        script("FaultVandal", what=what, calls=10 * CALLS)
        # The leak sanitizer needs a descriptor itself.
        _, measured = same_when_measured(what, ASAN_OPTIONS="detect_leaks=0")
        expect(what, 0, measured.returncode)
        said = measured.stderr.count("\n")
        if said > 2 or (said == 2) != bool(re.search("^experiment fault.mm: some ", measured.stderr)):
            fail("%s: stderr: %s" % (what, measured.stderr))
        totals = about().get("totals")
        if totals:
            expect(what + ": rows", 20 * CALLS + 1, totals["rows"] + totals["dropped"])
            expect(what + ": rows found", totals["rows"], len(rows(what)))
        if said == 1 and (not totals or totals["dropped"]):
            fail("%s: no word of %s" % (what, totals))
        result = mastermind("report", "fault.mm")
        if result.returncode != 0:
            fail("%s: %s" % (what, result.stderr))


def comma_locale():
    """A locale that writes 0,5: files and words stay as they are."""
    made = subprocess.run(["localedef", "-i", "de_DE", "-f", "ISO-8859-1", os.path.abspath("de_DE.ISO-8859-1")],
                          capture_output=True, check=False) if shutil.which("localedef") else None
    if made is None or not os.path.exists("de_DE.ISO-8859-1/LC_NUMERIC"):
        skipped.append("a locale with a decimal comma (no localedef, or no sources of locales)")
        return
    script("FaultVandal", what="locale", calls=VANDAL_CALLS)
    there = {"LOCPATH": os.getcwd(), "LC_ALL": "de_DE.ISO-8859-1"}
    bare, measured = ccafe(False, **there), ccafe(True, **there)
    if not re.search(r", \d+,\d", bare.stdout):
        fail("the locale has no comma:", bare.stdout)
    all_is_kept("locale", measured, bare)
    if re.search(r"\d,\d+ %", measured.stderr):
        fail("locale: stderr:", measured.stderr)


def mounted(size):
    if os.getuid() != 0:
        return False
    os.makedirs("small", exist_ok=True)
    return subprocess.run(["mount", "-t", "tmpfs", "-o", "size=%s" % size, "tmpfs", "small"],
                          capture_output=True, check=False).returncode == 0


def full_disk():
    """A disk that is full at once, at the first window and later: rows kept and rows dropped are
    all that there were, the output is the same, one warning is said."""
    script("FaultDriver", 1, count=200000)
    bare = ccafe(False)
    for size in ("4k", "64k", "400k", "600k", "2m"):
        if not mounted(size):
            skipped.append("full disks (no root, or no mount)")
            return
        try:
            shutil.rmtree("fault.mm", ignore_errors=True)
            result = subprocess.run(["ccafe", "--path", os.environ["CLASSES"], "--measure", "--experiment",
                                     "small/x.mm", "fault.rc"], capture_output=True, encoding="utf-8",
                                    check=False)
            what = "a disk of %s" % size
            if result.returncode == 5:  # refused before anything ran
                expect(what + ": output", "", result.stdout)
                if "No space left" not in result.stderr:
                    fail(what, result.stderr)
                continue
            expect(what, (0, bare.stdout), (result.returncode, result.stdout))
            if "No space left" not in result.stderr:
                fail(what + ": no word of it:", result.stderr)
            shutil.copytree("small/x.mm", "fault.mm")
            totals = about().get("totals")
            if totals:
                expect(what + ": rows", 200001, totals["rows"] + totals["dropped"])
                expect(what + ": found", totals["rows"], len(rows(what)))
            expect(what + ": report", 0, mastermind("report", "fault.mm").returncode)
        finally:
            subprocess.run(["umount", "small"], check=False)


def no_room():
    """A directory that cannot be written is refused before anything runs."""
    os.makedirs("closed", exist_ok=True)
    os.chmod("closed", 0o555)
    script("FaultDriver")
    command = ["ccafe", "--path", os.environ["CLASSES"], "--measure", "--experiment", "closed/x.mm", "fault.rc"]
    command = not_as_root(command)
    if not command:
        skipped.append("a directory that is read-only, for other users than root")
        return
    result = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    expect("read-only: status and output", (5, ""), (result.returncode, result.stdout))
    if "closed/x.mm" not in result.stderr or "Permission denied" not in result.stderr:
        fail("read-only:", result.stderr)


def gone():
    """The directory goes away in mid-run."""
    script("FaultVandal", what="chdir", calls=CALLS)
    bare = ccafe(False)
    script("FaultVandal", what="remove", calls=CALLS)
    measured = ccafe(True, FAULT_REMOVE="fault.mm")
    expect("gone", (5, bare.stdout), (measured.returncode, measured.stdout))
    if "fault.mm" not in measured.stderr or "removed while" not in measured.stderr:
        fail("gone:", measured.stderr)


def clocks():
    """CLOCK_MONOTONIC instead of the TSC, steady and jumping a second to and fro."""
    steps = count("STEPS", 4000, 100000)  # two for five calls
    script("FaultDriver", 3, True, count=steps // 2, depth=5)
    for what, environment in (("monotonic", {}), ("jumping", {
            "LD_PRELOAD": os.environ["LIBFAULT"], "FAULT_CLOCK": "1000000007", "FAULT_KIND": "clock"})):
        if what == "jumping" and os.environ.get("BUILD") in ("asan", "tsan"):
            skipped.append("a clock that jumps (a sanitizer comes first)")
            continue
        result = ccafe(True, MM_CLOCK="monotonic", **environment)
        expect(what, 0, result.returncode)
        expect(what, "CLOCK_MONOTONIC", about()["clock"]["name"])
        found = rows(what)
        expect(what + ": rows", {"done": steps // 2 * 5}, statuses(found))
        if what == "monotonic":
            exclusive_sums_to_inclusive(what, found)
        if any(int(r["wall_ns"] or 0) < 0 for r in found):  # empty: it ended before it began
            fail(what + ": a negative time")


def main():
    vandals()
    for storage in ("rows", "auto:1000", "aggregates"):
        hidden_files(storage)
    limits()
    comma_locale()
    full_disk()
    no_room()
    gone()
    clocks()
    finish("vandals, limits, full disks and clocks" + "".join("; not tried: " + s for s in skipped))


main()
