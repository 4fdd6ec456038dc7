# SPDX-License-Identifier: BSD-3-Clause
"""record.py: programs drawn by lot (tests/data/random_calls.c), which call zlib and the C library, are the
same bare and under `mastermind record`, and what is recorded is right.

FAULT_PROGRAMS: how many. FAULT_SEED: of the first.
"""
import json
import os
import random
import re
import shutil
import subprocess
import sys

from harness import count, expect, fail, finish, mastermind, progress

HERE = os.path.dirname(os.path.abspath(__file__))
FUNCTIONS = {
    "zlib.h": "compress2,uncompress,crc32,adler32,compressBound",
    "stdlib.h": "malloc,calloc,realloc,free,qsort,bsearch,strtol,getenv",
    "unistd.h": "read,write,close,pipe",
    "string.h": "strlen",
}
ENDS = ["return", "return", "exit", "_exit", "abort", "kill", "segv"]


def build():
    compiler = os.environ.get("CC", "cc").split()
    subprocess.run([*compiler, "-O1", "-fno-builtin", "-pthread", "-o", "random_calls",
                    os.path.join(HERE, "..", "data", "random_calls.c"), "-lz"], check=True)
    for header, functions in FUNCTIONS.items():
        found = subprocess.run(["proxygen", "--interpose", "/usr/include/" + header, "--functions", functions,
                                "-o", header.split(".")[0]], capture_output=True, encoding="utf-8", check=False)
        expect("proxygen of " + header, 0, found.returncode)
        if found.returncode:
            print(found.stderr)
            sys.exit(1)


def run(*command):
    with open("out", "w+", encoding="utf-8") as out, open("err", "w+", encoding="utf-8") as err:
        code = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, timeout=300,
                              check=False).returncode
        out.seek(0)
        err.seek(0)
        return code, out.read(), err.read()


def try_one(seed):
    draw = random.Random(seed)
    what = "program %d" % seed
    program = ["./random_calls", str(seed), str(draw.choice([5, 50, 200])), draw.choice(ENDS)]
    proxies = draw.sample(sorted(FUNCTIONS), draw.randint(1, len(FUNCTIONS)))
    storage = draw.choice(["rows", "auto:20", "sample:5", "reservoir:9", "aggregates"])
    options = [word for header in proxies for word in ("--proxy", header.split(".")[0])]
    shutil.rmtree("r.mm", ignore_errors=True)
    bare = run(*program)
    code, out, err = run("mastermind", "record", *options, "-o", "r.mm", "--storage", storage, "--", *program)
    expect("%s (%s, %s): status" % (what, " ".join(proxies), storage), bare[0], code)
    expect(what + ": output", bare[1], out)
    mine = [line for line in err.splitlines() if not re.match("experiment r.mm: |mastermind: ", line)]
    expect(what + ": words", bare[2].splitlines(), mine)
    if not os.path.exists("r.mm"):
        return code, 0
    report = mastermind("report", "r.mm", "--json")
    expect(what + ": report", 0, report.returncode)
    calls = sum(m["calls"] for m in json.loads(report.stdout)["methods"]) if report.returncode == 0 else 0
    with open("r.mm/experiment.json", encoding="utf-8") as file:
        totals = json.load(file).get("totals")
    if totals:
        ended = totals["rows"] + totals["aggregated"] - totals["sampled"]
        if not ended <= calls <= ended + 2:  # what a jump has left may look open at the end
            fail("%s: %d calls, %s" % (what, calls, totals))
        expect(what + ": dropped", 0, totals["dropped"])
    return code, calls


def main():
    build()
    number, first = count("PROGRAMS", 15, 1000), count("SEED", 1, 1)
    ends, all_calls = {}, 0
    for seed in range(first, first + number):
        code, calls = try_one(seed)
        ends[code] = ends.get(code, 0) + 1
        all_calls += calls
        progress("programs", seed + 1 - first, number)
    if number >= 15 and len(ends) < 4:
        fail("all end alike:", ends)
    if all_calls < 20 * number:
        fail("next to nothing is recorded:", all_calls)
    finish("%d programs are the same bare and recorded, %d calls" % (number, all_calls))


main()
