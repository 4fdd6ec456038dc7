# SPDX-License-Identifier: BSD-3-Clause
"""tables.py ANSWERS LIBRARY DATA PAGE: properties of the stores in DATA as data of the figures, DATA/claims.json, and the page on
standard output, from PAGE. tables.py --claims DATA: the claims, a line each; 1 where one on CPU time does not hold. Those on wall
times are of the machine and what else it does: they are told."""
import glob
import json
import math
import os
import re
import shutil
import sqlite3
import subprocess
import sys

NEAR = .02


class Store:
    """The answers of all properties over a store; severities by property, region and shape of the run."""

    def __init__(self, program, library, path, basis=None):
        db = sqlite3.connect("file:%s?mode=ro" % path, uri=True)
        self.shapes = {e: re.search(r"(\d+x\d+)\.mm$", name).group(1) for e, name in
                       db.execute("SELECT id, name FROM experiment")}
        names = dict(db.execute("SELECT id, name FROM region"))
        self.kinds = dict(db.execute("SELECT name, kind FROM region"))
        words = ["--basis", basis] if basis else []
        told = subprocess.run([program, path] + words + sorted(glob.glob(library + "/*.property")), check=True,
                              stdout=subprocess.PIPE, text=True).stdout
        self.all = {}
        for line in told.splitlines():
            name, e, r, u, holds, severity, _, _ = line.split("\t")
            if int(holds) >= 0 and u == "0":
                self.all[name, names[int(r)], self.shapes.get(int(e))] = float(severity)
        db.close()

    def of(self, name, region, shape=None):
        return self.all[name, region, shape]


def in_cpu_time(path, to):
    """A copy whose execution time is CPU time."""
    shutil.copy(path, to)
    db = sqlite3.connect(to)
    db.execute("UPDATE summary SET exec_time = cpu_time WHERE cpu_time IS NOT NULL")
    db.commit()
    db.close()


def units(shape):
    nodes, each = shape.split("x")
    return int(nodes) * int(each)


def parts(p, replicated=0):
    """Pieces of the ranks that have the most and the least, of 36 on p."""
    return math.ceil(36 / p) + replicated, 36 // p + replicated


def imbalance(p, replicated=0):
    most, _ = parts(p, replicated)
    mean = 36 / p + replicated
    return (1 - mean / most) / (1 - 1 / p) if p > 1 else 0.


def efficiency(p, replicated=0):
    return (36 + replicated) / (p * parts(p, replicated)[0])


def non_scalability(shapes, replicated=0):
    e = [min(1, efficiency(units(s), replicated)) for s in shapes]
    return sum(e) / len(e) - min(e)


def by_units(shapes):
    """One shape for each number of units."""
    return sorted({units(s): s for s in shapes}.items())


def table(head, rows):
    lines = [head, ["---"] * len(head)] + rows
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


