# SPDX-License-Identifier: BSD-3-Clause
"""wiring.py EXPERIMENT: the assembly as the framework had it, for Graphviz.

From wiring.json and experiment.json: an arrow from user to provider, and a P where a proxy stood before the provided port.
Proxies that the paper had, too, are filled.
"""
import json
import sys

PAPER = ("states", "flux", "mesh")  # States, EFMFlux or GodunovFlux, AMRMesh
SERVICES = "Mastermind", "TauMeasurement"


def main(experiment):
    wiring = json.load(open(experiment + "/wiring.json"))
    measured = set(json.load(open(experiment + "/experiment.json"))["measured"])
    classes = {i["name"]: i["class"] for i in wiring["instances"]}
    print('digraph wiring {\n  rankdir=LR; ranksep=.35; nodesep=.16; margin=.05;')
    print('  node [shape=box, fontname="sans-serif", fontsize=12, height=.35, margin="0.10,0.04"];')
    print('  edge [arrowsize=.6, color="#444444"];')
    for name, what in classes.items():
        if what not in SERVICES:
            print('  %s [label="%s", style="filled,rounded", fillcolor="#f4f4f4"];' % (name, what))
    seen = set()
    for c in wiring["connections"]:
        port = c["provider"] + "." + c["provides"]
        if port not in measured:
            print("  %s -> %s;" % (c["user"], c["provider"]))
            continue
        proxy = "proxy_" + port.replace(".", "_")
        if port not in seen:
            seen.add(port)
            marked = c["provider"] in PAPER
            print('  %s [label="P", shape=square, fixedsize=true, width=%s, height=%s, fontsize=%d, style=filled, '
                  'fillcolor="%s", fontcolor="%s"];' % ((proxy,) + ((.26, .26, 11, "#0072B2", "white") if marked else
                                                                    (.19, .19, 8, "white", "#444444"))))
            print("  %s -> %s [weight=8];" % (proxy, c["provider"]))
        print("  %s -> %s [arrowhead=none];" % (c["user"], proxy))
    print('  mastermind [label="Mastermind", style="filled,rounded", fillcolor="#F0E442"];')
    print('  tau [label="TauMeasurement", style="filled,rounded", fillcolor="#F0E442"];')
    for port in sorted(seen):
        if port.split(".")[0] in PAPER:
            print('  proxy_%s -> mastermind [style=dashed, color="#0072B2"];' % port.replace(".", "_"))
    print("  mastermind -> tau;\n}")


if __name__ == "__main__":
    main(sys.argv[1])
