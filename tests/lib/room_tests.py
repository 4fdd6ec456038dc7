#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Print the tests that a change of a room can break: `make check ROOM=mesh/balance`.

    room_tests.py ROOM TEST...

ROOM is a folder, with the folders below it. Folders that include it, directly or through others,
can break with it. A test is printed if tests/README.md names such a room, or a pattern of it, in the row of the test's
folder, or if the test is a program that includes one. Exit: 0, 2 no such folder.
"""
import fnmatch
import os
import re
import sys

import rooms

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def same(one, other):
    """Whether two folders, of which each may be a pattern, are the same."""
    return fnmatch.fnmatch(one, other) or fnmatch.fnmatch(other, one)


def affected_by(room, files):
    """The folders of code that are in the room, or include what is."""
    edges = {}
    for name in files:
        edges.setdefault(os.path.dirname(name), set()).update(
            os.path.dirname(header) for _, header, is_library in rooms.includes_of(ROOT, name)
            if not is_library)
    found = {folder for folder in edges if same(folder, room) or folder.startswith(room + "/")}
    while True:
        more = {folder for folder, others in edges.items() if folder not in found and others & found}
        if not more:
            return found
        found |= more


def rooms_of_tests():
    """{folder below tests/: rooms that its row names}"""
    found = {}
    with open(os.path.join(ROOT, "tests/README.md")) as page:
        for line in page:
            cells = [re.findall(r"`([^`]+)`", cell) for cell in line.strip().strip("|").split("|")]
            if line.startswith("|") and len(cells) == 3:
                found.update((name.rstrip("/"), cells[2]) for name in cells[0])
    return found


def folders_included(name, seen):
    """Folders of the headers that a file includes, through headers of tests/, too."""
    seen.add(name)
    found = set()
    for _, header, is_library in rooms.includes_of(ROOT, name):
        found.add(os.path.dirname(header))
        if not is_library and header.startswith("tests/") and header not in seen:
            found |= folders_included(header, seen)
    return found


def main(room, tests):
    files = [f for f in rooms.code_files(ROOT) if re.search(r"\.(c|h|cc)$", f)]
    affected = affected_by(room.rstrip("/"), [f for f in files if not f.startswith("tests/")])
    if not affected:
        print(f"room_tests.py: found no code in '{room}'", file=sys.stderr)
        return 2
    rows = rooms_of_tests()
    sources = {f for f in rooms.code_files(ROOT) if f.startswith("tests/")}
    for test in tests:
        base = os.path.basename(test)
        source = [f for f in sources if os.path.basename(f) in (base, base + ".c")][0]
        named = rows.get(source.split("/")[1], [])
        if source.endswith(".c"):
            named = named + sorted(folders_included(source, set()))
        if any(same(folder, name) for folder in affected for name in named):
            print(test)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