class Page:
    def __init__(self, program, library, data):
        path = data + "/lapw0.sqlite"
        in_cpu_time(path, data + "/lapw0-cpu.sqlite")
        self.data = data
        self.wall, self.cpu = Store(program, library, path), Store(program, library, data + "/lapw0-cpu.sqlite")
        self.xc = Store(program, library, path, "xc.go")
        self.pricing = Store(program, library, data + "/pricing.sqlite")
        self.shapes = [s for s in self.wall.shapes.values() if s != "1x1"]
        self.loops = [s for s in self.pricing.shapes.values() if s != "1x1"]
        self.loop = next(name for name, kind in self.pricing.kinds.items() if kind == "openmp")
        self.claims = []

    def claim(self, words, holds, found, must=False):
        self.claims.append({"claim": words, "holds": bool(holds), "found": found, "must": must})

    def near(self, words, found, expected):
        self.claim(words, abs(found - expected) <= NEAR, "%.4f, by arithmetic %.4f" % (found, expected), must=True)

    def figures(self):
        """Columns: units, then the severities of each figure."""
        regions = [(self.cpu, "coulomb1.go"), (self.cpu, "coulomb2.go"), (self.wall, "xc.go")]
        for number, name, wanted in ((7, "Inefficiency", regions), (8, "ExecutionTimeLoadImbalance", regions[:2])):
            with open("%s/figure-%d.dat" % (self.data, number), "w") as f:
                for p, shape in by_units(self.shapes):
                    most = [s.of(name, region, shape) for s, region in wanted]
                    truth = imbalance(p) if number == 8 else 1 - min(1, efficiency(p))
                    print(p, *["%.6f" % x for x in most + [truth]], file=f)
        with open(self.data + "/figure-9.dat", "w") as f:
            for p, shape in by_units(self.shapes):
                most, least = parts(p)
                print(p, *["%.6f" % self.xc.of(name, "xc.go", shape) for name in
                           ("CommunicationOverheadForAnyExecution", "LateSenderForAnyExecution")],
                      "%.6f" % (1 - least / most), file=f)

    def table1(self):
        found = [self.cpu.of("NonScalability", "coulomb1.go"), self.cpu.of("NonScalability", "coulomb2.go"),
                 self.wall.of("NonScalability", "xc.go")]
        truth = [non_scalability(self.shapes, 1), non_scalability(self.shapes), non_scalability(self.shapes)]
        self.near("NonScalability of coulomb2, 36 pieces in CPU time (Table 1, Coulomb-2: 0.20)", found[1], truth[1])
        self.near("NonScalability of coulomb1, a piece replicated, in CPU time", found[0], truth[0])
        self.near("AlternativeNonScalability of coulomb2 is the same", self.cpu.of("AlternativeNonScalability", "coulomb2.go"),
                  found[1])
        return table(["", "Coulomb-1", "Coulomb-2", "XC"],
                     [["the paper, LAPW0", "0.31", "0.20", "0.26"], ["our runs"] + ["%.2f" % x for x in found],
                      ["by arithmetic"] + ["%.2f" % x for x in truth]])

    def pieces(self):
        rows = []
        for p, shape in by_units(self.shapes):
            found = self.cpu.of("ExecutionTimeLoadImbalance", "coulomb2.go", shape)
            lost = self.cpu.of("Inefficiency", "coulomb2.go", shape)
            self.near("load imbalance of 36 pieces on %d (Figure 8)" % p, found, imbalance(p))
            rows.append(["%d" % p, "%.4f" % found, "%.4f" % imbalance(p), "%.4f" % lost, "%.4f" % (1 - min(1, efficiency(p)))])
        communication = {p: self.xc.of("CommunicationOverheadForAnyExecution", "xc.go", s) for p, s in by_units(self.shapes)}
        late = {p: self.xc.of("LateSenderForAnyExecution", "xc.go", s) for p, s in by_units(self.shapes)}
        uneven = [p for p in communication if 36 % p]
        even = [p for p in communication if not 36 % p]
        self.claim("communication of xc is worst where 36 is no multiple (Figure 9)",
                   min(communication[p] for p in uneven) > max(communication[p] for p in even),
                   ", ".join("%d: %.2f" % x for x in communication.items()))
        self.claim("communication of xc is nearly all LateSender (Figure 9)",
                   all(late[p] > .9 * communication[p] for p in uneven), ", ".join("%d: %.2f" % (p, late[p]) for p in uneven))
        return table(["units", "load imbalance", "by arithmetic", "Inefficiency", "by arithmetic"], rows)

    def table2(self):
        found = [self.pricing.of("NonScalability", r) for r in ("program", self.loop)]
        self.claim("the loop scales better than the program (Table 2)", found[1] < found[0] or len(self.loops) < 2,
                   "%.2f and %.2f" % (found[1], found[0]))
        return table(["", "entire program", "OpenMP loop"],
                     [["the paper, backward pricing", "0.12", "0.00"], ["our runs"] + ["%.2f" % x for x in found]])

    def table3(self):
        paper = {"6x4": "0.14", "6x1": "0.05", "4x1": "0.03", "2x1": "0.01"}
        rows, worst = [], max(self.loops, key=units)
        for s in sorted(self.loops, key=lambda s: [-int(x) for x in s.split("x")]):
            rows.append([s.replace("x", " x "), paper.get(s, "-"), "%.2f" % self.pricing.of("Inefficiency", "program", s),
                         "%.2f" % self.pricing.of("Inefficiency", self.loop, s), "%.2f" % self.control(s)])
        self.claim("at %s control of parallelism is most of the program's inefficiency (Table 3)" % worst,
                   self.control(worst) > .2 * self.pricing.of("Inefficiency", "program", worst),
                   "%.2f of %.2f" % (self.control(worst), self.pricing.of("Inefficiency", "program", worst)))
        return table(["nodes x threads", "the paper", "program", "OpenMP loop", "control of parallelism"], rows)

    def control(self, shape):
        """The severity of the program's first unit."""
        db = sqlite3.connect("file:%s/pricing.sqlite?mode=ro" % self.data, uri=True)
        e = next(e for e, s in self.pricing.shapes.items() if s == shape)
        (x,), = db.execute("SELECT max(s.ctl_par / s.exec_time) FROM rs AS s JOIN experiment AS e ON e.id = s.experiment"
                           " AND s.region = e.root WHERE e.id = ?", (e,))
        db.close()
        return x


def make(program, library, data, template):
    page = Page(program, library, data)
    page.figures()
    text = open(template).read()
    for name in ("table1", "pieces", "table2", "table3"):
        text = text.replace("@%s@" % name, getattr(page, name)())
    text = text.replace("@shock@", open(data + "/shock.txt").read().rstrip("\n"))
    text = text.replace("@cores@", str(os.cpu_count()))
    text = text.replace("@claims@", "\n".join("- %s: %s (%s)" % ("holds" if c["holds"] else "does not hold", c["claim"], c["found"])
                                              for c in page.claims))
    json.dump(page.claims, open(data + "/claims.json", "w"), indent=1)
    sys.stdout.write(text)


def tell(data):
    claims = json.load(open(data + "/claims.json"))
    for c in claims:
        print("%s %s: %s" % ("holds" if c["holds"] else "DOES NOT HOLD", c["claim"], c["found"]))
    return any(c["must"] and not c["holds"] for c in claims)


if __name__ == "__main__":
    sys.exit(tell(sys.argv[2]) if sys.argv[1] == "--claims" else make(*sys.argv[1:5]))
