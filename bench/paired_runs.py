# SPDX-License-Identifier: BSD-3-Clause
"""paired_runs.py: runs of ccafe without and with --measure, and the CPU time of each."""
import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile

PARTS = ("calls_ns", "files_ns", "helper_ns", "setup_ns")
SCRIPTS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "scripts")


def children_ms():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1e3 * (used.ru_utime + used.ru_stime)


def run(arguments, measured):
    """CPU time of a run of ccafe in ms, of all threads and in the kernel; and its experiment.json, or None.
    Exit 5 if the run fails."""
    ccafe = os.path.abspath(os.path.join(os.environ.get("O", "build/release"), "bin", "ccafe"))
    with tempfile.TemporaryDirectory() as directory:
        command = [ccafe, *["--measure", "--experiment", "run.mm"] * measured, *arguments]
        before = children_ms()
        result = subprocess.run(command, cwd=directory, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
        took = children_ms() - before
        if result.returncode:
            sys.stderr.write(result.stderr.decode(errors="replace"))
            sys.exit(5)
        if not measured:
            return took, None
        with open(os.path.join(directory, "run.mm", "experiment.json"), encoding="utf-8") as file:
            return took, json.load(file)


def calls_of(about):
    return about["totals"]["rows"] + about["totals"]["aggregated"]


def parts_of(about):
    """The parts of the stated cost, in ms."""
    return {part: about["cost"][part] / 1e6 for part in PARTS}


def add_other_options(parser):
    """Options of the other programs: `make bench` gives all to each."""
    for other in ("--cpu", "--monotonic"):
        parser.add_argument(other, action="store_true", help=argparse.SUPPRESS)
    for other in ("--calls", "--threads", "--packing", "--storage", "--keys", "--limit"):
        parser.add_argument(other, help=argparse.SUPPRESS)
