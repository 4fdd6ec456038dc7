#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compare the files of a run with via=files with what the program knows of its own messages.

    halves.py EXPERIMENT --truth PREFIX     files of tests/messages/programs/truth.h
    halves.py EXPERIMENT --sizes LINES      lines 'channel FROM TO TAG COUNT' of a program whose k-th
                                            message of a channel has 4 + 4 (k mod 1000) bytes
    halves.py EXPERIMENT --pairs LINES      lines 'pair FROM TO messages COUNT bytes COUNT'
    options: --all          every message must be sampled
             --program NAME every callsite must be in the object of this name
             --unverified   channels may be unverified; their samples are left out

A file of messages is read here by its layout alone (mastermind/format/messages_file.h). Exit 1: a half
belongs to another message, a sampled message has one half, or a channel's count is wrong.
"""
import argparse
import collections
import glob
import os
import struct
import sys
import time

HEAD = struct.Struct("<8s7Q256sQ2i4I2Q64sdQqQd32Q")
PIECE = struct.Struct("<4I2Q32x")
CHANNEL = struct.Struct("<Q2i2I5Q")
HALF = struct.Struct("<3Q3i2H5Q2iQdQ")
COLLECTIVE = struct.Struct("<7Q4iQ24sdQ")
OBJECT = struct.Struct("<224s20sIQ")
SITE = struct.Struct("<Q2I" + "2IQ" * 8 + "Q")
OBJECTS, SITES, CHANNELS, HALVES, COLLECTIVES = 2, 3, 4, 7, 8
COUNTS = ("sent received sampled filtered joined folded dropped_pool dropped_ring dropped_limit dropped_order "
          "dropped_foreign half unverified mismatched suspect unknown_comm collectives_counted "
          "collectives_sampled batches unanswered").split()
SLACK_NS = 500000  # clocks are converted, by pairs that the host may have interrupted: a stamp may lie outside its call

BYTES_UNKNOWN = 2  # flag of a half: MPI has not told

Channel = collections.namedtuple("Channel", "comm peer tag side flags hash count bytes sampled unused")
Half = collections.namedtuple("Half", "key comm k src dst tag side flags bytes t_start t_enter t_end site method "
                                      "thread invocation p check")
Collective = collections.namedtuple("Collective", "comm ordinal t_enter t_wait t_exit bytes site function method thread "
                                                  "root invocation name p check")


class Problems:
    def __init__(self):
        self.kinds = collections.Counter()

    def add(self, kind, *words):
        self.kinds[kind] += 1
        if self.kinds[kind] <= 5:
            print(f"{kind}:", *words)


def tuple_of(*values):
    return values


class Rank:
    """The file of one rank."""

    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        head = HEAD.unpack_from(data)
        if head[0] != b"MMMSGS\0\1":
            sys.exit(f"{path}: not a file of messages")
        self.sealed = head[1] == 0x4c4145535347534d
        end = head[3]
        self.process, self.flags = head[10], head[12]
        self.ns_per_tick, self.epoch_ticks, self.epoch_ns = head[19:22]
        self.counts = dict(zip(COUNTS, head[24:]))
        found = {OBJECTS: [], SITES: [], CHANNELS: [], HALVES: [], COLLECTIVES: []}
        makers = {OBJECTS: (OBJECT, tuple_of), SITES: (SITE, tuple_of),
                  CHANNELS: (CHANNEL, Channel), HALVES: (HALF, Half), COLLECTIVES: (COLLECTIVE, Collective)}
        at = 4096
        while at + 64 <= end:
            kind, entry_bytes, _, count, size, _ = PIECE.unpack_from(data, at)
            if kind in makers:
                form, make = makers[kind]
                assert form.size == entry_bytes, (kind, form.size, entry_bytes)
                found[kind] += [make(*form.unpack_from(data, at + 64 + i * entry_bytes)) for i in range(count)]
            if kind == 0 or size == 0:
                break
            at += size
        paths = [o[0].split(b"\0")[0].decode() for o in found[OBJECTS]]
        self.objects = {site[0]: os.path.basename(paths[site[3]]) for site in found[SITES]}
        self.channels = [c for c in found[CHANNELS] if c.hash]
        self.halves, self.collectives = found[HALVES], found[COLLECTIVES]

    def monotonic_ns(self, ticks):
        """A stamp as CLOCK_MONOTONIC of this machine."""
        return self.epoch_ns + (ticks - self.epoch_ticks) * self.ns_per_tick - OFFSET_NS

    def unverified(self):
        """Channels of this end, as (comm, from, to, tag)."""
        for c in self.channels:
            if c.flags:
                yield (c.comm, *((self.process, c.peer) if c.side == 0 else (c.peer, self.process)), c.tag)


OFFSET_NS = time.time_ns() - time.monotonic_ns()


def read_truth(prefix):
    """(label, from, to, tag) -> {k: (size, first, last)}, for the sends and for the receives."""
    sides = collections.defaultdict(dict), collections.defaultdict(dict)
    paths = glob.glob(prefix + ".*.*")
    if not paths:
        sys.exit(f"{prefix}: no truth")
    for path in paths:
        with open(path, encoding="ascii") as lines:
            for line in lines:
                word = line.split()
                if word[0] not in "SR":
                    continue
                label, source, to, tag, k, size, _, first = map(int, word[1:9])
                last = int(word[9] if word[0] == "S" else word[11])
                sides[word[0] == "R"][label, source, to, tag][k] = size, first, last
    return sides


def name_comms(ranks, sides, problems):
    """The communicator of each label: that of its messages, by the time of the send."""
    labels = collections.defaultdict(list)
    for channel, messages in sides[0].items():
        for k, (size, first, last) in messages.items():
            labels[channel[1:] + (k, size)].append((channel[0], first, last))
    votes = collections.defaultdict(collections.Counter)
    for rank in ranks:
        for h in rank.halves:
            if h.side == 0:
                at = rank.monotonic_ns(h.t_start)
                fits = {label for label, first, last in labels[h.src, h.dst, h.tag, h.k, h.bytes]
                        if first - SLACK_NS <= at <= last + SLACK_NS}
                if len(fits) == 1:
                    votes[fits.pop()][h.comm] += 1
    names = {}
    for label, found in votes.items():
        (comm, most), *others = found.most_common(2)
        if others and others[0][1] * 20 > most:
            problems.add("mispaired", f"label {label} is on communicators {found}")
        names[label] = comm
    return names


def same_bytes(half, wanted):
    return half.bytes == wanted or half.flags & BYTES_UNKNOWN


def check_truth(ranks, prefix, unverified, every, problems):
    sides = read_truth(prefix)
    names = name_comms(ranks, sides, problems)
    labels = collections.defaultdict(list)
    for label, comm in names.items():
        labels[comm].append(label)
    seen = set(), set()
    for rank in ranks:
        for h in rank.halves:
            if (h.comm, h.src, h.dst, h.tag) in unverified:
                continue
            at = rank.monotonic_ns(h.t_start)
            for label in labels[h.comm]:
                known = sides[h.side].get((label, h.src, h.dst, h.tag), {}).get(h.k)
                # A receive that a cancel has moved onto a sample has t_start 0: nobody knows when it was posted.
                if known and same_bytes(h, known[0]) and (not h.t_start or known[1] - SLACK_NS <= at <= known[2] + SLACK_NS):
                    seen[h.side].add((label, h.src, h.dst, h.tag, h.k))
                    break
            else:
                problems.add("mispaired", f"rank {rank.process}", h, "program:", [
                    sides[h.side].get((label, h.src, h.dst, h.tag), {}).get(h.k) for label in labels[h.comm]],
                    f"at {at:.0f}")
    if every:
        for side in 0, 1:
            for channel, messages in sides[side].items():
                comm = names.get(channel[0])
                if comm is None or (comm, *channel[1:]) not in unverified:
                    for k in messages:
                        if (*channel, k) not in seen[side]:
                            problems.add("lost", ("send", "receive")[side], channel, k, messages[k])
    check_counts(ranks, sides, names, unverified, problems)


def check_counts(ranks, sides, names, unverified, problems):
    """Messages and bytes of each channel."""
    wanted = collections.Counter(), collections.Counter()
    for side in 0, 1:
        for (label, *channel), messages in sides[side].items():
            if label in names:
                wanted[side][names[label], *channel] += len(messages)
    for rank in ranks:
        for c in rank.channels:
            ends = (rank.process, c.peer) if c.side == 0 else (c.peer, rank.process)
            channel = c.comm, *ends, c.tag
            if channel not in unverified and c.comm in names.values() and wanted[c.side][channel] != c.count:
                problems.add("count", f"rank {rank.process}", c, "program:", wanted[c.side][channel])


def check_sizes(ranks, path, unverified, every, problems):
    wanted = collections.Counter()
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            word = line.split()
            if word[:1] == ["channel"]:
                wanted[tuple(map(int, word[1:4]))] += int(word[4])
    if not wanted:
        sys.exit(f"{path}: no line 'channel FROM TO TAG COUNT'")
    found = collections.Counter(), collections.Counter()
    halves = collections.Counter(), collections.Counter()
    skipped = {channel[1:] for channel in unverified}
    for rank in ranks:
        for c in rank.channels:
            ends = (rank.process, c.peer) if c.side == 0 else (c.peer, rank.process)
            found[c.side][(*ends, c.tag)] += c.count
        for h in rank.halves:
            if (h.src, h.dst, h.tag) in skipped:
                continue
            halves[h.side][h.src, h.dst, h.tag] += 1
            if not same_bytes(h, 4 + 4 * (h.k % 1000)):
                problems.add("mispaired", f"rank {rank.process}", h)
    for side in 0, 1:
        for channel in set(wanted) | set(found[side]):
            if channel in skipped:
                continue
            if wanted[channel] != found[side][channel]:
                problems.add("count", ("send", "receive")[side], channel, found[side][channel],
                             "program:", wanted[channel])
            if every and wanted[channel] != halves[side][channel]:
                problems.add("lost", ("send", "receive")[side], channel, halves[side][channel],
                             "program:", wanted[channel])


def check_pairs(ranks, path, problems):
    """What the program has sent between each pair of ranks, over all communicators and tags."""
    wanted = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            word = line.split()
            if word[:1] == ["pair"]:
                wanted[int(word[1]), int(word[2])] = int(word[4]), int(word[6])
    if not wanted:
        sys.exit(f"{path}: no line 'pair FROM TO messages COUNT bytes COUNT'")
    found, got = collections.defaultdict(complex), collections.Counter()
    for rank in ranks:
        for c in rank.channels:
            if c.side == 0:
                found[rank.process, c.peer] += complex(c.count, c.bytes)
            else:
                got[c.peer, rank.process] += c.count
    for pair in set(wanted) | set(found) | set(got):
        counts = int(found[pair].real), int(found[pair].imag)
        if wanted.get(pair, (0, 0)) != counts or counts[0] != got[pair]:
            problems.add("count", pair, "sent", counts, "received", got[pair], "program:", wanted.get(pair))


def check_sites(ranks, program, problems):
    for rank in ranks:
        for h in rank.halves + rank.collectives:
            if rank.objects.get(h.site) != program:
                problems.add("site", f"rank {rank.process}", rank.objects.get(h.site), h)


def check_keys(ranks, unverified, problems):
    """Each sampled message has both halves, each once, and they agree."""
    sides = {}, {}
    for rank in ranks:
        for h in rank.halves:
            if h.key in sides[h.side]:
                problems.add("twice", h)
            sides[h.side][h.key] = h
            if rank.process != (h.src, h.dst)[h.side]:
                problems.add("mispaired", f"in the file of rank {rank.process}", h)
            if not h.t_start <= h.t_end or h.side == 1 and not h.t_start <= h.t_enter <= h.t_end:
                problems.add("times", h)
            if not h.site:
                problems.add("site", h)
    for side in 0, 1:
        for key, h in sides[side].items():
            other = sides[1 - side].get(key)
            if (h.comm, h.src, h.dst, h.tag) in unverified:
                continue
            if other is None:
                problems.add("lost", "other half of", h)
            elif (h.comm, h.k, h.src, h.dst, h.tag) != (other.comm, other.k, other.src, other.dst, other.tag) or \
                    not (same_bytes(h, other.bytes) or same_bytes(other, h.bytes)):
                problems.add("mispaired", h, other)
    return len(sides[0])


def check_collectives(ranks, problems):
    """A sampled collective is the same one on all ranks that take part."""
    parts = collections.defaultdict(list)
    for rank in ranks:
        for c in rank.collectives:
            parts[c.comm, c.ordinal].append((c.name, c.root, rank.process))
            if not c.t_enter <= c.t_wait <= c.t_exit:
                problems.add("times", c)
    for (comm, ordinal), found in parts.items():
        if len({f[0] for f in found}) != 1 or len({f[2] for f in found}) != len(found):
            problems.add("collective", comm, ordinal, found)
    return len(parts)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("experiment")
    parser.add_argument("--truth")
    parser.add_argument("--sizes")
    parser.add_argument("--pairs")
    parser.add_argument("--program")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--unverified", action="store_true")
    options = parser.parse_args()
    paths = sorted(glob.glob(os.path.join(options.experiment, "rank-*", "messages")))
    if not paths:
        sys.exit(f"{options.experiment}: no rank has messages")
    ranks = [Rank(p) for p in paths]
    problems = Problems()
    unverified = {channel for rank in ranks for channel in rank.unverified()}
    if unverified and not options.unverified:
        problems.add("unverified", sorted(unverified)[:5],
                     [c for r in ranks for c in r.channels if c.flags][:5])
    for rank in ranks:
        if not rank.sealed:
            problems.add("not sealed", f"rank {rank.process}")
    sampled = check_keys(ranks, unverified, problems)
    collectives = check_collectives(ranks, problems)
    if options.truth:
        check_truth(ranks, options.truth, unverified, options.all, problems)
    if options.sizes:
        check_sizes(ranks, options.sizes, unverified, options.all, problems)
    if options.pairs:
        check_pairs(ranks, options.pairs, problems)
    if options.program:
        check_sites(ranks, options.program, problems)
    counts = collections.Counter()
    for rank in ranks:
        counts.update(rank.counts)
    print(f"{counts['sent']} sent, {counts['received']} received, {sampled} sampled, {collectives} collectives, "
          f"{len(unverified)} channels unverified;",
          ", ".join(f"{problems.kinds[k]} {k}" for k in ("mispaired", "lost")))
    print(", ".join(f"{n} {k}" for k, n in counts.items() if n))
    if problems.kinds:
        print("problems:", dict(problems.kinds))
        sys.exit(1)


main()
