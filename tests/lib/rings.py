#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Find rings of source files: files that call each other's public functions in a circle.

    rings.py [ROOT]

Files are joined by a public function, one that a header declares, one file defines and another names.
Left out are functions of headers (static inline), names that several files define, and names that
the user defines itself. Prints every ring, and under it the functions that hold it together. Exit: 0.
"""
import collections
import os
import re
import sys

TOKEN = re.compile(r"[A-Za-z_]\w*|->|\S")
# Comments, strings, characters; what follows a # up to the end of its line but not an #define's text.
BLANK = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
                   r'|^[ \t]*#[ \t]*(?!define\b)(?:\\\n|[^\n])*', re.S | re.M)
MACRO = re.compile(r"^[ \t]*#[ \t]*define\b(?:\\\n|[^\n])*", re.M)
# Words after which a name is a member or a tag.
NO_USE = {".", "->", "struct", "union", "enum"}
# Folders of parsers by recursive descent: their rings are the grammar's.
GRAMMARS = {"activity/model"}
KEYWORDS = {"if", "while", "for", "switch", "return", "sizeof", "__attribute__", "_Alignas"}


def functions_of(tokens):
    """{name: is_static} of the functions that the tokens define."""
    found, depth, start = {}, 0, 0
    for at, token in enumerate(tokens):
        if token == "{":
            head = tokens[start:at]
            if depth == 0 and "(" in head and "=" not in head:
                names = [a for a, b in zip(head, head[1:])
                         if b == "(" and re.match(r"[A-Za-z_]", a) and a not in KEYWORDS]
                if names:
                    found[names[0]] = "static" in head
            depth += 1
        elif token == "}":
            depth -= 1
        if depth == 0 and token in "};":
            start = at + 1
    return found


def read_file(path):
    """(functions defined, names used) of a file."""
    with open(path, errors="replace") as text:
        text = BLANK.sub(" ", text.read())
    tokens = TOKEN.findall(MACRO.sub(" ", text))
    used = {b for a, b in zip([""] + tokens, tokens) if a not in NO_USE}
    for macro in MACRO.findall(text):
        used.update(TOKEN.findall(macro))
    return functions_of(tokens), used


def edges_of(root, files):
    """{(user, owner): names}"""
    read = {f: read_file(os.path.join(root, f)) for f in files}
    declared = set().union(*(used for f, (_, used) in read.items() if f.endswith(".h")))
    owners = collections.defaultdict(list)
    for name, (functions, _) in read.items():
        for function, is_static in functions.items():
            if function in declared and (not is_static or name.endswith(".h")):
                owners[function].append(name)
    owner = {function: names[0] for function, names in owners.items()
             if len(names) == 1 and names[0].endswith(".c")}
    edges = collections.defaultdict(set)
    for name, (functions, used) in read.items():
        if name.endswith(".h"):
            continue
        for function in used & owner.keys() - functions.keys():
            edges[name, owner[function]].add(function)
    return edges


def rings_of(edges):
    """The strongly connected components of more than one file, the largest first (Tarjan's way)."""
    after = collections.defaultdict(set)
    for user, owner in edges:
        after[user].add(owner)
    order, low, path, rings = {}, {}, [], []

    def walk(name):
        order[name] = low[name] = len(order)
        path.append(name)
        for other in sorted(after.get(name, ())):
            if other not in order:
                walk(other)
                low[name] = min(low[name], low[other])
            elif other in path:
                low[name] = min(low[name], order[other])
        if low[name] == order[name]:
            ring = path[path.index(name):]
            del path[path.index(name):]
            if len(ring) > 1:
                rings.append(sorted(ring))

    sys.setrecursionlimit(10000)
    for name in sorted(after):
        if name not in order:
            walk(name)
    return sorted(rings, key=lambda ring: (-len(ring), ring))


def source_files(root):
    found = []
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(f for f in folders if f not in ("build", "tests") and not f.startswith("."))
        found += [os.path.relpath(os.path.join(folder, f), root) for f in files
                  if f.endswith((".c", ".h"))]
    return sorted(found)


def large_rings(root, most):
    """The rings of more than `most` files that are no grammar."""
    return [ring for ring in rings_of(edges_of(root, source_files(root)))
            if len(ring) > most and {os.path.dirname(name) for name in ring} - GRAMMARS]


def main(root):
    edges = edges_of(root, source_files(root))
    for ring in rings_of(edges):
        print(f"{len(ring)} files: {' '.join(ring)}")
        for (user, owner), names in sorted(edges.items()):
            if user in ring and owner in ring:
                print(f"    {user} -> {owner}: {' '.join(sorted(names))}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "."))
