#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Check the includes of a tree against the tables in its docs/architecture.md.

    rooms.py [ROOT]

A row of the first table, `| FOLDER | folders and headers | <library headers> |`, holds what the
files of a folder may include; FOLDER may end in /*. A row of the second, `| FILE | HEADER | reason |`,
is an exception. Checked are also: an exception that no file uses, a library header that a folder
reaches through others, a circle between folders, a folder with more than 32 code files other than the list ports/.
The code below tests/ needs no row. Exit: 0 the tree is as the tables say, 1 it is not, 3 no tables.
"""
import collections
import os
import re
import sys

MOST_FILES = 32
# A list rather than a room: one header a port, found by its name.
LISTS = {"ports"}
PAGE = "docs/architecture.md"
CODE = re.compile(r"\.(c|h|cc|f90|f|py|sh)$")
INCLUDE = re.compile(r'\s*#\s*include\s*(?:"([^"]+)"|(<[^>]+>))')


class Room:
    def __init__(self, line, headers, libraries):
        self.line, self.headers, self.libraries = line, headers, libraries


class Exemption:
    def __init__(self, line, reason):
        self.line, self.reason, self.used = line, reason, False


def read_page(path):
    """The rows of both tables: {folder: Room}, {(file, header): Exemption}."""
    rooms, exceptions, table = {}, {}, None
    with open(path) as page:
        for number, line in enumerate(page, 1):
            cells = [c.strip() for c in line.strip().strip("|").split("|")]
            if not line.startswith("|"):
                table = None
            elif cells[:2] == ["folder", "may include"]:
                table = rooms
            elif cells[:2] == ["file", "includes"]:
                table = exceptions
            elif table is not None and len(cells) == 3 and not re.fullmatch(r":?-+:?", cells[0]):
                names, headers, libraries = (re.findall(r"`([^`]+)`", cell) for cell in cells)
                if table is rooms:
                    rooms[names[0]] = Room(number, headers, libraries)
                else:
                    for name in names:
                        for header in headers:
                            exceptions[name, header] = Exemption(number, cells[2])
    return rooms, exceptions


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
    return rooms.get(folder) or rooms.get(os.path.dirname(folder) + "/*")


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


def check(root):
    rooms, exceptions = read_page(os.path.join(root, PAGE))
    if not rooms:
        print(f"{PAGE}: found no table '| folder | may include | ...'")
        return 3
    mistakes = []
    libraries = {h for row in rooms.values() for h in row.libraries}
    files = code_files(root)
    includes = {f: includes_of(root, f) for f in files if re.search(r"\.(c|h|cc)$", f)}
    edges = collections.defaultdict(set)

    for name, found in includes.items():
        folder = os.path.dirname(name)
        row = None if folder.split("/")[0] == "tests" else room_of(rooms, folder)
        if row is None and folder.split("/")[0] != "tests":
            mistakes.append(f"{name}: found no row for {folder or 'the root'} in {PAGE}")
            continue
        for line, header, is_library in found:
            other = os.path.dirname(header)
            if is_library or other == folder:
                continue
            edges[folder].add(other)
            if row is None or other in row.headers or header in row.headers:
                continue
            exception = exceptions.get((name, header))
            if exception:
                exception.used = True
            else:
                mistakes.append(f"{name}:{line}: found {header}, which {folder} may not include "
                                f"({PAGE}:{row.line})")

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
        folder = os.path.dirname(name)
        row = room_of(rooms, folder)
        for library, way in sorted(reach(name, []).items()):
            if row and library not in row.libraries:
                mistakes.append(f"{way}: found {library}, which {folder} may not include "
                                f"({PAGE}:{row.line})")

    for (name, header), row in exceptions.items():
        if not row.used:
            mistakes.append(f"{PAGE}:{row.line}: found an exception that nothing uses, "
                            f"{name} includes {header}")
        elif not row.reason:
            mistakes.append(f"{PAGE}:{row.line}: found an exception without a reason, {name}")

    circle = circle_of(edges)
    if circle:
        mistakes.append("folders include each other in a circle: " + " -> ".join(circle))
    for folder, count in collections.Counter(os.path.dirname(f) for f in files).items():
        if count > MOST_FILES and folder not in LISTS:
            mistakes.append(f"{folder}: found {count} code files, expected at most {MOST_FILES}")

    for mistake in sorted(set(mistakes)):
        print(mistake)
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(check(sys.argv[1] if len(sys.argv) > 1 else "."))
