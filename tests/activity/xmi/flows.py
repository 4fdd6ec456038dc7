#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Random UML flows, walked here edge by edge, against the structured model that activity import makes of them.

flows.py FROM COUNT: flows number FROM, FROM + 1, ... A flow's actions change k and t, guards ask them, and an
action's cost depends on k, so that the sum tells which actions were done, and in which order. What is refused must be
irreducible. Prints how many were the same, how many were refused, and how many never end."""
import random
import re
import subprocess
import sys

GUARDS = ["k % 3 == 0", "k % 2 == 1", "k > 40", "(k + t) % 4 < 2", "k < 20 || k % 5 == 1"]


class Flow:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.nodes, self.edges, self.actions = [], [], 0
        self.node("InitialNode")
        if seed % 3 == 2:
            self.any_graph()
        else:
            ends = self.block([(0, None)], 3, None)
            final = self.node("ActivityFinalNode")
            self.join(ends, final)

    def node(self, kind):
        self.nodes.append(kind)
        return len(self.nodes) - 1

    def join(self, ends, to):
        for source, guard in ends:
            self.edges.append((source, to, guard))

    def action(self, ends):
        n = self.node("OpaqueAction")
        self.actions += 1
        self.join(ends, n)
        return [(n, None)]

    # Ways that meet: at a merge that is drawn, or at whatever comes next.
    def meet(self, ends):
        if len(ends) > 1 and self.r.random() < .5:
            m = self.node("MergeNode")
            self.join(ends, m)
            return [(m, None)]
        return ends

    def block(self, ends, depth, leave):
        for _ in range(self.r.randint(1, 3)):
            ends = self.part(ends, depth, leave)
        return ends

    def part(self, ends, depth, leave):
        kind = self.r.randint(0, 5) if depth > 0 else 0
        if kind <= 1:
            return self.action(ends)
        if kind == 2:  # branches
            d = self.node("DecisionNode")
            self.join(ends, d)
            guards = self.r.sample(GUARDS, self.r.randint(1, 3)) + ["else"]
            out = []
            for g in guards:
                out += self.block([(d, g)], depth - 1, leave) if self.r.random() < .7 else [(d, g)]
            return self.meet(out)
        more = "t < 60 && " + self.r.choice(GUARDS[:4])
        m = self.node("MergeNode")
        self.join(ends, m)
        if kind == 3:  # tested first
            d = self.node("DecisionNode")
            self.join([(m, None)], d)
            self.join(self.block([(d, more)], depth - 1, None), m)
            return [(d, "else")]
        body = self.block([(m, None)], depth - 1, None)
        d = self.node("DecisionNode")
        self.join(body, d)
        back = [(d, more)]
        if kind == 5:  # left in the middle
            back = self.block(back, depth - 1, None)
        self.join(back, m)
        return [(d, "else")]

    def any_graph(self):
        count = self.r.randint(3, 8)
        kinds = [self.r.choice(["OpaqueAction", "DecisionNode"]) for _ in range(count)]
        ids = [self.node(k) for k in kinds]
        final = self.node("ActivityFinalNode")
        self.edges.append((0, ids[0], None))
        for i, n in enumerate(ids):
            ways = 2 if kinds[i] == "DecisionNode" else 1
            near = ids[i + 1] if i + 1 < count else final
            others = [near] + [self.r.choice(ids[max(0, i - 3):] + [final]) for _ in range(ways - 1)]
            self.r.shuffle(others)
            for w, to in enumerate(others):
                guard = None if ways == 1 else ("t < 60 && " + self.r.choice(GUARDS[:4]) if w == 0 else "else")
                self.edges.append((n, to, guard))

    def xmi(self):
        out = ['<?xml version="1.0"?>', '<uml:Model xmlns:xmi="http://www.omg.org/spec/XMI/20131001" '
               'xmlns:uml="http://www.eclipse.org/uml2/5.0.0/UML" xmi:id="m" name="flow">',
               '<packagedElement xmi:type="uml:Class" xmi:id="g" name="G">']
        for name in "kt":
            out.append(f'<ownedAttribute xmi:id="g{name}" name="{name}"><type href="x:y#Integer"/>'
                       f'<defaultValue xmi:type="uml:LiteralInteger" xmi:id="d{name}" value="1"/></ownedAttribute>')
        out += ['</packagedElement>', '<packagedElement xmi:type="uml:Activity" xmi:id="a" name="Main">']
        for i, kind in enumerate(self.nodes):
            body = f"<body>k = (k*5 + {i}) % 97; t = t + 1;</body>" if kind == "OpaqueAction" else ""
            out.append(f'<node xmi:type="uml:{kind}" xmi:id="n{i}" name="N{i}">{body}</node>')
        order = list(range(len(self.edges)))
        for i in order:
            a, b, guard = self.edges[i]
            g = (f'<guard xmi:type="uml:OpaqueExpression" xmi:id="q{i}"><body>'
                 f'{guard.replace("&", "&amp;").replace("<", "&lt;")}</body></guard>') if guard else ""
            out.append(f'<edge xmi:type="uml:ControlFlow" xmi:id="e{i}" source="n{a}" target="n{b}">{g}</edge>')
        out.append("</packagedElement>")
        tags = [f'<P:ActionPlus xmlns:P="p" xmi:id="s{i}" base_Action="n{i}" cost="{i + 1}*k"/>'
                for i, kind in enumerate(self.nodes) if kind == "OpaqueAction"]
        return "\n".join(out + tags + ["</uml:Model>"])

    # The sum of costs, or None: it does not end.
    def walk(self):
        k = t = 1
        at, total = 0, 0
        for _ in range(5000):
            kind = self.nodes[at]
            if kind == "ActivityFinalNode":
                return total
            if kind == "OpaqueAction":
                k, t = (k * 5 + at) % 97, t + 1
                total += (at + 1) * k
            ways = [(b, g) for a, b, g in self.edges if a == at]
            for b, g in sorted(ways, key=lambda way: way[1] == "else"):
                if g in (None, "else") or eval(g.replace("&&", "and").replace("||", "or")):
                    at = b
                    break
            else:
                return None
        return None


    # Each loop has one way in: joining nodes with one way in to where that comes from leaves one.
    def is_reducible(self):
        ways, nodes, more = {(a, b) for a, b, _ in self.edges}, set(range(len(self.nodes))), True
        while more:
            more = False
            ways = {(a, b) for a, b in ways if a != b}
            for n in sorted(nodes - {0}):
                into = {a for a, b in ways if b == n}
                if len(into) == 1:
                    to = into.pop()
                    ways = {(to if a == n else a, b) for a, b in ways if b != n}
                    nodes.discard(n)
                    more = True
        return len(nodes) == 1


def check(seed):
    flow = Flow(seed)
    with open("flow.uml", "w") as out:
        out.write(flow.xmi())
    done = subprocess.run(["activity", "import", "-f", "flow.uml", "-o", "flow"], capture_output=True, text=True)
    if done.returncode == 3:
        if not re.search(r"flow.uml:\d+: found ", done.stderr):
            sys.exit(f"flow {seed}: {done.stderr}")
        if flow.is_reducible():
            sys.exit(f"flow {seed} is reducible: {done.stderr}")
        return "refused"
    if not flow.is_reducible():
        sys.exit(f"flow {seed} is not reducible, and was not refused")
    wanted = flow.walk()
    if done.returncode or wanted is None:
        return "endless" if not done.returncode else sys.exit(f"flow {seed}: {done.stderr}")
    run = subprocess.run(["activity", "run", "flow/flow.act", "--interpret", "--config", "N1P1"],
                         capture_output=True, text=True)
    found = re.match(r"flow\s+N1P1\s+(\S+) s", run.stdout)
    if not found or abs(float(found.group(1)) - wanted) > 1e-9 * max(1, wanted):
        sys.exit(f"flow {seed}: expected {wanted}, found {run.stdout}{run.stderr}")
    return "same"


counts = {}
for seed in range(int(sys.argv[1]), int(sys.argv[1]) + int(sys.argv[2])):
    kind = ("any " if seed % 3 == 2 else "structured ") + check(seed)
    counts[kind] = counts.get(kind, 0) + 1
print(", ".join(f"{kind} {counts[kind]}" for kind in sorted(counts)))
