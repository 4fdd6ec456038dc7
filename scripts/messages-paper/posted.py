# SPDX-License-Identifier: BSD-3-Clause
"""posted.py RUNS DATA: Figure 2, messages that measuring makes unexpected, as the program itself found them."""
import math
import sys

import rows

COLUMNS = "unexpected", "queue", "latency_ns", "receiver_ns"


def read(text):
    """{margin: {column: value}}"""
    found = {}
    for line in text.splitlines():
        words = line.split()
        if words[:1] == ["margin"]:
            found[int(words[1])] = {c: float(words[words.index(c) + 1]) for c in COLUMNS}
    return found


def needed(margins):
    """The margin from which at least half of the messages are expected, interpolated; NaN where none is."""
    last = None
    for margin, values in reversed(margins):
        if values["unexpected"] > .5:
            if last is None:
                return math.nan
            share = (values["unexpected"] - .5) / (values["unexpected"] - last[1])
            return margin + share * (last[0] - margin)
        last = margin, values["unexpected"]
    return margins[0][0]


def main(runs, data):
    result, drawn, lines = {}, {}, []
    for request, texts in rows.outputs(runs, "posted").items():
        found = [read(t) for t in texts]
        margins = [(m, {c: rows.median(f[m][c] for f in found) for c in COLUMNS}) for m in found[0]]
        drawn[request] = [(m / 1e3, 100 * v["unexpected"], v["queue"], v["latency_ns"] / 1e3) for m, v in margins]
        known = [v["receiver_ns"] for _, v in margins if v["receiver_ns"] >= 0]
        at = dict(margins)[800]
        result[request] = {"needed_ns": needed(margins), "receiver_ns": rows.median(known) if known else math.nan,
                           "at_800": at}
        lines.append([{"none": "not asked for"}.get(request, request), "%.0f ns" % result[request]["receiver_ns"],
                      "%.0f ns" % result[request]["needed_ns"] if result[request]["needed_ns"] == result[request]["needed_ns"] else "more than 3,200 ns",
                      "%.0f %%" % (100 * at["unexpected"]), "%.1f" % at["queue"], "%.2f us" % (at["latency_ns"] / 1e3)])
    rows.blocks(data + "/posted.dat", drawn)
    lines.sort(key=lambda l: ["not asked for", "P-0-OFF", "P-0.01-WRITE,frames=8", "P-1-WRITE", "P-1-WRITE,frames=8"].index(l[0]))
    rows.save(data, "posted", {"requests": result, "table": rows.markdown(
        ["configuration", "a receive that need not wait", "margin for half expected", "unexpected at 800 ns", "queue there", "latency there"],
        lines)})


if __name__ == "__main__":
    main(*sys.argv[1:])
