#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Print what stands in the shared memory of a profile, by the layout of mesh/probe/shared.h:

    probe_reader.py SESSION          lines: mesh NAME kind dims n,n,n levels rank/ranks
                                            step S time T probe NAME cells N sum X
                                            cell I,J,K level L NAME VALUE   (with --cells)
    probe_reader.py --remove SESSION removes its segments, and prints how many there were

It uses nothing of the library.
"""
import glob
import os
import struct
import sys

HEAD = struct.Struct("<8s4IQqQ4iII5Q40s")
SLOT = struct.Struct("<QqdQQIIQQ")
BOX = struct.Struct("<2i3q3qQ")
ABOUT = struct.Struct("<2i3q2i3d3d64s")
PROBE = struct.Struct("<2id64s16s")


def text(raw):
    return raw.split(b"\0")[0].decode()


class Segment:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.bytes = file.read()
        (magic, order, _, self.kind, self.slots, size, _, _, _, _, self.rank, self.ranks, probes, _, self.cell_room,
         self.slot_first, self.slot_bytes, self.box_first, self.value_first, _) = HEAD.unpack_from(self.bytes)
        assert magic == b"MMPROBE\1" and order == 0x01020304 and size == len(self.bytes), path
        at = HEAD.size
        about = ABOUT.unpack_from(self.bytes, at)
        self.mesh_kind, self.dims, self.n, self.levels, self.ratio = *about[:2], about[2:5], *about[5:7]
        self.name, at = text(about[13]), at + ABOUT.size
        self.probes = []
        for p in range(probes):
            number, whole, eps, name, unit = PROBE.unpack_from(self.bytes, at + p * PROBE.size)
            self.probes.append((text(name), text(unit), whole, eps))

    def steps(self):
        """[(fillings, step, time, told, [(level, lo, hi, first)], {probe: values})], in order."""
        found = []
        for s in range(self.slots):
            at = self.slot_first + s * self.slot_bytes
            word, step, time_s, told, cells, boxes, *_ = SLOT.unpack_from(self.bytes, at)
            if word % 4 != 2:
                continue
            box = [BOX.unpack_from(self.bytes, at + self.box_first + BOX.size * b) for b in range(boxes)]
            values = {p: struct.unpack_from(f"<{cells}f", self.bytes,
                                            at + self.value_first + 4 * p * self.cell_room)
                      for p in range(len(self.probes))}
            found.append((word // 4, step, time_s, told, [(b[0], b[2:5], b[5:8], b[8]) for b in box], values))
        return sorted(found)


def segments(session):
    for path in sorted(glob.glob(f"/dev/shm/mm_mesh-{os.geteuid()}-{session}-*")):
        yield path, Segment(path)


def main(arguments):
    if arguments[0] == "--remove":
        paths = glob.glob(f"/dev/shm/mm_mesh-{os.geteuid()}-{arguments[1]}-*")
        for path in paths:
            os.unlink(path)
        print(len(paths))
        return
    for _, s in segments(arguments[-1]):
        print(f"mesh {s.name} kind {s.mesh_kind} dims {s.dims} n {','.join(map(str, s.n))} levels {s.levels} "
              f"rank {s.rank}/{s.ranks}")
        if s.kind != 1:
            continue
        for _, step, time_s, told, boxes, values in s.steps():
            for p, (name, *_) in enumerate(s.probes):
                if told >> p & 1:
                    print(f"step {step} time {time_s:g} probe {name} cells {len(values[p])} sum {sum(values[p]):.9g}")
                if told >> p & 1 and arguments[0] == "--cells":
                    for level, lo, hi, at in boxes:
                        for i in range(lo[0], hi[0]):
                            for j in range(lo[1], hi[1]):
                                for k in range(lo[2], hi[2]):
                                    print(f"cell {i},{j},{k} level {level} {name} {values[p][at]:.9g}")
                                    at += 1


main(sys.argv[1:])
