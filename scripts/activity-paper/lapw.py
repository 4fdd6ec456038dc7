#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""lapw.py DIR [--small] [--realtime]: runs of examples/activity/lapw and its model, for docs/papers/activity.md.

Fits cost functions to runs on one process at small sizes (the paper's Figure 5.3), measures larger ones on this machine,
lets SMPI of SimGrid run the same program on more nodes where smpicc is there, and compares (Table 5.1). --realtime runs with the priority of
real time, where others compute on this machine, too. DIR gets lapw.act, machine.ini, measured-NAT.csv, against-NAT.txt and fits.txt."""
import os, re, statistics, subprocess, sys

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.dirname(os.path.dirname(here))
out = sys.argv[1]
small = "--small" in sys.argv
first = ["chrt", "-r", "1"] if "--realtime" in sys.argv else []
fit_sizes, sizes = ((4, 8), (16,)) if small else ((8, 16, 24), (32, 64))
repeats = 3 if small else 9
SMPI = [(2, 8), (4, 16), (8, 32)]  # nodes, processes: four cores a node
LATENCY, BANDWIDTH = 5e-5, 1.25e8  # of SMPI's network between nodes: seconds, bytes a second
PHASES = {  # name: parameters, what the cost is proportional to, besides a constant
    "CalcMPM": ("long PNAT", "PNAT", lambda p, n: p),
    "Coulomb": ("long PNAT, long NAT", "PNAT*NAT", lambda p, n: p * n),
    "DoSFT": ("", None, None),
    "DefVTOT": ("long PNAT", "PNAT", lambda p, n: p),
    "Output": ("long PNAT", "PNAT", lambda p, n: p),
}


def say(text):
    print("activity-paper:", text, file=sys.stderr)


def run(command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)
    if done.returncode:
        sys.exit("activity-paper: %s ended with %d\n%s" % (" ".join(command), done.returncode, done.stderr))
    return done.stdout


def ranks(count, *words):
    return run(first + [root + "/tests/lib/mpirun.sh", "openmpi", str(count), *words], cwd=out)


def seconds(text):
    return float(re.search(r"LAPW .*seconds=(\S+)", text)[1])


def have(tool):
    return subprocess.run(["sh", "-c", "command -v " + tool], stdout=subprocess.DEVNULL).returncode == 0


def fit():
    """a + b f(PNAT, NAT) by least squares of relative errors, of the medians of the repeats; no constant below 0."""
    times = {}
    for _ in range(repeats):  # sizes side by side: what disturbs one disturbs all
        for n in fit_sizes:
            for phase, p, value in re.findall(r"phase (\w+) PNAT=(\d+) NAT=\d+ seconds=(\S+)", ranks(1, "./lapw", str(n), "phases")):
                times.setdefault((phase, int(p), n), []).append(float(value))
    costs, lines = [], ["phase      cost function                                   largest error at the sizes fitted"]
    for phase, (parameters, words, f) in PHASES.items():
        points = [(f(p, n) if f else 0, statistics.median(v)) for (name, p, n), v in times.items() if name == phase]
        weight = [1 / y**2 for _, y in points]
        if f is None:
            a, b = sum(w * y for w, (_, y) in zip(weight, points)) / sum(weight), 0
        else:
            s, sx, sy = sum(weight), sum(w * x for w, (x, _) in zip(weight, points)), sum(w * y for w, (_, y) in zip(weight, points))
            sxx, sxy = sum(w * x * x for w, (x, _) in zip(weight, points)), sum(w * x * y for w, (x, y) in zip(weight, points))
            b = (s * sxy - sx * sy) / (s * sxx - sx * sx)
            a = (sy - b * sx) / s
            if a < 0:
                a, b = 0, sxy / sxx
        text = " + ".join(part for part in ("%.4g" % a if a or not words else "", "%.4g*%s" % (b, words) if words else "") if part)
        costs.append("cost %s(%s) = %s" % (phase, parameters, text))
        worst = max(abs(a + b * x - y) / y for x, y in points)
        lines.append("%-10s %-47s %.1f %%" % (phase, text, 100 * worst))
    open(out + "/fits.txt", "w").write("\n".join(lines) + "\n")
    return costs


def measure(n):
    """The median of runs on this machine, one process and two in turn."""
    times = {1: [], 2: []}
    for _ in range(repeats):
        for p in times:
            times[p].append(seconds(ranks(p, "./lapw", str(n))))
    return [("N1P%d" % p, statistics.median(t), "run, median of %d" % repeats) for p, t in times.items()]


def simulate(n):
    """The same program under SMPI: its computing is done here and timed, its network is simulated."""
    rows = []
    for nodes, p in [] if small else SMPI:
        with open(out + "/hosts", "w") as hosts:
            for i in range(p):
                hosts.write("node-%d\n" % (i * nodes // p))
        times = [seconds(run(first + ["smpirun", "-np", str(p), "-platform", "platform.xml", "-hostfile", "hosts",
                                      "--cfg=smpi/host-speed:1Gf", "--cfg=network/model:CM02", "--cfg=network/crosstraffic:0",
                                      "--cfg=smpi/coll-selector:ompi", "./lapw_smpi", str(n)], cwd=out)) for _ in range(3)]
        rows.append(("N%dP%d" % (nodes, p), statistics.median(times), "SMPI, median of 3"))
    return rows


def platform():
    with open(out + "/platform.xml", "w") as xml:
        xml.write('<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n<platform version="4.1">\n'
                  '<cluster id="c" prefix="node-" radical="0-15" suffix="" speed="1Gf" core="4" bw="%gBps" lat="%gs" '
                  'loopback_bw="4GBps" loopback_lat="1us"/>\n</platform>\n' % (BANDWIDTH, LATENCY / 2))


def machine():
    run(["activity", "calibrate", "-o", out + "/machine.ini"])
    text = open(out + "/machine.ini").read()
    text = re.sub(r"\ncores = \d+", "\ncores = 4", text)
    between = "[between]\nlatency = %g\nsend = 0\nreceive = 0\ngap = 0\nbyte = %g\neager = -1\n" % (LATENCY, 1 / BANDWIDTH)
    text = text[:text.index("[between]")] + between
    text = text.replace("# between nodes: not measured, this is one node", "# between nodes: the network that SMPI was given")
    open(out + "/machine.ini", "w").write(text)
    return text.split("\n")[0].lstrip("# ").split(", measured")[0]


def main():
    os.makedirs(out, exist_ok=True)
    source = root + "/examples/activity/lapw/lapw.c"
    say("compiling, calibrating")
    run(["mpicc.openmpi", "-O2", source, "-o", out + "/lapw", "-lm"])
    smpi = have("smpicc") and have("smpirun")
    if smpi:
        run(["smpicc", "-O2", source, "-o", out + "/lapw_smpi", "-lm"])
        platform()
    cpu = machine()
    say("fitting")
    template = open(here + "/lapw.act.in").read()
    open(out + "/lapw.act", "w").write(template.replace("@cpu@", cpu).replace("@costs@", "\n".join(fit())))
    for n in sizes:
        say("measuring NAT = %d" % n)
        rows = measure(n) + (simulate(n) if smpi else [])
        with open(out + "/measured-%d.csv" % n, "w") as csv:
            csv.write("config,measured_s,source\n" + "".join("%s,%.6f,\"%s\"\n" % row for row in rows))
        configs = ",".join(["N1P1", "N1P2"] + ([] if small else ["N%dP%d" % s for s in SMPI]))
        text = run(["activity", "run", out + "/lapw.act", "--machine", out + "/machine.ini", "--set", "NAT=%d" % n,
                    "--config", configs, "--against", out + "/measured-%d.csv" % n])
        open(out + "/against-%d.txt" % n, "w").write("NAT = %d" % n + text[text.index("\n"):])
        print(open(out + "/against-%d.txt" % n).read())
    if not smpi:
        say("SMPI was not run: found no smpicc")


main()
