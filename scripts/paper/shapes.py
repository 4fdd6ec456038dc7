# SPDX-License-Identifier: BSD-3-Clause
"""shapes.py OUT CSV...: equal sizes, other shapes: what States costs a cell. Writes OUT/shapes.json."""
import sys

from rows import rows
from table import markdown, write_values


def median(values):
    return sorted(values)[len(values) // 2]


def main(out, files):
    shapes = []
    for path in files:
        calls = list(rows(path, ("reconstruct",)))
        # The first step touches memory for the first time.
        calls = sorted(calls, key=lambda r: r.start)[len(calls) // 5:]
        cost = {mode: median([r.cpu * 1e3 / r["Q"] for r in calls if r["axis"] in names])
                for mode, names in {"x": (0, "x"), "y": (1, "y")}.items()}
        r = calls[0]
        shapes.append({"nx": r["nx"], "ny": r["ny"], "pitch": r["pitch"], "Q": r["Q"], "x": cost["x"], "y": cost["y"],
                       "ratio": cost["y"] / cost["x"]})
    size = min(s["Q"] for s in shapes)
    shapes.sort(key=lambda s: (s["Q"], -s["nx"]))
    table = [("{:,}".format(s["Q"]), "%d x %d" % (s["nx"], s["ny"]), s["pitch"], "%.1f" % s["x"], "%.1f" % s["y"], "%.2f" % s["ratio"])
             for s in shapes]
    write_values(out + "/shapes.json", {
        "shapes": [s for s in shapes if s["Q"] == size], "others": [s for s in shapes if s["Q"] > size], "Q": size,
        "table": markdown((">Q", ">nx x ny", ">pitch", ">sequential, ns an element", ">strided", ">ratio"), table)})


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
