#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compare halves of messages (via=files, every message sampled) with the truth of programs/comms.c.

    comms_truth.py EXPERIMENT TRUTH... [--foreign]

TRUTH has lines "TAG FROM TO SERIAL KIND". Reads the file by its layout (messages_file.h). Exit 1: both
ends of a message do not agree on communicator, serial and processes, or a message has no two halves.
--foreign: ranks from 100 on are of another job: their messages have no halves here.
"""
import collections
import glob
import struct
import sys

HALF = struct.Struct("<3Q3i2H5Q2iQdQ")
CHANNEL = struct.Struct("<Q2i2I5Q")
COMM = struct.Struct("<Q2I40sQ")
COMMS, CHANNELS, HALVES = 1, 4, 7
NOT_SAMPLED = ("overtaking", "overtaking-set")


def pieces(data):
    at = 4096
    while at + 64 <= len(data):
        kind, size, _, count, length, _ = struct.unpack_from("<4I2Q", data, at)
        if not kind:
            return
        yield kind, [data[at + 64 + i * size:at + 64 + (i + 1) * size] for i in range(count)]
        at += length


def main():
    words = [w for w in sys.argv[1:] if w != "--foreign"]
    foreign = "--foreign" in sys.argv
    halves = collections.defaultdict(list)
    channels, described, wrong = [], {}, []
    files = sorted(glob.glob(words[0] + "/rank-*/messages"))
    for path in files:
        with open(path, "rb") as file:
            data = file.read()
        for kind, entries in pieces(data):
            if kind == HALVES:
                for h in map(HALF.unpack, entries):
                    halves[h[5], h[3], h[4], h[2]].append((h[6], h[0], h[1]))  # tag, src, dst, k
            elif kind == CHANNELS:
                channels += [(path,) + CHANNEL.unpack(e) for e in entries]
            elif kind == COMMS:
                for c in map(COMM.unpack, entries):
                    described.setdefault((path, c[0]), c)
    truth = []
    for path in words[1:]:
        with open(path, encoding="ascii") as lines:
            truth += [line.split() for line in lines]
    ids = collections.defaultdict(set)
    expected = set()
    for tag, src, dst, serial, kind in truth:
        tag, src, dst, serial = int(tag), int(src), int(dst), int(serial)
        if kind in NOT_SAMPLED or (foreign and max(src, dst) >= 100):
            continue
        expected.add((tag, src, dst, serial))
        found = sorted(halves.get((tag, src, dst, serial), []))
        if [f[0] for f in found] != [0, 1] or found[0][1:] != found[1][1:]:
            wrong.append(f"{kind}: message {serial} of tag {tag} from {src} to {dst}: halves {found}, expected "
                         "one of each side, of equal key and communicator")
        ids[tag, src, dst].update(f[2] for f in found)
    for (tag, src, dst), seen in ids.items():
        for (other, a, b), also in ids.items():
            if other != tag and (a, b) == (src, dst) and seen & also:
                wrong.append(f"tags {tag} and {other} from {src} to {dst} have one communicator, expected two")
    wrong += [f"halves {key}: expected none" for key in halves
              if key[0] and key not in expected and min(key[1], key[2]) >= 0]
    alone = collections.Counter()
    for key, sides in halves.items():
        if key[0] == 0 and min(key[1], key[2]) >= 0:
            for side, name, _ in sides:
                alone[key, name] += 1 if side else -1
    wrong += [f"message of tag 0 {key}: one half alone" for (key, _), count in alone.items() if count]
    for path, comm, peer, tag, side, flags, *_ in channels:
        if flags:
            wrong.append(f"{path}: channel of {comm:x}, peer {peer}, tag {tag}, side {side}: flags {flags}, expected 0")
        if (path, comm) not in described:
            wrong.append(f"{path}: communicator {comm:x} is not described")
    for line in wrong[:20]:
        print(line)
    print(f"{len(expected)} messages, {len(files)} ranks, {len(set(i for s in ids.values() for i in s))} "
          f"communicators, {len(wrong)} wrong")
    sys.exit(1 if wrong or not expected else 0)


main()
