# SPDX-License-Identifier: BSD-3-Clause
"""strange.py: what a stranger would try: odd names and places for an experiment, wrong words, several
runs at once, little of everything, streams that are closed, full or nobody reads. Either
the program does what it does unmeasured, or the run is refused with one line before it begins.
"""
import os
import re
import resource
import shutil
import subprocess

from harness import about, expect, fail, finish, mastermind, progress, script

CALLS = 30000
LINES = ["%d calls" % CALLS, "came back"]


def ccafe_start(*options, name="x.mm", limit=None, measured=True, **streams):
    """Start fault.rc with an experiment of that name. `limit`: (resource, most)."""
    def restrict():
        if limit:
            resource.setrlimit(limit[0], (limit[1], limit[1]))
    if measured:
        options = ("--measure", "--experiment", name, "--storage", "rows", *options)
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
    return subprocess.Popen(["ccafe", "--path", os.environ["CLASSES"], *options, "fault.rc"],
                            preexec_fn=restrict, encoding="utf-8", errors="surrogateescape", **streams)


def ccafe(*options, **how):
    with ccafe_start(*options, **how) as run:
        out, err = run.communicate(timeout=300)
    return run.returncode, out, err


def one_line(what, err):
    """Said in one line that a terminal survives."""
    if err.count("\n") != 1 or re.search(r"[\x00-\x09\x0b-\x1f\x7f]", err):
        fail(what + ": not one plain line:", repr(err))


def is_whole(what, name):
    """The experiment is there with every call."""
    for verb in (["report", "--json"], ["records", "--csv"], ["model"], ["graph"]):
        result = mastermind(*verb, "--", name) if name.startswith("-") else mastermind(*verb, name)
        expect("%s: %s" % (what, verb[0]), (0, ""), (result.returncode, result.stderr))
        if "--json" in verb:
            result.stdout.encode("utf-8")  # nothing that is none
        if verb[0] == "records":
            expect(what + ": rows", CALLS + 2, len(result.stdout.splitlines()))


def names():
    os.makedirs("folder", exist_ok=True)
    for name in ("with blanks .mm", "new\nline.mm", "\x1b[31mred.mm", "größe λ.mm", "it's \"quoted\" $(x) `y`.mm",
                 "-dash.mm", "%s%n%d.mm", "a" * 255, "folder/../folder/./x.mm", "slash.mm/",
                 os.path.abspath("absolute.mm"), "back\\slash.mm", "*.mm", b"\xff\xfe.mm".decode("utf-8", "surrogateescape")):
        what = "name %r" % name[:30]
        code, out, err = ccafe(name=name)
        expect(what, (0, LINES), (code, out.splitlines()))
        if re.search(r"[\x00-\x09\x0b-\x1f\x7f]", err):
            fail(what + ": control characters:", repr(err))
        is_whole(what, name)
        shutil.rmtree(name)


def whole_or_refused(what):
    """A run in this folder leaves all of its rows, or one line and nothing else."""
    code, out, err = ccafe()
    if code == 0:
        expect(what, LINES, out.splitlines())
        is_whole(what, "x.mm")
    else:
        expect(what, (5, ""), (code, out))
        one_line(what, err)
        if os.path.exists("x.mm"):
            fail(what + ": something is left", os.listdir("x.mm"))
    return code


def at_the_limit():
    """The longest path of an experiment, the next one, and paths that only some of its files fit behind."""
    above = os.getcwd()
    for length, wanted in ((3963, 0), (3964, 5), (4058, 5), (4062, 5), (4066, 5)):
        folder = "e" * (length - len(above) - 1)
        os.mkdir(folder)
        os.chdir(folder)
        shutil.copy(os.path.join(above, "fault.rc"), "fault.rc")
        expect("a folder's path of %d bytes" % length, wanted, whole_or_refused("%d bytes" % length))
        shutil.rmtree("x.mm", ignore_errors=True)
        record = subprocess.run(["mastermind", "record", "-o", "x.mm", "--", "true"],
                                capture_output=True, text=True)
        expect("record", wanted, record.returncode)
        if wanted:
            one_line("record", record.stderr)
        os.chdir(above)


def far_away():
    """Deeper than any path may be long."""
    here = os.getcwd()
    first, deep = "d" * (224 - len(here)), "d" * 200 # as long wherever the test runs
    for depth in range(1, 24):
        folder = first if depth == 1 else deep
        os.mkdir(folder)
        os.chdir(folder)
        if depth in (15, 19, 20, 21, 23):
            shutil.copy(os.path.join(here, "fault.rc"), "fault.rc")
            whole_or_refused("%d folders deep" % depth)
        if depth == 19:
            at_the_limit()
    os.chdir(here)
    subprocess.run(["rm", "-rf", first], check=True)


def refused(what, code, words, **how):
    found = ccafe(**how)
    expect(what, (code, ""), found[:2])
    one_line(what, found[2])
    if words not in found[2]:
        fail("%s: no '%s':" % (what, words), found[2])


