# SPDX-License-Identifier: BSD-3-Clause
"""kept.py RUNS DATA: bytes that runs of one program keep, and whether samples of one seed are nested."""
import glob
import json
import os
import sys

import rows


def keys(path):
    return {(r["comm"], r["from"], r["to"], r["tag"], r["k"]) for r in rows.table(path)}


def main(runs, data):
    whole = json.load(open(data + "/kept-P-1-WRITE.json"))
    messages = whole["counts"]["sent"]
    result, lines = {}, []
    for request in "P-0.01-STAT", "P-0.01-FREQ", "P-0.01-WRITE", "P-0.1-WRITE", "P-1-WRITE":
        size = sum(os.path.getsize(f) for f in glob.glob("%s/kept-%s.mm/rank-*/messages" % (runs, request)))
        result[request] = {"bytes": size, "per_message": size / messages}
        lines.append([request, "{:,}".format(size), "%.3g" % (size / messages)])
    small, large = (keys("%s/kept-P-%s-WRITE.csv" % (data, p)) for p in ("0.01", "0.1"))
    rows.save(data, "kept", {"requests": result, "messages": messages, "joined": whole["counts"]["joined"],
                             "dropped": sum(v for k, v in whole["counts"].items() if k.startswith("dropped")),
                             "nested": small <= large, "small": len(small), "large": len(large),
                             "table": rows.markdown(["configuration", "bytes", "bytes a message"], lines)})


if __name__ == "__main__":
    main(*sys.argv[1:])
