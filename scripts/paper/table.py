# SPDX-License-Identifier: BSD-3-Clause
"""Tables for gnuplot: blocks of lines, which `index NAME` selects."""
import json


def thin(points, most, key):
    """At most `most` of the points, evenly along `key`, first and last among them."""
    points = sorted(points, key=key)
    if len(points) <= most:
        return points
    return [points[round(k * (len(points) - 1) / (most - 1))] for k in range(most)]


def write_blocks(path, blocks):
    """`blocks`: name to lines of numbers."""
    with open(path, "w") as file:
        for name, lines in blocks.items():
            file.write("# %s\n" % name)
            for line in lines:
                file.write(" ".join(v if isinstance(v, str) else "%.6g" % v for v in line) + "\n")
            if not lines:
                file.write("nan nan nan nan nan nan\n")
            file.write("\n\n")


def write_values(path, values):
    """What the page and the claims take from here."""
    with open(path, "w") as file:
        json.dump(values, file, indent=1)
        file.write("\n")


def markdown(head, lines):
    """A table; columns of numbers are flush right."""
    out = ["| " + " | ".join(head) + " |"]
    out.append("|" + "|".join("---:" if name.startswith(">") else "---" for name in head) + "|")
    out[0] = out[0].replace("| >", "| ")
    out += ["| " + " | ".join(str(v) for v in line) + " |" for line in lines]
    return "\n".join(out)
