#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Count the words in comments that stop a reader: clauses without a noun, and nobody who acts.

  words.py              compare each room with words.tsv, which has the count it had; it may only fall
  words.py --write      write words.tsv; refused where a count rose
  words.py --list ROOM  the places in a room, file:line: the words and the comment

A room is a folder and the one above it; comments are those of C and headers, without tests and bench.
Exit status: 0; 1 a count rose; 2 misuse.
"""
import collections
import os
import re
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "words.tsv")
STOPS = re.compile(r"\b(what|whoever|those (?:that|which|of)|that of|ones? that|the same of|"
                   r"(?:is|are|was|were|be) (?:told|said|asked)|says?|said|tells?|told)\b", re.I)
COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|/\*.*?\*/', re.S)


def places(path):
    """Line, words and comment of each stop in a file."""
    text = open(os.path.join(ROOT, path), errors="replace").read()
    for match in COMMENT.finditer(text):
        if not match.group().startswith("/*"):
            continue
        comment = re.sub(r"\s*\n\s*\*?\s*", " ", match.group())
        stops = [s.group() for s in STOPS.finditer(comment)]
        if stops:
            yield text.count("\n", 0, match.start()) + 1, stops, comment


def room_of(path):
    return "/".join(os.path.dirname(path).split("/")[:2])


def main(args):
    listed = args[1] if len(args) == 2 and args[0] == "--list" else None
    if args and args != ["--write"] and not listed:
        sys.exit(__doc__)
    files = subprocess.run(["git", "-C", ROOT, "ls-files", "*.c", "*.h"], check=True, capture_output=True,
                           text=True).stdout.split()
    counts = collections.Counter()
    for path in files:
        if re.match(r"(tests|bench)/", path) or not os.path.exists(os.path.join(ROOT, path)):
            continue
        for line, stops, comment in places(path):
            counts[room_of(path)] += len(stops)
            if listed == room_of(path):
                print(f"{path}:{line}: {', '.join(stops)}: {comment}")
    before, table = {}, os.path.exists(TABLE)
    if table:
        before = dict(line.rstrip("\n").split("\t") for line in open(TABLE))
    rose = 0
    for room, count in sorted(counts.items()):
        most = int(before.get(room, 0))
        if table and count > most:
            print(f"{room}: found {count} words that stop a reader, expected at most {most} "
                  f"(tests/lib/words.py --list {room})", file=sys.stderr)
            rose = 1
    if args == ["--write"] and not rose:
        with open(TABLE, "w") as out:
            out.writelines(f"{room}\t{count}\n" for room, count in sorted(counts.items()))
    return rose


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
