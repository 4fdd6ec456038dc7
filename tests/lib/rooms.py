#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Check the includes of a tree against the table in its tests/lib/rooms.tsv.

    rooms.py [ROOT]

A row is a room: a folder with all folders in it that have no row of their own. Other rooms may
include its doors alone, and it may include the doors of the rooms that its row names, at most eight
besides ports/ and common/. Refused are also: a door or a room of a row that nothing includes, a library
header that a room reaches through others, a circle between folders, a ring of more than four files that
call each other (rings.py), a folder with more than 32 code files other than the list ports/. The code
below tests/ and bench/ needs no row. Exit: 0 the tree is as the table says, 1 it is not, 3 no table.
"""
import collections
import os
import re
import sys

import rings

MOST_FILES, MOST_ROOMS, MOST_OTHERS, MOST_RING = 32, 60, 8, 4
# A list rather than a room: one header a port, found by its name.
LISTS = {"ports"}
TABLE = "tests/lib/rooms.tsv"
# Every room may include these. The code below the next ones may include all.
FOR_ALL = {"ports", "common"}
FREE = {"tests", "bench"}
CODE = re.compile(r"\.(c|h|cc|f90|f|py|sh)$")
INCLUDE = re.compile(r'\s*#\s*include\s*(?:"([^"]+)"|(<[^>]+>))')


class Room:
    def __init__(self, line, cells):
        self.line, self.name = line, cells[0]
        self.doors, self.others, self.libraries = ([] if c == "-" else c.split() for c in cells[1:])

    def is_door(self, header):
        return self.doors == ["*"] or os.path.relpath(header, self.name) in self.doors


def read_table(path):
    """{folder: Room}"""
    found = {}
    with open(path) as table:
        for number, line in enumerate(table, 1):
            cells = line.rstrip("\n").split("\t")
            if not line.startswith("#") and len(cells) == 4:
                found[cells[0]] = Room(number, cells)
    return found


def code_files(root):
    found = []
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(f for f in folders if f != "build" and not f.startswith("."))
        found += [os.path.relpath(os.path.join(folder, f), root) for f in files if CODE.search(f)]
    return sorted(found)


def includes_of(root, name):
    """[(line, header, is_library)]; a header is named from the root."""
    found = []
    with open(os.path.join(root, name), errors="replace") as text:
        for number, line in enumerate(text, 1):
            m = INCLUDE.match(line)
            if not m:
                continue
            header = m.group(1) or m.group(2)
            if m.group(1) and not os.path.exists(os.path.join(root, header)):
                beside = os.path.join(os.path.dirname(name), header)
                header = beside if os.path.exists(os.path.join(root, beside)) else header
            found.append((number, header, not m.group(1)))
    return found


def room_of(rooms, folder):
    """The row of the folder or of the nearest one around it."""
    while folder and folder not in rooms:
        folder = os.path.dirname(folder)
    return rooms.get(folder)


def circle_of(edges):
    """The folders of one circle, the first of them again at the end; or None."""
    state, path = {}, []

    def walk(folder):
        state[folder] = "open"
        path.append(folder)
        for other in sorted(edges.get(folder, ())):
            if state.get(other) == "open":
                return path[path.index(other):] + [other]
            if other not in state:
                found = walk(other)
                if found:
                    return found
        path.pop()
        state[folder] = "done"
        return None

    for folder in sorted(edges):
        if folder not in state:
            found = walk(folder)
            if found:
                return found
    return None


def check_includes(rooms, includes):
    """(mistakes, {folder: folders})"""
    mistakes, edges, used = [], collections.defaultdict(set), set()
    for name, found in includes.items():
        folder = os.path.dirname(name)
        room = room_of(rooms, folder)
        is_free = folder.split("/")[0] in FREE
        if not room and not is_free:
            mistakes.append(f"{name}: found no row for {folder or 'the root'} in {TABLE}")
        for line, header, is_library in found:
            other = os.path.dirname(header)
            if is_library or other == folder:
                continue
            edges[folder].add(other)
            owner = room_of(rooms, other)
            if is_free or not room or owner is room:
                continue
            if not owner or owner.name not in FOR_ALL | set(room.others):
                mistakes.append(f"{name}:{line}: found {header}, which {room.name} may not include "
                                f"({TABLE}:{room.line})")
            elif not owner.is_door(header):
                mistakes.append(f"{name}:{line}: found {header}, which is private to {owner.name} "
                                f"({TABLE}:{owner.line})")
            else:
                used |= {(room.name, owner.name), header}
    for room in rooms.values():
        for other in room.others:
            if (room.name, other) not in used:
                mistakes.append(f"{TABLE}:{room.line}: {room.name} does not include {other}")
        for door in room.doors:
            if door != "*" and os.path.join(room.name, door) not in used:
                mistakes.append(f"{TABLE}:{room.line}: no other room includes {room.name}/{door}")
        if len(room.others) > MOST_OTHERS:
            mistakes.append(f"{TABLE}:{room.line}: found {len(room.others)} rooms that {room.name} may "
                            f"include, expected at most {MOST_OTHERS}")
    return mistakes, edges


def check(root):
    path = os.path.join(root, TABLE)
    rooms = read_table(path) if os.path.exists(path) else {}
    if not rooms:
        print(f"{TABLE}: found no table of rooms")
        return 3
    libraries = {h for room in rooms.values() for h in room.libraries}
    files = code_files(root)
    includes = {f: includes_of(root, f) for f in files if re.search(r"\.(c|h|cc)$", f)}
    mistakes, edges = check_includes(rooms, includes)
    if len(rooms) > MOST_ROOMS:
        mistakes.append(f"{TABLE}: found {len(rooms)} rooms, expected at most {MOST_ROOMS}")

    reached = {}

    def reach(name, trail):
        """{library header: the includes that lead to it}"""
        if name in reached or name in trail:
            return reached.get(name, {})
        found = {}
        for line, header, is_library in includes.get(name, []):
            if is_library and header in libraries:
                found.setdefault(header, f"{name}:{line}")
            elif not is_library:
                for library, way in reach(header, trail + [name]).items():
                    found.setdefault(library, f"{name}:{line}, {way}")
        reached[name] = found
        return found

    for name in includes:
        room = room_of(rooms, os.path.dirname(name))
        for library, way in sorted(reach(name, []).items()):
            if room and library not in room.libraries:
                mistakes.append(f"{way}: found {library}, which {room.name} may not include "
                                f"({TABLE}:{room.line})")

    circle = circle_of(edges)
    if circle:
        mistakes.append("folders include each other in a circle: " + " -> ".join(circle))
    for folder, count in collections.Counter(os.path.dirname(f) for f in files).items():
        if count > MOST_FILES and folder not in LISTS:
            mistakes.append(f"{folder}: found {count} code files, expected at most {MOST_FILES}")

    for ring in rings.large_rings(root, MOST_RING):
        mistakes.append(f"{len(ring)} files call each other in a ring, expected at most {MOST_RING} "
                        f"(tests/lib/rings.py): " + " ".join(ring))

    for mistake in sorted(set(mistakes)):
        print(mistake)
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(check(sys.argv[1] if len(sys.argv) > 1 else "."))
