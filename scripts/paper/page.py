# SPDX-License-Identifier: BSD-3-Clause
"""page.py TEMPLATE DIR [EXPERIMENT]: the page with the numbers of the runs in DIR, on standard output.

In the template {{EXPRESSION}} is replaced. An expression is Python on the values: each DIR/data/NAME.json is NAME, with members
as attributes, `machine` is that of EXPERIMENT (godunov.mm) in DIR, and the functions below format numbers.
"""
import glob
import json
import os
import re
import sys
import textwrap

WIDTH = 110


def value(v):
    """JSON as attributes; names that are no Python names are reached by [ ]."""
    if isinstance(v, dict):
        return Members((k, value(w)) for k, w in v.items())
    return [value(w) for w in v] if isinstance(v, list) else v


class Members(dict):
    def __getattr__(self, name):
        return self[name]


def percent(v, digits=0):
    return "%.*f %%" % (digits, 100 * v)


def near(points, low, high, column=1):
    """The mean of a column where low <= Q <= high."""
    found = [p[column] for p in points if low <= p[0] <= high]
    return sum(found) / len(found)


def element(points, low, high):
    """ns an element, the mean where low <= Q <= high."""
    found = [1e3 * p[1] / p[0] for p in points if low <= p[0] <= high]
    return "%.0f" % (sum(found) / len(found))


def size_text(size):
    return "%d MB" % (size >> 20) if size >= 1 << 20 else "%d KB" % (size >> 10)


def l2_bytes(machine):
    return max(c["bytes"] for c in machine["caches"] if c["level"] == 2)


def caches(machine):
    return ", ".join("L%d %s" % (c["level"], size_text(c["bytes"])) for c in machine["caches"] if c["type"] != "instruction")


def wrapped(text):
    """Paragraphs and items of lists in lines of WIDTH; tables, headings, pictures and code stay."""
    out, code = [], False
    text = re.sub(r"`[^`\n]+`", lambda span: span[0].replace(" ", "\0"), text)
    for block in text.split("\n\n"):
        if code or block.startswith("```"):
            code = (code + block.count("```")) % 2 == 1
        elif not re.match(r"\||#|!\[", block):
            block = "\n".join(textwrap.fill(" ".join(part.split()), WIDTH, subsequent_indent="  " * part.startswith("- "),
                                            break_long_words=False, break_on_hyphens=False)
                              for part in re.split(r"\n(?=- )", block))
        out.append(block.strip("\n"))
    return "\n\n".join(b for b in out if b).replace("\0", " ") + "\n"


def main(template, folder, experiment="godunov.mm"):
    names = {"percent": percent, "near": near, "element": element, "l2_bytes": l2_bytes, "round": round, "caches": caches, "sum": sum, "max": max, "min": min, "len": len,
             "thousands": lambda v: "{:,}".format(int(v))}
    for path in glob.glob(folder + "/data/*.json"):
        names[os.path.basename(path)[:-5].replace("-", "_")] = value(json.load(open(path)))
    names["machine"] = value(json.load(open("%s/%s/experiment.json" % (folder, experiment)))["machine"])

    def replace(match):
        try:
            found = eval(match[1], {"__builtins__": {}}, names)
        except Exception as error:
            sys.exit("page: cannot evaluate '%s': %r" % (match[1], error))
        return "%.3g" % found if isinstance(found, float) else str(found)

    text = open(template).read()
    sys.stdout.write(wrapped(re.sub(r"\{\{(.*?)\}\}", replace, text)))


if __name__ == "__main__":
    main(*sys.argv[1:])
