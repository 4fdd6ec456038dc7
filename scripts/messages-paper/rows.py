# SPDX-License-Identifier: BSD-3-Clause
"""rows.py: files of runs and tables, for the other scripts of this folder."""
import csv
import glob
import json
import os
import re
import statistics


def outputs(folder, section):
    """{request: [text of each round]} of runs/SECTION-REQUEST-ROUND.out"""
    found = {}
    for path in sorted(glob.glob("%s/%s-*.out" % (folder, section))):
        match = re.fullmatch(section + r"-(.*)-(\d+)\.out", os.path.basename(path))
        if match:
            found.setdefault(match[1], []).append(open(path).read())
    return found


def table(path):
    return list(csv.DictReader(open(path)))


def save(folder, name, value):
    json.dump(value, open("%s/%s.json" % (folder, name), "w"), indent=1)


def markdown(head, rows):
    lines = [head, ["---"] + ["--:"] * (len(head) - 1)] + rows
    return "\n".join("| %s |" % " | ".join(str(w) for w in line) for line in lines)


def blocks(path, named):
    """For gnuplot's `index "NAME|"`, which takes the first block whose name begins so: {name: rows}."""
    with open(path, "w") as file:
        for name, rows in named.items():
            file.write("# %s|\n" % name)
            for row in rows:
                file.write(" ".join("%.9g" % v if isinstance(v, float) else str(v) for v in row) + "\n")
            file.write("\n\n")


def median(values):
    return statistics.median(values)


def size_text(size):
    return "%d MiB" % (size >> 20) if size >= 1 << 20 else "%d KiB" % (size >> 10) if size >= 1024 else "%d B" % size
