# SPDX-License-Identifier: BSD-3-Clause
"""dual.py GRAPH.json PREDICT.json OUT: the dual for Graphviz, its vertices weighed by the models.

GRAPH is what `mastermind graph --json` prints: edges and counts. PREDICT is what `mastermind predict --metric CPU_TIME
--json` prints without another class: the models' sum over the calls of each method. Methods below a part of the total that no
edge needs are left out. Writes OUT/dual.json, too.
"""
import json
import sys

from table import write_values

SMALLEST = 0.003  # of the total


def main(graph_path, predict_path, out):
    graph, predict = json.load(open(graph_path)), json.load(open(predict_path))
    model = {p["name"]: p for p in predict["parts"]}
    total = sum(p["predicted"] for p in predict["parts"])
    names = {v["id"]: v["name"] for v in graph["vertices"]}
    kept = {v["id"] for v in graph["vertices"] if v["name"] in model and model[v["name"]]["predicted"] >= SMALLEST * total}
    kept |= {e["caller"] for e in graph["edges"] if e["callee"] in kept and names.get(e["caller"]) in model}
    print('digraph dual {\n  rankdir=TB; ranksep=.45; nodesep=.15; margin=.05;')
    print('  node [shape=box, style="rounded,filled", fontname="sans-serif", fontsize=12, margin="0.09,0.05"];')
    print('  edge [fontname="sans-serif", fontsize=11, color="#444444", arrowsize=.7];')
    for v in graph["vertices"]:
        if v["id"] not in kept:
            continue
        part = model[v["name"]]["predicted"] / total
        mpi = v.get("mpi_exclusive_ns", 0)
        label = "%s\\n%s.%s\\n%s" % (v["class"], v["port"], v["method"], seconds(model[v["name"]]["predicted"] / 1e9))
        if mpi > 0.001 * graph["total_ns"]:
            label += " + MPI " + seconds(mpi / 1e9)
        print('  v%d [label="%s", penwidth=%.2f, fillcolor="%.3f %.3f 1.0"];'
              % (v["id"], label, 1 + 3 * part, 0.56, 0.05 + 0.5 * part ** .7))
    edges = {}
    for e in graph["edges"]:
        caller, callee = names.get(e["caller"], "thread"), names[e["callee"]]
        edges[caller + " " + callee] = e["calls"]
        if e["caller"] in kept and e["callee"] in kept:
            print('  v%d -> v%d [label=" %s"];' % (e["caller"], e["callee"], "{:,}".format(e["calls"])))
    print("}")
    write_values(out + "/dual.json", {
        "edges": edges, "smallest": SMALLEST,
        "updates": sum(n for e, n in edges.items() if e.startswith("rk2.") and e.endswith(".exchange")), "left_out": len([v for v in graph["vertices"] if v["id"] not in kept and v["calls"]]),
        "predicted_s": total / 1e9, "measured_s": sum(p["measured"] for p in predict["parts"]) / 1e9,
        "by_models": [p["name"] for p in predict["parts"]]})


def seconds(s):
    return "%.2f s" % s if s >= .995 else "%.0f ms" % (1e3 * s) if s >= .0095 else "%.1f ms" % (1e3 * s)


if __name__ == "__main__":
    main(*sys.argv[1:])
