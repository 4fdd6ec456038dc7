# SPDX-License-Identifier: BSD-3-Clause
"""errors.py DATA: error of estimates against rate, and coverage of their intervals, from what bench/messages/thin found."""
import json
import sys

import rows

QUANTITIES = {"messages": "messages", "mean_latency": "mean latency", "transfer": "total transfer", "late_sender": "total late sender"}


def main(data):
    drawn, result = {}, {}
    for which in "all", "below":
        thin = json.load(open("%s/thin-%s.json" % (data, which)))
        for name in QUANTITIES:
            drawn["%s-%s" % (which, name)] = [(100 * r["p"], 100 * r[name]["rms"], 100 * r[name]["expected"],
                                              100 * r[name]["held"] / thin["seeds"], 100 * r["median_rms"]) for r in thin["rates"]]
        lines = [["%g %%" % (100 * r["p"]), "{:,.0f}".format(r["samples"]), "%.1f %%" % (100 * r["median_rms"])]
                 + ["%.1f %%, %.0f %%" % (100 * r[name]["rms"], 100 * r[name]["held"] / thin["seeds"]) for name in QUANTITIES]
                 for r in thin["rates"]]
        thin["table"] = rows.markdown(["rate", "samples", "median latency"] + ["%s" % t for t in QUANTITIES.values()], lines)
        result[which] = thin
    same = {r["p"]: int(r["samples"]) for r in json.load(open(data + "/thin-seed.json"))["rates"]}
    result["seed"] = {"small": same[.01], "large": same[.1]}
    result["left_out"] = result["all"]["messages"] - result["below"]["messages"]
    rows.blocks(data + "/errors.dat", drawn)
    rows.save(data, "errors", result)


if __name__ == "__main__":
    main(*sys.argv[1:])
