# SPDX-License-Identifier: BSD-3-Clause
"""profile.py OUT REPORT.json: where the time of the ranks went, as the table of the paper's Figure 3.

REPORT is what `mastermind report --by-rank --json` prints. Methods are without the time inside MPI, whose functions have
lines of their own; all is averaged over the ranks. Writes OUT/profile.dat and OUT/profile.json.
"""
import json
import sys

from table import markdown, write_blocks, write_values

LINES = 14  # in figure and table


def main(out, path):
    report = json.load(open(path))
    ranks = report["ranks"]
    total = report["total_ns"] / ranks
    lines = []
    for m in report["methods"]:
        own = m["exclusive_ns"] - m.get("mpi_exclusive_ns", 0)
        by_rank = [r["exclusive_ns"] for r in m["by_rank"]]
        lines.append((m["port"] + "." + m["method"] if m["port"] != "go" else "go (not attributed)",
                      own / ranks, m["inclusive_ns"] / ranks, m["calls"] / ranks, m["subrs"] / ranks, by_rank, m))
    inside = sum(m.get("mpi_exclusive_ns", 0) for m in report["methods"])
    before = 0
    for f in report.get("mpi", []):
        if "Init" in f["name"]:  # before the assembly began
            before += f["inclusive_ns"] / ranks
            continue
        lines.append((f["name"], f["inclusive_ns"] / ranks, f["inclusive_ns"] / ranks, f["calls"] / ranks, 0, None, f))
    lines.sort(key=lambda l: -l[1])
    go = next(l for l in lines if l[0].startswith("go ("))
    shown = [l for l in lines if l[1] > 5e-4 * total][:LINES]
    if go not in shown:
        shown.append(go)
    rest = [l for l in lines if l not in shown]
    blocks = {"bars": [(k, '"%s"' % escape(l[0]), 100 * l[1] / total, 100 * min(l[2], total) / total)
                       for k, l in enumerate(shown)]}
    write_blocks(out + "/profile.dat", blocks)
    table = [("%.1f" % (100 * l[2] / total), "%.1f" % (l[1] / 1e6), "%.1f" % (l[2] / 1e6), "%.5g" % round(l[3], 1),
              "%.5g" % round(l[4], 1), "%.4g" % (l[2] / 1e3 / l[3] if l[3] else 0), "`%s`" % l[0]) for l in shown]
    own_time = sum(l[1] for l in lines)
    write_values(out + "/profile.json", {
        "ranks": ranks, "total_s": total / 1e9, "unattributed": go[1] / total, "mpi": inside / ranks / total,
        "sum": own_time / total, "init_s": before / 1e9, "left_out": len(rest),
        "left_out_share": sum(l[1] for l in rest) / total,
        "exclusive_s": {l[0]: l[1] / 1e9 for l in lines},
        "table": markdown((">%time", ">exclusive ms", ">inclusive ms", ">calls", ">subrs", ">us a call", "name"), table)})


def escape(name):
    """gnuplot's enhanced text."""
    return name.replace("_", "\\\\_")


if __name__ == "__main__":
    main(*sys.argv[1:])
