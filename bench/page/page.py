#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How large the page of a long run is, and how long it takes: page.py [--rows N] [--methods M] [--keep DIR]

Each call has a size of its own drawn from five decades, the hardest case: 3 million of 10 million differ.
Exit 1 where a page of 10,000,000 rows has 5 MB or more, or takes 10 s of CPU time or more."""
import argparse
import math
import os
import random
import resource
import subprocess
import sys
import tempfile


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--methods", type=int, default=10)
    parser.add_argument("--keep", help="leave experiment and page in this directory")
    options = parser.parse_args()
    program = os.path.join(os.environ.get("O", "build/release"), "bin", "mastermind")
    with tempfile.TemporaryDirectory() as temporary:
        where = options.keep or temporary
        experiment, page = os.path.join(where, "long.mm"), os.path.join(where, "long.html")
        if not os.path.exists(experiment):
            importing = subprocess.Popen(
                [program, "import", "csv", "-", "--time", "t", "--method-column", "method", "--class-column", "class",
                 "--params", "n", "--modes", "m", "-o", experiment], stdin=subprocess.PIPE, text=True)
            draw = random.Random(1).random
            out = importing.stdin
            out.write("method,class,n,m,t\n")
            for _ in range(options.rows):
                n, method = int(10 ** (1 + 5 * draw())), int(draw() * options.methods)
                out.write(f"solver{method}.s.step,Solver{method % 3},{n},{int(draw() * 3)},"
                          f"{int((50 + .03 * n * math.log2(n)) * (1 + .1 * draw()))}\n")
            out.close()
            if importing.wait():
                sys.exit(5)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([program, "report", experiment, "--html", page], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        size = os.path.getsize(page)
        print(f"{options.rows:,} rows: {size / 1e6:.2f} MB, {cpu:.2f} s CPU, {after.ru_maxrss / 1024:.0f} MB of memory at most")
        sys.exit(size >= 5e6 or cpu >= 10)


if __name__ == "__main__":
    main()
