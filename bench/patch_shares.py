#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""patch_shares.py: the part of the CPU time that the bookkeeping of patches takes, by perf.

scripts/shock-amr.rc makes 8 steps on one rank with GodunovFlux, on three levels with about 1,000
patches of up to 16 x 16 cells on the finest and 500 on the next, without a picture. A sample belongs to
the component that is nearest on its call stack: what the C library, the kernel and the framework do
counts for the component that has called them. Bookkeeping is AMRMesh, the class behind `ghosts`,
ProlongRestrict and ErrorEstimator. Exit 0; 1: it takes more than 15 %; 2: misuse, or there is no perf;
5: a run failed."""
import argparse
import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile

MOST = .15
BOOKKEEPING = re.compile(r"(AMRMesh|Ghosts\w*|ProlongRestrict|ErrorEstimator)\.so$")
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VARIABLES = {"FLUX": "GodunovFlux", "STATES": "States", "NX": 1024, "NY": 256, "LEVELS": 3, "PATCH": 16,
             "BALANCE": "never", "T_END": 10, "PICTURE": "none.png"}
ADDED = "parameter mesh config buffer 16\nparameter driver config max_steps 8\n"


def script_write(path):
    """shock-amr.rc without a picture, for a few steps, with patches far around the fronts."""
    with open(os.path.join(ROOT, "scripts", "shock-amr.rc"), encoding="utf-8") as file:
        lines = [line for line in file if not re.search(r"FieldImage|\bimage\b", line)]
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(ADDED + line if line.startswith("go ") else line for line in lines)


def command_run(command, **options):
    result = subprocess.run(command, stderr=subprocess.PIPE, check=False, text=True, **options)
    if result.returncode:
        sys.stderr.write(result.stderr)
        sys.exit(5)
    return result


def owners_count(stacks):
    """Samples by component, from the output of perf script: a line for each frame, stacks parted by blank lines."""
    owners = collections.Counter()
    for stack in stacks.split("\n\n"):
        files = re.findall(r"\(\S*?([^/\s()]+)\)$", stack, re.MULTILINE)
        if files:
            owners[next((file for file in files if re.match(r"[A-Z]\w*\.so$", file)), "others")] += 1
    return owners


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--ghosts", default="GhostsPerNeighbour", help="the class behind `ghosts` (GhostsPerNeighbour)")
    options = parser.parse_args()
    if not shutil.which("perf"):
        sys.stderr.write("patch_shares.py: found no perf, expected that of Debian's package linux-perf\n")
        return 2
    ccafe = os.path.abspath(os.path.join(os.environ.get("O", "build/release"), "bin", "ccafe"))
    with tempfile.TemporaryDirectory() as directory:
        script_write(os.path.join(directory, "shares.rc"))
        variables = [part for name, value in {**VARIABLES, "GHOSTS": options.ghosts}.items()
                     for part in ("-D", "%s=%s" % (name, value))]
        command_run(["perf", "record", "-q", "-e", "cpu-clock", "-F", "199", "--call-graph", "dwarf,4096",
                     "-o", "samples", "--", ccafe, *variables, "shares.rc"], cwd=directory, stdout=subprocess.DEVNULL)
        stacks = command_run(["perf", "script", "-i", "samples", "-F", "ip,sym,dso"], cwd=directory,
                             stdout=subprocess.PIPE).stdout
    owners = owners_count(stacks)
    samples = sum(owners.values())
    for name, count in owners.most_common():
        print("%-28s %5.1f %%" % (name, 100 * count / samples))
    share = sum(count for name, count in owners.items() if BOOKKEEPING.match(name)) / samples
    print("bookkeeping of patches %.1f %% of %d samples, at most %.0f %%" % (100 * share, samples, 100 * MOST))
    return 0 if share <= MOST else 1


if __name__ == "__main__":
    sys.exit(main())
