#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""compare.py TRUTH ROWS.csv: what a program says that it called against what was recorded of it.

A line of TRUTH is a call: the function, then every value that its row should have, as name=value; a
name without a value is a value that should be absent. `in=OTHER` says that the call comes from
within one of OTHER. `inner NAME` says that calls of NAME from within the library itself, which
the program cannot know of, are not compared. Calls of a function are in the order in which they began.
"""
import csv
import math
import sys


def number(text):
    """Numbers are compared as numbers; one that is not finite is an empty cell."""
    for kind in (int, float):
        try:
            value = kind(text)
            return value if math.isfinite(value) else ""
        except ValueError:
            pass
    return text


def told(path):
    calls, inner = {}, set()
    for line in open(path):
        name, *values = line.split()
        if name == "inner":
            inner.update(values)
            continue
        values = dict(value.partition("=")[::2] for value in values)
        caller = values.pop("in", "")
        calls.setdefault(name, []).append(
            (caller, {key: number(value) for key, value in values.items()}))
    return calls, inner


def recorded(path, inner):
    rows = list(csv.DictReader(open(path)))
    names = {(row["rank"], row["thread"], row["invocation"]): row["method"] for row in rows}
    calls = {}
    rows.sort(key=lambda row: (int(row["thread"]), int(row["invocation"])))
    for row in rows:
        caller = names.get((row["rank"], row["thread"], row["caller"]), "")
        if caller and row["method"] in inner:
            continue
        assert row["status"] == "done", row
        # What is a parameter of one function may be an out-value of another.
        values = {}
        for key, text in row.items():
            if key[:2] in ("p.", "o.") and not values.get(key[2:]):
                values[key[2:]] = text
        values = {key: number(text) for key, text in values.items()}
        calls.setdefault(row["method"], []).append((caller, values))
    return calls


def main():
    truth, inner = told(sys.argv[1])
    found = recorded(sys.argv[2], inner)
    wrong = 0
    for name in sorted(set(truth) | set(found)):
        want, have = truth.get(name, []), found.get(name, [])
        if len(want) != len(have):
            print(f"{name}: {len(have)} calls recorded, {len(want)} made; callers "
                  f"{sorted({caller for caller, _ in have})}")
            wrong += 1
        for i, ((caller, values), (row_caller, row)) in enumerate(zip(want, have)):
            # A column that this function has not is empty in its rows.
            row = {key: value for key, value in row.items() if value != "" or key in values}
            if caller != row_caller or values != row:
                print(f"{name}, call {i + 1}: from '{row_caller}' {row}, not '{caller}' {values}")
                wrong += 1
                break
    calls = sum(map(len, truth.values()))
    if not calls:
        sys.exit("no calls")
    print(f"{calls} calls of {len(truth)} functions: {wrong} differ")
    sys.exit(wrong != 0)


main()