def bad_places():
    os.makedirs("full.mm")
    with open("full.mm/mine", "w", encoding="utf-8") as file:
        file.write("mine\n")
    with open("file.mm", "w", encoding="utf-8") as file:
        file.write("mine\n")
    os.symlink("nowhere", "link.mm")
    os.makedirs("empty.mm")
    os.symlink("empty.mm", "good-link.mm")
    refused("a full directory", 2, "not empty", name="full.mm")
    refused("a file", 2, "no directory", name="file.mm")
    refused("a link to nothing", 5, "link.mm", name="link.mm")
    refused("no such folder", 5, "No such file or directory", name="no/such/x.mm")
    refused("below a file", 5, "file.mm/x.mm", name="file.mm/x.mm")
    refused("too long a name", 5, "File name too long", name="a" * 256)
    refused("/dev/null", 2, "no directory", name="/dev/null")
    refused("/proc", 5, "/proc/x.mm", name="/proc/x.mm")
    expect("a link to an empty directory", 0, ccafe(name="good-link.mm")[0])
    is_whole("a link to an empty directory", "good-link.mm")
    expect("what was there", (["mine"], False), (os.listdir("full.mm"), os.path.exists("nowhere")))


def wrong_words():
    """Of the script: refused before anything runs."""
    for parameter, value in (("storage", "row"), ("storage", "sample:0"), ("size_limit", "1"), ("size_limit", "1T"),
                             ("recording", "maybe"), ("experiment", "full.mm"), ("storage", "auto:-1")):
        script("FaultDriver", lines=["instantiate TauMeasurement tau", "instantiate Mastermind mm",
                                     "connect mm measurement tau measurement",
                                     "parameter mm config %s %s" % (parameter, value)])
        what = "%s %s" % (parameter, value)
        code, out, err = ccafe(name="w.mm")
        if code != (5 if parameter == "experiment" else 3) or out or value not in err:
            fail(what + ": status %d:" % code, out, err)
        one_line(what, err)
        if os.path.exists("w.mm"):
            fail(what + ": something is left")


def at_once():
    """Of several runs that want the same directory one has it; numbers are given once."""
    for name in ("new.mm", "empty2.mm"):
        if name == "empty2.mm":
            os.makedirs(name)
        runs = [ccafe_start(name=name) for _ in range(5)]
        codes = []
        for run in runs:
            out, err = run.communicate(timeout=300)
            codes.append(run.returncode)
            if run.returncode not in (0, 2, 5) or bool(out) == bool(run.returncode):
                fail("at once:", run.returncode, out, err)
        expect("at once: who has %s" % name, 1, codes.count(0))
        is_whole("at once", name)
    runs = [subprocess.Popen(["ccafe", "--path", os.environ["CLASSES"], "--measure", "--storage", "rows", "fault.rc"],
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for _ in range(5)]
    expect("numbered at once", [0] * 5, [run.wait(timeout=300) for run in runs])
    for number in range(1, 6):
        is_whole("numbered", "fault-%d.mm" % number)


def limits():
    sanitized = os.environ.get("BUILD") in ("asan", "tsan")
    tries = [(resource.RLIMIT_FSIZE, most) for most in (0, 300, 1024, 4096, 65536, 1 << 20)]
    tries += [(resource.RLIMIT_NOFILE, most) for most in (4, 5, 6, 8)]
    tries += [(resource.RLIMIT_AS, most << 20) for most in (5, 6, 7, 8, 10, 12, 20, 100)]
    done = 0
    for limit in tries if not sanitized else tries[:6]:
        what = "limit %d of %d" % limit
        shutil.rmtree("x.mm", ignore_errors=True)
        bare = ccafe(measured=False, limit=limit)
        code, out, err = ccafe(limit=limit)
        if bare[0] == 0 and code == 0:
            done += 1
            expect(what, bare[1], out)
            totals = about_of("x.mm")
            if totals and totals["rows"] + totals["dropped"] != CALLS + 1:
                fail(what + ":", totals)
            expect(what + ": report", 0, mastermind("report", "x.mm").returncode)
        elif bare[0] == 0:
            expect(what, (5, ""), (code, out))
            if not err:
                fail(what + ": no reason")
        elif code == 0:
            fail(what + ": only measured it runs")
    if done < (2 if sanitized else 4):
        fail("limits: next to nothing could run")


def about_of(name):
    """Totals of an experiment; None where the end could not be kept."""
    os.rename(name, "fault.mm")
    totals = about().get("totals")
    os.rename("fault.mm", name)
    return totals


def streams():
    """Closed and full: statuses are the same bare and measured, the experiment is whole."""
    command = "ccafe --path '%s' %%s fault.rc %%s" % os.environ["CLASSES"]
    for where in ("<&-", ">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-", ">/dev/full", "2>/dev/full"):
        shutil.rmtree("x.mm", ignore_errors=True)
        found = [subprocess.run(["bash", "-c", command % (options, where)], capture_output=True,
                                encoding="utf-8", check=False)
                 for options in ("", "--measure --experiment x.mm --storage rows")]
        what = "streams " + where
        expect(what + ": status and output", (found[0].returncode, found[0].stdout),
               (found[1].returncode, found[1].stdout))
        is_whole(what, "x.mm")


def nobody_reads():
    """Pipes without a reader: who writes dies, but not of what measuring has to say."""
    for streams_read, code in (("stderr", -13), ("stdout", 0)):
        for measured in (False, True):
            shutil.rmtree("x.mm", ignore_errors=True)
            reader, writer = os.pipe()
            os.close(reader)
            dead = "stdout" if streams_read == "stderr" else "stderr"
            options = ("--metrics", "NO_SUCH") if measured else ()
            found = ccafe(*options, measured=measured, **{dead: writer})
            os.close(writer)
            expect("nobody reads %s, measured %s" % (dead, measured), code, found[0])
    is_whole("nobody reads", "x.mm")


def main():
    script("FaultDriver", count=CALLS)
    for part in (names, far_away, bad_places, at_once, limits, streams, nobody_reads, wrong_words):
        progress(part.__name__)
        part()
    finish("names, places, words, limits and streams")


main()
