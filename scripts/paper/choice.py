# SPDX-License-Identifier: BSD-3-Clause
"""choice.py OUT FOUND RULES RUN.mm...: the flux class of each call: what both classes cost by the active faces of a patch, the
rules of `mastermind choose --dispatch`, and runs by them. Writes OUT/choice.json."""
import csv
import io
import json
import os
import re
import subprocess
import sys

from table import markdown, write_values

CLASSES = ("GodunovScalar", "GodunovVector")
BOUNDS = (0, 68, 136, 204, 272)


def calls(path):
    """Active faces in the call before (None: there was none), own time in us, and class of each flux call."""
    out = subprocess.run(["mastermind", "records", path, "--csv"], check=True, capture_output=True, text=True).stdout
    for row in csv.DictReader(io.StringIO(out)):
        if row["class"] in CLASSES:
            own = float(row["exclusive_ns"]) - float(row["host_exclusive_ns"] or 0)
            yield int(row["o.last_active"]) if row["o.last_active"] else None, own / 1e3, row["class"]


def median(values):
    return sorted(values)[len(values) // 2] if values else None


def share(v):
    return "%.0f %%" % (100 * v)


def rules_text(found, rules, runs):
    """What the rules say, what they promise and what runs by them cost."""
    if not os.path.exists(rules):
        return "`mastermind choose` found no condition that saves more than its error on this machine at this time."
    method = json.load(open(found))["methods"][0]
    lines = [line for line in open(rules).read().split("\n") if line.startswith("compute:")]
    gain, best = method["gain"], min((c["total_s"] for c in method["classes"] if "total_s" in c))
    later = {name: [sum(own for _, own, _ in calls(path)) for path in runs if path.startswith("choice-%s-later-" % name)]
             for name in CLASSES + ("rules",)}
    single = min(CLASSES, key=lambda c: median(later[c]))
    where = [c for path in runs if "rules-later-" in path for _, _, c in calls(path)]
    saved = 1 - median(later["rules"]) / median(later[single])
    return ("From these runs `mastermind choose --dispatch` writes\n\n```\n%s\n```\n\nIt promises %s less time in the flux than %s alone "
            "(90 %%: %s to %s). In runs by the rules, by turns with runs of each class, the flux took %s less than with %s alone "
            "(medians of %d); %s of the calls went to GodunovVector." %
            ("\n".join(re.sub(r" *#.*", "", line) for line in lines), share(gain["total_s"] / best), gain["class"],
             share(gain["low_s"] / best), share(gain["high_s"] / best), share(saved), single, len(later["rules"]),
             share(where.count("GodunovVector") / len(where))))


def main(out, found, rules, runs):
    first = {name: [call for path in runs if re.fullmatch(r"choice-%s-\d+\.mm" % name, path) for call in calls(path)]
             for name in CLASSES}
    table = []
    for i, high in enumerate(BOUNDS):
        low = BOUNDS[i - 1] if i else -1
        cells = {name: [own for active, own, _ in first[name] if active is not None and low < active <= high] for name in CLASSES}
        count = sum(map(len, cells.values())) / sum(map(len, first.values()))
        text = ["%.1f" % median(cells[name]) if cells[name] else "" for name in CLASSES]
        table.append(("none" if not i else "%d to %d" % (low + 1, high), share(count), *text))
    command = json.load(open(runs[0] + "/experiment.json"))["command"]
    given = dict(word.split("=") for word in command if re.match(r"N[XY]=", word))
    write_values(out + "/choice.json", {
        "block": 64, "nx": int(given["NX"]), "ny": int(given["NY"]), "rules": rules_text(found, rules, runs),
        "saved": os.path.exists(rules),
        "table": markdown((">active faces of 272", ">calls", ">GodunovScalar, us", ">GodunovVector, us"), table)})


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:])
