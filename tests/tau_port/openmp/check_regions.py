#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compare the regions of a rank with what its program said of them.

    check_regions.py FILE TRUTH [KIND]

FILE is rank-NNNN/openmp, read here by docs/internals/experiment.md, TRUTH what truth.c printed; KIND is 1 for
gcc's regions and 2 for clang's. The two clocks are read side by side, but the host may take the core
between them: a time may differ by SLACK.
Prints what differs; exit 1 where something does."""
import struct
import sys

SLACK = 10_000_000


def read_regions(path, lost=0):
    data = open(path, "rb").read()
    magic, region_bytes, thread_bytes, end, folded = struct.unpack_from("<8sIIQQ", data)
    assert (magic, region_bytes, thread_bytes, folded) == (b"MMOMPR\0\1", 512, 64, lost), data[:40]
    regions, at = [], 4096
    while at < end:
        kind, size = struct.unpack_from("<II", data, at)
        if kind == 1:
            names = ("kind", "level", "offset", "begun", "ended", "wall")
            region = dict(zip(names, struct.unpack_from("<IIQQQQ", data, at + 8)))
            region["function"] = data[at + 72:at + 200].split(b"\0")[0].decode()
            region["threads"] = {}
            regions.append(region)
        else:
            number, thread, *times = struct.unpack_from("<IIQQQQQ", data, at + 8)
            regions[number]["threads"][thread] = dict(zip(("calls", "busy", "barrier", "mutex", "control"), times))
        at += size
    return regions


def read_truth(path):
    truth = {}
    for line in open(path):
        name, level, thread, *times = line.split()
        truth.setdefault((name, int(level)), {})[int(thread)] = dict(zip(("busy", "barrier", "mutex"), map(int, times)))
    return truth


def compare(region, name, level, threads):
    faults = []
    if (region["level"], sorted(region["threads"])) != (level, sorted(threads)):
        faults.append(f"{name}: found level {region['level']}, threads {sorted(region['threads'])}")
        return faults
    for number, said in threads.items():
        found = region["threads"][number]
        total = found["busy"] + found["barrier"] + found["mutex"] + found["control"]
        if abs(total - region["wall"]) > 1000:
            faults.append(f"{name}: times of thread {number} add up to {total}, not {region['wall']}")
        for key, value in said.items():
            if value >= 0 and abs(found[key] - value) > SLACK:
                faults.append(f"{name}: {key} of thread {number}: found {found[key]}, expected {value}")
    return faults


def main():
    regions, truth, faults = read_regions(sys.argv[1]), read_truth(sys.argv[2]), []
    if len(regions) != len(truth):
        faults.append(f"found {len(regions)} regions, expected {len(truth)}")
    for region, ((name, level), threads) in zip(regions, truth.items()):
        faults += compare(region, name, level, threads)
        if len(sys.argv) > 3 and region["kind"] != int(sys.argv[3]):
            faults.append(f"{name}: found kind {region['kind']}")
        holder = "nested" if level == 2 or name == "outer" else name
        if holder not in region["function"] and not region["function"].startswith(".omp_outlined"):
            faults.append(f"{name}: found function '{region['function']}'")
        if region["begun"] != region["ended"]:
            faults.append(f"{name}: begun {region['begun']}, ended {region['ended']}")
    print("\n".join(faults) if faults else f"{len(regions)} regions")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
