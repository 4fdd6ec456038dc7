# SPDX-License-Identifier: BSD-3-Clause
"""slowdown.py RUNS DATA: Figure 10, the time of a multigrid solve against the threshold, over the run beside it without."""
import json
import re
import sys

import rows

PAPER = {"P-0.01-FREQ": 1.061, "P-0.9-FREQ": 1.11}


def threshold(request):
    return float(request.split("-")[1])


def quartiles(values):
    """The values a quarter from both ends."""
    values = sorted(values)
    return values[len(values) // 4], values[-1 - len(values) // 4]


def main(runs, data):
    seconds = {request: [float(re.search(r"solve_s (\S+)", t)[1]) for t in texts]
               for request, texts in rows.outputs(runs, "slowdown").items()}
    plain = seconds.pop("none")
    found, drawn, lines = {}, {"freq": [], "other": []}, [["not asked for", "%.3f" % rows.median(plain), "1", "", "1"]]
    for request, values in sorted(seconds.items(), key=lambda item: threshold(item[0])):
        ratios = [v / p for v, p in zip(values, plain)]
        ratio = rows.median(ratios)
        low, high = quartiles(ratios)
        found[request] = {"s": rows.median(values), "ratio": ratio, "low": low, "high": high}
        drawn["freq" if request.endswith("FREQ") else "other"].append(
            (100 * threshold(request), 100 * (ratio - 1), 100 * (low - 1), 100 * (high - 1), request))
        lines.append([request, "%.3f" % rows.median(values), "%.3f" % ratio, "%.3f .. %.3f" % (low, high),
                      PAPER.get(request, "")])
    written = json.load(open(data + "/slowdown-P-1-WRITE.json"))["counts"]
    rows.blocks(data + "/slowdown.dat", drawn)
    rows.save(data, "slowdown", {"requests": found, "plain_s": rows.median(plain), "rounds": len(plain),
                                 "spread": quartiles(plain)[1] / quartiles(plain)[0], "written": written,
                                 "table": rows.markdown(["configuration", "s", "x plain", "quartiles", "paper"], lines)})


if __name__ == "__main__":
    main(*sys.argv[1:])
