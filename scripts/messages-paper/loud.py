# SPDX-License-Identifier: BSD-3-Clause
"""loud.py FILE NAME|is: which share of its cores the machine gives to two processes that only compute.

Adds NAME with this share to FILE; `is` ends with 0 where a share in FILE is below QUIET, and with 1 else.
"""
import json
import os
import sys
import time

QUIET, SECONDS, RANKS = .9, .2, 2


def share_of_one():
    wall, cpu = time.monotonic(), time.process_time()
    while time.monotonic() < wall + SECONDS:
        pass
    return (time.process_time() - cpu) / (time.monotonic() - wall)


def share():
    """The least of all ranks; each writes a line into a pipe."""
    ends = []
    for _ in range(RANKS):
        read, write = os.pipe()
        if os.fork() == 0:
            os.write(write, b"%f" % share_of_one())
            os._exit(0)
        os.close(write)
        ends.append(read)
    shares = [float(os.read(end, 64)) for end in ends]
    for _ in ends:
        os.wait()
    return min(shares)


def main(path, name):
    shares = json.load(open(path)) if os.path.exists(path) else {}
    if name == "is":
        sys.exit(0 if min(shares.values()) < QUIET else 1)
    shares[name] = round(share(), 3)
    json.dump(shares, open(path, "w"))


if __name__ == "__main__":
    main(*sys.argv[1:])
