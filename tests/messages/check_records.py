#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compare sampled messages with what the programs that exchanged them know.

    check_records.py TRUTH [--records FILE [--all] [--slack NS] [--within NS]] [--json]

TRUTH is the prefix of the files that storm, sleeps and pairs_latency write (programs/truth.h). They are
checked first: each message is sent and received once, counts of a channel are 0 to n - 1 at both
ends, in order of posting.

FILE is what `mastermind messages EXP --records --csv` prints: sampled messages as CSV with a line of
names, or as lines of JSON; - is standard input. Of its names these are read:
    from to        ranks of MPI_COMM_WORLD
    tag k bytes    tag, number of the message in its channel from 0, size
    latency_ns     begin of the send to end of the receive
  and where they are there
    comm           any name of the communicator: colours of one split may share it, others not
    late_sender_ns the time that the completing call waited for a send that had not begun
    send_ns end_ns both ends by one clock, from any epoch: each half alone must lie in its calls
    from_site to_site     texts that hold FILE:LINE of the calls
--all: a message without a record is lost (without, records are a sample of unknown size).
--slack: how far a latency may be out of the bounds that the program knows before the halves are
thought to be of different messages; 1000 ns. --within: print the share of latencies that are
within so many ns of the program's own.

Exit: 0 as it should be; 1 records are mispaired, lost, extra, or have a wrong size, site or
communicator; 2 a wrong word; 3 the truth is damaged, or its program went wrong.
"""
import argparse
import collections
import csv
import glob
import json
import re
import sys

NUMBERS = ("from", "to", "tag", "k", "bytes", "latency_ns")
MORE_NUMBERS = ("late_sender_ns", "send_ns", "end_ns")
DRIFT = 2e-5  # of two clocks of one machine
SITE_LINES = 6  # a call begins in the line of its site or so many after it

Sent = collections.namedtuple("Sent", "size serial start end site kind")
Received = collections.namedtuple("Received", "size serial post enter end last site done kind")


class Damaged(Exception):
    pass


class Truth:
    """sent and received: {(label, from, to, tag, k): Sent or Received}; unordered: messages of channels
    that several threads share, {(from, to, tag): [(Sent, Received)]}."""

    def __init__(self, prefix):
        self.sent, self.received, self.unordered = {}, {}, collections.defaultdict(list)
        shared = {"s": {}, "r": {}}
        names = [n for n in glob.glob(glob.escape(prefix) + ".*") if re.search(r"\.\d+\.\d+$", n)]
        if not names:
            raise Damaged(f"{prefix}: found no files PREFIX.RANK.THREAD")
        for name in sorted(names):
            with open(name) as lines:
                for number, line in enumerate(lines, 1):
                    try:
                        self.add(line.split(), shared)
                    except (ValueError, TypeError, IndexError) as error:
                        raise Damaged(f"{name}:{number}: found {line.strip()!r}, expected a line of "
                                      f"truth.h") from error
        self.check(shared)

    def add(self, words, shared):
        letter, key = words[0], tuple(map(int, words[1:6]))
        kind, numbers = (Sent, 4) if letter in "Ss" else (Received, 6)
        end = kind(*map(int, words[6:6 + numbers]), *words[6 + numbers:])
        if letter in "sr":
            # Each thread counts for itself: the serial alone tells messages apart.
            where, key = shared[letter], (key[1:4], end.serial)
        else:
            where = {"S": self.sent, "R": self.received}[letter]
        if key in where:
            raise Damaged(f"message {key} is there twice in {letter} lines")
        where[key] = end

    def check(self, shared):
        self.shared = len(shared["s"])
        if shared["s"].keys() != shared["r"].keys():
            raise Damaged("what threads sent on shared channels is not what was received")
        for key, sent in shared["s"].items():
            self.unordered[key[0]].append((sent, shared["r"][key]))
        for key, sent in self.sent.items():
            got = self.received.get(key)
            if not got:
                raise Damaged(f"message {key} was sent and not received")
            if got.size != sent.size or got.serial not in (-1, sent.serial):
                raise Damaged(f"message {key} was sent as {sent} and received as {got}")
            if not (sent.start <= sent.end and got.post <= got.end and got.enter <= got.end <= got.last):
                raise Damaged(f"message {key}: times go back: {sent}, {got}")
            if sent.start > got.end:
                raise Damaged(f"message {key} was received before it was sent")
        if len(self.received) != len(self.sent):
            raise Damaged("a message was received and not sent")
        for ends in (self.sent, self.received):
            self.check_counts(ends)

    @staticmethod
    def check_counts(ends):
        channels = collections.defaultdict(list)
        for key in ends:
            channels[key[:4]].append(key)
        for channel, keys in channels.items():
            keys.sort()
            if [k[4] for k in keys] != list(range(len(keys))):
                raise Damaged(f"channel {channel}: counts are not 0 to {len(keys) - 1}")
            starts = [getattr(ends[k], "start", None) or getattr(ends[k], "post") for k in keys]
            if starts != sorted(starts):
                raise Damaged(f"channel {channel}: counts are not in order of posting")


def read_records(path):
    with (sys.stdin if path == "-" else open(path)) as file:
        text = file.read()
    if text.lstrip().startswith("{"):
        rows = [json.loads(line) for line in text.splitlines() if line.strip()]
    else:
        rows = list(csv.DictReader(text.splitlines()))
    for row in rows:
        for name in NUMBERS + MORE_NUMBERS:
            if row.get(name) not in (None, ""):
                row[name] = int(float(row[name]))
            elif name in NUMBERS:
                raise ValueError(f"{path}: found a record without {name}, expected a number: {row}")
    return rows


def families_of(rows, truth):
    """{comm: family of labels whose messages its records fit best, by counts and sizes}. A family
    is what one call made: labels that share all but the last two digits."""
    labels = collections.defaultdict(set)
    for label, *rest in truth.sent:
        labels[tuple(rest)].add(label)
    votes = collections.defaultdict(collections.Counter)
    for row in rows:
        place = (row["from"], row["to"], row["tag"], row["k"])
        for label in labels.get(place, ()):
            if truth.sent[(label, *place)].size == row["bytes"]:
                votes[row.get("comm")][label // 100] += 1
    return {comm: count.most_common(1)[0][0] for comm, count in votes.items()}


def has(row, *names):
    return all(row.get(name) not in (None, "") for name in names)


def first_end(got):
    """When the receive can have ended: MPI_Cancel, too, sees that a receive is complete."""
    return got.post if got.kind.endswith("+Cancel") else got.enter


def is_site(words, site):
    """Whether a text names the line of a site, or one of the few after it."""
    file, line = site.rsplit(":", 1)
    found = [int(n) for n in re.findall(re.escape(file) + r":(\d+)", words)]
    return any(int(line) <= n <= int(line) + SITE_LINES for n in found)


def quantiles(values):
    ordered = sorted(values)
    at = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "max": 1.0}
    return {name: ordered[min(len(ordered) - 1, int(q * len(ordered)))] for name, q in at.items()}


class Comparison:
    def __init__(self, truth, rows, slack):
        self.truth, self.slack = truth, slack
        self.counts = collections.Counter(records=len(rows), messages=len(truth.sent), mispaired=0,
                                          lost=0, extra=0, wrong_size=0, wrong_site=0, unordered=0)
        self.errors, self.late_errors, self.seen, self.words = [], [], set(), []
        self.stamps = []
        families = families_of(rows, truth)
        shared = collections.Counter(families.values())
        # Without names of communicators all families are one.
        self.named = any(row.get("comm") not in (None, "") for row in rows)
        self.counts["wrong_comm"] = sum(n - 1 for n in shared.values()) if self.named else 0
        labels = collections.defaultdict(list)
        for label, *rest in truth.sent:
            labels[tuple(rest)].append(label)
        for row in rows:
            place = (row["from"], row["to"], row["tag"], row["k"])
            fit = [(label, *place) for label in labels.get(place, ())
                   if not self.named or label // 100 == families.get(row.get("comm"))]
            self.compare(row, fit)
        self.compare_stamps()

    def note(self, kind, row, more=""):
        self.counts[kind] += 1
        if len(self.words) < 10:
            names = " ".join(f"{name} {row[name]}" for name in
                             ("comm", "from", "to", "tag", "k", "bytes", "latency_ns", "from_site", "to_site")
                             if has(row, name))
            self.words.append(f"{kind.replace('_', ' ')}: {names}{more}")

    def bounds(self, sent, got):
        """Of the latency: the send began between the readings around its call, the receive ended so."""
        return first_end(got) - sent.end - self.slack, got.last - sent.start + self.slack

    def compare_unordered(self, row):
        """Nobody knows which message it is: one there must be."""
        here = self.truth.unordered.get((row["from"], row["to"], row["tag"]), [])
        if not here:
            self.note("extra", row)
            return
        self.counts["unordered"] += 1
        for sent, got in here:
            least, most = self.bounds(sent, got)
            if sent.size == got.size == row["bytes"] and least <= row["latency_ns"] <= most:
                return
        self.note("mispaired", row, ": no message of the shared channel is like that")

    def compare(self, row, fit):
        fit = [key for key in fit if key not in self.seen]
        same = [key for key in fit if self.truth.sent[key].size == row["bytes"]] or fit
        if not same:
            self.compare_unordered(row)
            return
        key = min(same, key=lambda k: abs(self.own_latency(k) - row["latency_ns"]))
        sent, got = self.truth.sent[key], self.truth.received[key]
        self.seen.add(key)
        if sent.size != row["bytes"]:
            self.note("wrong_size", row, f" of {sent}")
        least, most = self.bounds(sent, got)
        if not least <= row["latency_ns"] <= most:
            self.note("mispaired", row, f": latency is {least} to {most}, {key}")
        for name, site in (("from_site", sent.site), ("to_site", got.site)):
            words = row.get(name)
            if words and not is_site(words, site) and not (
                    name == "to_site" and (is_site(words, got.done) or first_end(got) < got.enter)):
                self.note("wrong_site", row, f": {name} is {site}")
        self.errors.append(abs(self.own_latency(key) - row["latency_ns"]))
        if has(row, "send_ns", "end_ns"):
            self.stamps.append((row, sent, got))
        if has(row, "late_sender_ns"):
            late = max(0, min(sent.start, got.end) - got.enter)
            self.late_errors.append(abs(late - row["late_sender_ns"]))

    def compare_stamps(self):
        """Both clocks differ by one number: the one that puts most stamps between the readings around
        their calls. They may also drift apart a little during the run."""
        ends = [(row["send_ns"], sent.start, sent.end, row) for row, sent, _ in self.stamps]
        ends += [(row["end_ns"], first_end(got), got.last, row) for row, _, got in self.stamps]
        if not ends:
            return
        span = max(e[1] for e in ends) - min(e[1] for e in ends)
        slack = self.slack + int(DRIFT * span)
        steps = sorted([(low - stamp, 0) for stamp, low, _, _ in ends] +
                       [(high - stamp, 1) for stamp, _, high, _ in ends])
        inside = best = shift = 0
        for at, leaves in steps:
            inside += -1 if leaves else 1
            if inside > best:
                best, shift = inside, at
        wrong = {}
        for stamp, low, high, row in ends:
            if not low - slack <= stamp + shift <= high + slack:
                wrong[id(row)] = row, f": {stamp + shift} is not in {low} to {high}"
        for row, words in wrong.values():
            self.note("mispaired", row, words)

    def own_latency(self, key):
        return self.truth.received[key].end - self.truth.sent[key].start

    def wrong(self):
        return sum(self.counts[k] for k in ("mispaired", "lost", "extra", "wrong_size", "wrong_site",
                                            "wrong_comm"))


def main():
    words = argparse.ArgumentParser(add_help=True, description=__doc__,
                                    formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("truth")
    words.add_argument("--records")
    words.add_argument("--all", action="store_true")
    words.add_argument("--slack", type=int, default=1000)
    words.add_argument("--within", type=int)
    words.add_argument("--json", action="store_true")
    asked = words.parse_args()
    try:
        truth = Truth(asked.truth)
    except (Damaged, OSError) as error:
        print(error, file=sys.stderr)
        return 3
    if not asked.records:
        print(f"{len(truth.sent) + truth.shared} messages, each sent and received once")
        return 0
    try:
        found = Comparison(truth, read_records(asked.records), asked.slack)
    except (ValueError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    if asked.all:
        found.counts["lost"] = len(truth.sent) - len(found.seen)
    result = dict(found.counts)
    if found.errors:
        result["latency_error_ns"] = quantiles(found.errors)
    if found.errors and asked.within is not None:
        result["within"] = sum(e <= asked.within for e in found.errors) / len(found.errors)
    if found.late_errors:
        result["late_sender_error_ns"] = quantiles(found.late_errors)
    print(json.dumps(result) if asked.json else
          ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in result.items()))
    for line in found.words:
        print(line, file=sys.stderr)
    return 1 if found.wrong() else 0


if __name__ == "__main__":
    sys.exit(main())
