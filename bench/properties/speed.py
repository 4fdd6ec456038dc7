#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How long properties take: CPU seconds of each over a store of 256,200 summaries (1, 256 and 1,024 units, 200
regions), the fastest of three. Exits with 1 where one takes more than 1 s, or those of the paper more than 5 s."""
import argparse
import glob
import os
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
OUT = os.environ.get("O", os.path.join(ROOT, "build/release"))
EACH, PAPER = 1., 5.


def is_of_the_paper(path):
    """The files name their source."""
    return "JavaPSL (SC2001), section 5" in open(path).read()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--units", default="1,256,1024")
    parser.add_argument("--regions", default="200")
    parser.add_argument("--times", default="3")
    parser.add_argument("--store", help="a store that is there; else one is made")
    args = parser.parse_args()
    files = sorted(glob.glob(ROOT + "/properties/library/*.property"))
    paper = {os.path.basename(f)[:-len(".property")] for f in files if is_of_the_paper(f)}
    with tempfile.TemporaryDirectory() as work:
        store = args.store or work + "/synthetic.sqlite"
        if not args.store:
            subprocess.run([sys.executable, ROOT + "/tests/properties/synthetic.py", store, "--units", args.units,
                            "--regions", args.regions], check=True)
        told = subprocess.run([OUT + "/bench/properties/answers", store, "--times", args.times] + files,
                              stdout=subprocess.PIPE, text=True, check=True).stdout
    rows = [(name, float(seconds), int(count)) for name, seconds, count in (l.split("\t") for l in told.splitlines())]
    print("   CPU s  answers  property (* the paper's)")
    for name, seconds, count in sorted(rows, key=lambda row: -row[1]):
        print("%8.3f %8d  %s%s" % (seconds, count, name, " *" if name in paper else ""))
    total = sum(seconds for name, seconds, _ in rows if name in paper)
    worst = max(rows, key=lambda row: row[1])
    print("%8.3f           the paper's %d together (at most %g); slowest %s (at most %g)" % (total, len(paper), PAPER,
                                                                                              worst[0], EACH))
    return total > PAPER or worst[1] > EACH


if __name__ == "__main__":
    sys.exit(main())
