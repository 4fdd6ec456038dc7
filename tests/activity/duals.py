# SPDX-License-Identifier: BSD-3-Clause
# duals.py MEASURED SIMULATED EDGES [METHOD]: each vertex, edge and count is the same, of at least so many edges, but for
# calls of METHOD; prints the ratio of the exclusive sums without MPI, simulated to measured.
import json, subprocess, sys


def dual(path):
    text = subprocess.run(["mastermind", "graph", path, "--json"], capture_output=True, text=True, check=True).stdout
    graph = json.loads(text)
    names = {v["id"]: (v["name"], v.get("class")) for v in graph["vertices"]}
    calls, edges = {}, {}
    for v in graph["vertices"]:
        calls[names[v["id"]]] = calls.get(names[v["id"]], 0) + v["calls"]
    for e in graph["edges"]:
        at = names[e["caller"]], names[e["callee"]]
        edges[at] = edges.get(at, 0) + e["calls"]
    own = sum(v["exclusive_ns"] - v.get("mpi_exclusive_ns", 0) for v in graph["vertices"])
    return calls, edges, own


measured, simulated = dual(sys.argv[1]), dual(sys.argv[2])
for what in 0, 1:
    for at in sorted(set(measured[what]) | set(simulated[what]), key=str):
        if str(at).count("'" + sys.argv[4] + "'" if len(sys.argv) > 4 else "nothing"):
            continue
        if measured[what].get(at) != simulated[what].get(at):
            sys.exit(f"{at}: measured {measured[what].get(at)}, simulated {simulated[what].get(at)}")
assert len(measured[1]) >= int(sys.argv[3]), f"only {len(measured[1])} edges"
print(simulated[2] / measured[2])
