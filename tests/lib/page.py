#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Do what a page of docs/ says, in the current directory, and compare.

  page.py PAGE [--files DIR] [--write]

A block behind a line "`NAME`:" is a file. It is written; where DIR has a file NAME, the block must
be a part of it instead, with `...` for what is left out. An `sh` block is run. The block without a
language behind an `sh` block is what it prints; numbers, units, paths and build ids are masked, and
a line `...` stands for any lines. Lines may come in another order, as those of a
table that times sort. --write puts what was printed into the page.
"""
import argparse
import collections
import difflib
import os
import re
import subprocess
import sys


MODEL = "(model)"

# Lines that depend on the host: what measuring cost; of predict and choose, how sure a number is.
SURE = re.compile(r"measuring cost| +[\d.,]+ +[\d.]+ +the host, of the calls above$|mastermind: note: .*; kept apart$|mastermind: note: the host took .* of the wall time of these runs|tie with|not decided against|  no interval[:,] |  more than two classes interact|  to decide: |  \d+ % of the uncertainty: |  uncertainty: |"
                  r" {5}(the host|one |sizes too|no |its parameters|the mean|equal calls|drift)| {0,3}[\w.]+:$|"
                  r"\S+: .* by a formula that fits as well| {3}\S+: or |"
                  r".*: nothing (of \S+ )?is marked")


def masked_host(line):
    """A report's line on a quiet host: on a loud one the share of the host stands for `subrs`."""
    line = re.sub(r"^( %(?:time|total) .* calls) host ", r"\1 subrs ", line)
    line = re.sub(r"^( # # # #) #%(?= # (of # )?methods?$)", r"\1", line)
    line = re.sub(r"^(\w[\w.]* # #) (?:\+?# %|x/ #)(?= \w+$)", r"\1", line)  # predict: an interval, which may be unknown
    return re.sub(r"^( # # # #) (?:#%|-)(?= # )", r"\1 #", line)


def mask(line):
    """What of a printed line is the same on each machine and in each run."""
    if re.match(r"^  +.*(out of sample|above it|\d (ns|us) [*+] | <= \w+ <= |\btypical |one call \(|curve \(|q90 |^  all |by their models |\bsd |of the mean|of calls, |of calls cost |of calls wait |attributed to the host|"
                r"to decide$|one run: |drift: |no evidence of the host|the host took |equal calls changed |"
                r"grows like |all sizes are multiples|too few sizes|one size at the end|the clock ticks|"
                r"the effect of a parameter|the host took part|"
                r"one size after the other|look like growth|one call a size|one call: |sizes too near|explain little)", line):
        return MODEL
    line = re.sub(r"^(total|choice:) .*", r"\1", line)
    line = re.sub(r"[;:] measuring cost .*", "", line).replace("\\n", " ")
    line = re.sub(r"^\S.*: predicted .*, measured .*", "(predicted and measured)", line)
    line = re.sub(r"\bno interval\b(?!:)", "1 ms to 1 ms", line).replace("< ", "")
    line = re.sub(r"\b[0-9a-f]{40}\b", "ID", line)
    line = re.sub(r"(/[\w.+-]+)+/(?=[\w.+-])", "DIR/", line)
    line = re.sub(r"(?<![\w.])[-+]?\d[\d,.]*(e[-+]?\d+)?( (ns|us|ms|s|min|h)\b)?", "#", line)
    return masked_host(re.sub(r"[ \t]+", " ", line).rstrip())


# Whether runs agree about a driver's one call, so that one cost is for all of them, is for the host to say.
POOLED = re.compile(r"(driver\.go\.go) \S+ # invocations? (?:pooled from #|beside \S+)$")


def masked(text):
    """The masked lines of a text; the lines of one formula are one, and those of a driver that runs agree about or not."""
    lines, pooled = [], False
    for line in map(mask, filter(lambda l: not SURE.match(l), text.splitlines())):
        if re.fullmatch(r"experiment \S+", line):
            continue  # a long line has the cost in another one
        if found := POOLED.match(line):
            line, pooled = found[1] + " (one cost, or one for each run)", True
            if lines and lines[-1] == line:
                continue
        elif pooled and (line.startswith(" ") or line == MODEL):
            continue
        else:
            pooled = False
        if line != MODEL or not lines or lines[-1] != MODEL:
            lines.append(line)
    return lines


def pattern(lines):
    """A regular expression for lines of which `...` stands for any."""
    return "".join(r"(?:.*\n)*?" if l.strip() == "..." else re.escape(l) + r"\n" for l in lines)


def refreshed(expected, printed):
    """Expected lines with the numbers that were printed."""
    out = []
    for line in expected:
        rest = [i for i, p in enumerate(printed) if mask(p) == mask(line)]
        if rest and line.strip() != "...":
            line = printed[rest[0]]
            printed = printed[rest[0] + 1:]
        out.append(line)
    return out


class Page:
    def __init__(self, name, files, write):
        self.lines = open(name).read().splitlines()
        self.name, self.files, self.write, self.failed = name, files, write, 0

    def fail(self, at, words, details=()):
        self.failed += 1
        print(f"{self.name}:{at + 1}: {words}")
        for line in details:
            print(line)

    def put_file(self, at, name, text):
        source = os.path.join(self.files, name) if self.files else ""
        if not os.path.exists(source):
            open(name, "w").write("\n".join(text) + "\n")
        elif not re.search("^" + pattern(text), open(source).read(), re.M):
            self.fail(at, f"found a block that is no part of {source}", text)

    def run(self, at, text):
        done = subprocess.run(["bash", "-eu", "-o", "pipefail", "-c", "\n".join(text)], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        if done.returncode:
            self.fail(at, f"these commands exit with {done.returncode}", text + ["", done.stdout])
        return done.stdout

    def compare(self, at, end, printed):
        expected = self.lines[at + 1:end]
        found, wanted = masked(printed), masked("\n".join(expected))
        if self.write and "..." not in wanted:
            return printed.rstrip().splitlines()
        if self.write:
            return refreshed(expected, printed.splitlines())
        extra = collections.Counter(found) - collections.Counter(wanted)
        lacking = collections.Counter(l for l in wanted if l != "...") - collections.Counter(found)
        if lacking or (extra and "..." not in wanted):
            self.fail(at, "the commands print something else",
                      difflib.unified_diff(wanted, found, "page", "printed", lineterm=""))
        return expected

    def do(self):
        out, at, name, printed = [], 0, None, None
        while at < len(self.lines):
            line = self.lines[at]
            if not line.startswith("```"):
                named = re.fullmatch(r"`([\w.]+)`:", line)
                name = named[1] if named else name if not line else None
                printed = printed if not line else None
                out.append(line)
                at += 1
                continue
            end = self.lines.index("```", at + 1)
            text = body = self.lines[at + 1:end]
            if name:
                self.put_file(at, name, text)
            elif line == "```sh":
                printed = self.run(at, text)
            elif line == "```" and printed is not None:
                body, printed = self.compare(at, end, printed), None
            name = None
            out += [line] + body + ["```"]
            at = end + 1
        if self.write:
            open(self.name, "w").write("\n".join(out) + "\n")
        return self.failed


def main():
    args = argparse.ArgumentParser()
    args.add_argument("page")
    args.add_argument("--files", default="")
    args.add_argument("--write", action="store_true")
    args = args.parse_args()
    sys.exit(1 if Page(args.page, args.files, args.write).do() else 0)


main()
