#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""List functions of headers that only tests and benches call, or nobody.

    unused.py [ROOT]

A function whose comment says that it is for users' components or programs is used, and so is one that
generated code calls by a name that is put together. Exit: 0 there is none, 1 there are some.
"""
import collections
import os
import re
import sys

C = (".c", ".h", ".cc")
OTHER = (".py", ".f90", ".F90", ".map", ".in", "Makefile")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
# The start of a declaration or definition at the left margin, up to the name of the function.
HEAD = re.compile(r"^(?!#|\s|\}|typedef)[A-Za-z_][^;{}()=]*?\b(\w+)\(", re.M)
FOR_USERS = re.compile(r"users'")
# Names whose ends the generators choose: tau_port/pmpi/wrap_fortran.py, tools/proxygen/emit/; or that
# the table of operators pastes together: tools/proxygen/perf/expr_value.c.
GENERATED = {"pmpi_f_ignores_all", "interpose_end_at", "interpose_now",
             *("proxy_" + name for name in "add div least max mod most ratio shl shr".split())}


def texts(root):
    for folder, folders, names in os.walk(root):
        folders[:] = [f for f in folders if not f.startswith(".") and f not in ("build", "data", "golden")]
        for name in names:
            if name.endswith(C + OTHER):
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8", errors="replace") as file:
                    yield os.path.relpath(path, root), file.read()


def is_outside(path):
    return path.startswith(("tests/", "bench/"))


def comment_before(text, at):
    before = text[:at].rstrip()
    return before[before.rfind("/*"):] if before.endswith("*/") else ""


def main():
    declared, used = {}, collections.defaultdict(set)
    for path, text in texts(sys.argv[1] if len(sys.argv) > 1 else "."):
        heads = set()
        if path.endswith(C):
            code = COMMENT.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)
            for head in HEAD.finditer(code):
                heads.add(head.start(1))
                if path.endswith(".h") and not is_outside(path):
                    declared.setdefault(head.group(1), (path, comment_before(text, head.start())))
            text = code
        for word in re.finditer(r"[A-Za-z_]\w*", text):
            if word.start() not in heads:
                used[word.group()].add(path)
    found = 0
    for name, (path, comment) in sorted(declared.items(), key=lambda item: (item[1][0], item[0])):
        if name in GENERATED or FOR_USERS.search(comment) or not all(map(is_outside, used[name])):
            continue
        print(f"{path}: {name} is called by {', '.join(sorted(used[name])) or 'nobody'}: remove it, or say in its "
              "comment for which of users' programs it is")
        found = 1
    return found


sys.exit(main())
