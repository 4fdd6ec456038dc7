# SPDX-License-Identifier: BSD-3-Clause
"""latency.py RUNS DATA: Figures 4 to 8, from the lines of ping_pong.

Of each run: the 10th percentile of the plain and of the wrapped blocks, and the ratio of both. Of these: medians over the rounds, and
the least and largest ratio.
"""
import sys

import rows

# 4 bytes over NOPROF, as the paper's text has it (37.2 us).
PAPER = {"P-0-OFF": 1.08, "C-256-FREQ": 1.08, "C-2-FREQ": 1.31, "T-0.3-FREQ": 1.12, "T-0.001-FREQ": 1.22, "P-0.01-FREQ": 1.16,
         "P-0.9-FREQ": 1.53, "P-0.5-WRITE": 1.61}
ORDER = ["none", "P-0-OFF"] + ["%s-FREQ" % r for r in "C-256 C-16 C-2 T-0.3 T-0.03 T-0.001 P-0.01".split()] + [
    "P-%s-%s" % (p, b) for p in ("0.1", "0.5") for b in ("OFF", "STAT", "FREQ", "WRITE")] + ["P-0.9-FREQ"]
NAMES = {"none": "not asked for"}


def read(texts):
    """{size: [(plain, wrapped, ratio)]}"""
    found = {}
    for text in texts:
        for line in text.splitlines():
            words = line.split()
            found.setdefault(int(words[0]), []).append((float(words[1]), float(words[2]), float(words[2]) / float(words[1])))
    return found


def main(runs, data):
    result, drawn = {}, {}
    plain = {}
    for request, texts in rows.outputs(runs, "latency").items():
        lines = []
        for size, found in sorted(read(texts).items()):
            ratios = [f[2] for f in found]
            plain.setdefault(size, []).extend(f[0] for f in found)
            lines.append((size, rows.median(f[1] for f in found), rows.median(ratios), min(ratios), max(ratios)))
        drawn[request] = lines
        result[request] = {str(line[0]): {"us": line[1], "ratio": line[2], "low": line[3], "high": line[4]} for line in lines}
    drawn["plain"] = [(size, rows.median(us), 1, 1, 1) for size, us in sorted(plain.items())]
    rows.blocks(data + "/latency.dat", drawn)
    sizes = [str(s) for s in (4, 1024, 16384, 65536, 1048576) if s in plain]
    base = {str(size): us for size, us, *_ in drawn["plain"]}
    lines = [["plain (PMPI)", "%.3f us" % base["4"]] + ["1"] * len(sizes) + ["1"]]
    for request in (r for r in ORDER if r in result):
        found = result[request]
        lines.append([NAMES.get(request, request), "%.3f us" % found["4"]["us"]] + ["%.3f" % found[s]["ratio"] for s in sizes]
                     + [PAPER.get(request, "")])
    rounds = max(len(t) for t in rows.outputs(runs, "latency").values())
    head = ["configuration", "4 B"] + ["x plain, %s" % rows.size_text(int(s)) for s in sizes] + ["paper, 4 B"]
    rows.save(data, "latency", {"requests": result, "plain": base, "table": rows.markdown(head, lines), "rounds": rounds})


if __name__ == "__main__":
    main(*sys.argv[1:])
