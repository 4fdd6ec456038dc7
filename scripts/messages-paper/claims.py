# SPDX-License-Identifier: BSD-3-Clause
"""claims.py DATA SMALL: what the paper and the page claim, checked against the data. A line each, also into DATA/claims.json.

Claims on counts must hold on any machine: 1 if one does not. Claims on times are of the machine: they are told, and where it was
loud nothing is concluded from one that does not hold. SMALL (not empty): short runs, no claim on times.
"""
import json
import sys

import rows

QUIET, NOISE = .9, .02


def load(folder, name):
    return json.load(open("%s/%s.json" % (folder, name)))


def counts(folder):
    """(claim, holds, found)"""
    sampled, places = load(folder, "sampled"), load(folder, "places")["requests"]
    kept, errors = load(folder, "kept"), load(folder, "errors")
    points = sampled["points"]
    yield ("the threshold sets the number of samples (Figure 9)", sampled["outside"] <= max(1, len(points) // 10),
           "%d of %d points inside the 99 %% band" % (len(points) - sampled["outside"], len(points)))
    yield ("with threshold 1 every message is sampled", all(p["sampled"] == p["messages"] for p in points if p["threshold"] == 1),
           ", ".join("%s %d" % (p["program"], p["sampled"]) for p in points if p["threshold"] == 1))
    growing = all(a["sampled"] <= b["sampled"] for a, b in zip(points, points[1:]) if a["program"] == b["program"])
    yield "a higher threshold samples no fewer", growing, "%d thresholds" % len({p["threshold"] for p in points})
    yield "the sample of 1 % is a part of that of 10 %", kept["nested"] and kept["small"] > 0, "%d of %d" % (kept["small"], kept["large"])
    yield ("all halves join, none is dropped", kept["joined"] == kept["messages"] and kept["dropped"] == 0,
           "%d of %d" % (kept["joined"], kept["messages"]))
    seed = errors["seed"]
    yield ("thinned offline, the same seed samples as many as in a run", (seed["small"], seed["large"]) == (kept["small"], kept["large"]),
           "%d and %d; in runs %d and %d" % (seed["small"], seed["large"], kept["small"], kept["large"]))
    size = {r: v["bytes"] for r, v in kept["requests"].items()}
    yield ("a full record is larger than samples", size["P-1-WRITE"] > 2 * size["P-0.01-STAT"] and size["P-1-WRITE"] > 2 * size["P-0.01-WRITE"],
           "%d bytes; STAT %d, FREQ %d, WRITE 1 %% %d" % tuple(size[r] for r in ("P-1-WRITE", "P-0.01-STAT", "P-0.01-FREQ", "P-0.01-WRITE")))
    random, timer, counter = places["P-0.0625"], places["T-0.0005"], places["C-16"]
    yield "random samples each place in a burst alike (Figure 11)", random["chi2"] < 44.3, "chi2 %.0f of 15 degrees" % random["chi2"]
    yield ("timers sample the first send after the compute phase", timer["first"] > .5,
           "%.0f %% of its samples, random %.0f %%" % (100 * timer["first"], 100 * random["first"]))
    yield ("a counter whose period fits the burst samples one place", counter["places"] == 1, "%d of 16 places" % counter["places"])
    spread = places["C-16:8"]
    yield "its variance breaks out of the pattern", spread["places"] == 16, "%d of 16 places" % spread["places"]
    worst = max(abs(r["messages"]["rms"] / r["messages"]["expected"] - 1) for r in errors["all"]["rates"] if r["p"] * errors["all"]["messages"] >= 10)
    yield "errors of counts are those of theory", worst < .35, "at most %.0f %% off" % (100 * worst)
    rms = [r["messages"]["rms"] for r in errors["all"]["rates"]]
    yield "errors fall with the rate", all(a > b for a, b in zip(rms, rms[1:])), "%.1f to %.2f %%" % (100 * rms[0], 100 * rms[-1])


def times(folder):
    """(claim, holds, found, section)"""
    latency, slowdown = load(folder, "latency")["requests"], load(folder, "slowdown")["requests"]
    posted = load(folder, "posted")["requests"]

    def small(request):
        return latency[request]["4"]["ratio"]

    large, where = max((found[size]["ratio"], "%s, %s" % (request, rows.size_text(int(size)))) for request, found in latency.items()
                       for size in ("16384", "65536", "262144", "1048576"))
    yield "the layer that samples nothing adds at most 8 % at 4 bytes (Figure 4)", small("P-0-OFF") <= 1.08, "%.3f" % small("P-0-OFF"), "latency"
    yield "above 10 to 20 kB nothing is visible (Figures 4 to 8)", large <= 1.03, "at most %.3f (%s)" % (large, where), "latency"
    yield ("a shorter counter period costs more (Figure 5: 1.08 to 1.31)", small("C-256-FREQ") < small("C-16-FREQ") < small("C-2-FREQ"),
           "%.3f, %.3f, %.3f" % tuple(map(small, ("C-256-FREQ", "C-16-FREQ", "C-2-FREQ"))), "latency")
    yield ("a shorter timer period costs more (Figure 6: 1.12 to 1.22)", small("T-0.3-FREQ") < small("T-0.001-FREQ"),
           "%.3f, %.3f" % tuple(map(small, ("T-0.3-FREQ", "T-0.001-FREQ"))), "latency")
    yield ("a counter costs less than a threshold of nearly its rate (Figures 5 and 7: C-256 and P-0.01)", small("C-256-FREQ") < small("P-0.01-FREQ"),
           "%.3f, %.3f" % tuple(map(small, ("C-256-FREQ", "P-0.01-FREQ"))), "latency")
    yield ("a higher threshold costs more (Figure 7: 1.16 to 1.53)", small("P-0.01-FREQ") < small("P-0.1-FREQ") < small("P-0.5-FREQ") < small("P-0.9-FREQ"),
           "%.3f, %.3f, %.3f, %.3f" % tuple(map(small, ("P-0.01-FREQ", "P-0.1-FREQ", "P-0.5-FREQ", "P-0.9-FREQ"))), "latency")
    for p in "0.1", "0.5":
        kinds = {b: small("P-%s-%s" % (p, b)) for b in ("OFF", "STAT", "FREQ", "WRITE")}
        yield ("at %s writing is dearest, OFF cheapest, within 0.02 (Figure 8)" % p, kinds["WRITE"] == max(kinds.values()) and kinds["OFF"] <= min(kinds.values()) + NOISE,
               ", ".join("%s %.3f" % item for item in kinds.items()), "latency")
    yield "1 % slow the multigrid program by at most 6.1 % (Figure 10)", slowdown["P-0.01-FREQ"]["ratio"] <= 1.061, "%.3f" % slowdown["P-0.01-FREQ"]["ratio"], "slowdown"
    yield "90 % slow it by at most 11 % (Figure 10)", slowdown["P-0.9-FREQ"]["ratio"] <= 1.11, "%.3f" % slowdown["P-0.9-FREQ"]["ratio"], "slowdown"
    yield "a full record costs far less than the paper's trace (+154 %)", slowdown["P-1-WRITE"]["ratio"] < 2.54, "%.3f" % slowdown["P-1-WRITE"]["ratio"], "slowdown"
    need = {r: posted[r]["needed_ns"] for r in ("none", "P-0.01-WRITE,frames=8", "P-1-WRITE,frames=8")}
    yield ("a full record makes expected messages unexpected (Figure 2)", not need["P-1-WRITE,frames=8"] < need["none"] + 500,
           "margin %.0f ns, without %.0f" % (need["P-1-WRITE,frames=8"], need["none"]), "posted")
    yield ("a sample of 1 % does not (Figure 2)", need["P-0.01-WRITE,frames=8"] < need["none"] + 200,
           "margin %.0f ns, without %.0f" % (need["P-0.01-WRITE,frames=8"], need["none"]), "posted")


def main(folder, small=""):
    loud = min(load(folder, "loud").values()) < QUIET
    failed, kept, lines = 0, [], []
    for claim, holds, found in counts(folder):
        failed += not holds
        kept.append((claim, "holds" if holds else "FAILS", found))
    for claim, holds, found, _ in () if small else times(folder):
        kept.append((claim, "holds" if holds else "loud" if loud else "differs", found))
    for claim, word, found in kept:
        print("%-8s %s: %s" % (word, claim, found))
        lines.append([claim, {"holds": "holds", "loud": "does not show; the machine was loud", "differs": "does not hold here",
                              "FAILS": "FAILS"}[word], found])
    text = rows.markdown(["claim", "here", "found"], lines).replace("--:", "---")
    example = "\n".join("%-8s %s: %s" % (word, claim, found) for claim, word, found in kept[:3]) + "\n..."
    rows.save(folder, "claims", {"table": text, "failed": failed, "loud": loud, "example": example})
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
