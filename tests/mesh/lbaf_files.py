# SPDX-License-Identifier: BSD-3-Clause
"""LBDatafiles that are made up, and their comparison.

    lbaf_files.py make DIR SEED RANKS KIND...    DIR/KIND of each kind: grid, deep, sparse, none, seq,
                                                 bare, old
    values(DIR, CSV)                             `mastermind mesh --csv` has the times of all phases"""
import csv
import json
import os
import random
import struct
import sys


def brotli_stored(data):
    """A brotli stream of uncompressed meta-blocks (RFC 7932, 9.2), by hand."""
    bits, count, out = 0, 0, bytearray()

    def put(value, width):
        nonlocal bits, count
        bits |= value << count
        count += width
        while count >= 8:
            out.append(bits & 255)
            bits >>= 8
            count -= 8

    put(0, 1)  # WBITS 16
    for at in range(0, len(data), 65536):
        part = data[at:at + 65536]
        put(0, 1)  # ISLAST
        put(0, 2)  # MNIBBLES 4
        put(len(part) - 1, 16)
        put(1, 1)  # ISUNCOMPRESSED
        if count:
            put(0, 8 - count)
        out.extend(part)
    put(3, 2)  # ISLAST, ISLASTEMPTY
    if count:
        put(0, 8 - count)
    return bytes(out)


def entity_of(t, kind, ranks):
    e = {"type": "object", "home": t % ranks, "migratable": True, "collection_id": 7}
    e["seq_id" if kind in ("seq", "bare") else "id"] = {"seq": t // ranks, "bare": t}.get(kind, 0x40000003 + 4 * t)
    if kind == "bare":
        del e["collection_id"], e["home"]
    index = {"grid": [t // 12, t // 4 % 3, t % 4], "deep": [t, 1, 2, 3, 4], "sparse": [1000 * t, t * t]}.get(kind)
    if index:
        e["index"] = index
    if kind == "none" and t % 5 == 0:
        del e["collection_id"]
        e["objgroup_id"] = 12
        e["migratable"] = False
    return e


def make(folder, seed, ranks, kind):
    rng = random.Random(seed)
    phases = [0, 1, 3, 4, 8, 9]
    owner = [t % ranks for t in range(24)]
    documents = []
    for r in range(ranks):
        head = {"type": "LBDatafile"} if kind == "old" else {"metadata": {
            "type": "LBDatafile", "rank": r, "shared_node": {"id": 0, "size": ranks, "rank": r, "num_nodes": 1},
            "phases": {"count": 11, "skipped": {"list": [2], "range": [[6, 7]]},
                       "identical_to_previous": {"list": [5], "range": [[10, 11]]}}}}
        documents.append({**head, "phases": []})
    for p in range(6) if kind == "old" else phases:
        rows = [[] for _ in range(ranks)]
        for t in range(24):
            owner[t] = rng.randrange(ranks) if rng.random() < .2 else owner[t]
            if kind != "old" and t == p:
                continue  # it comes and goes
            subs = [{"id": i, "time": rng.random() * 1e-3} for i in (0, 2)] if t % 2 else []
            task = {"entity": entity_of(t, kind, ranks), "node": owner[t], "resource": "cpu",
                    "time": rng.random() + sum(s["time"] for s in subs)}
            if subs:
                task["subphases"] = subs
            if t == 4:
                task["user_defined"] = {"shared_bytes": 1e4, "note": "ä"}
            if t == 5:
                task["attributes"] = {"x": [1, 2]}
            rows[owner[t]].append(task)
        for r in range(ranks):
            phase = {"id": p, "tasks": rows[r]}
            if p == 3:
                phase["communications"] = [
                    {"type": kind_of, "from": {"type": "object", "id": 5, "home": 0}, "messages": 3, "bytes": 1456.5,
                     "to": {"type": "node", "id": r}} for kind_of in ("SendRecv", "CollectionToNode", "Broadcast")]
                phase["user_defined"] = {"a": 1}
            documents[r]["phases"].append(phase)
    os.makedirs(folder)
    for r, document in enumerate(documents):
        text = json.dumps(document).encode()
        if kind == "deep" and r < 2:  # also where the name does not say so
            open(f"{folder}/run.{r}.json" + ("" if r else ".br"), "wb").write(brotli_stored(text))
            os.makedirs(folder + ".plain", exist_ok=True)
            open(f"{folder}.plain/run.{r}.json", "wb").write(text)
        else:
            open(f"{folder}/run.{r}.json", "wb").write(text)


def documents_of(folder):
    found = {}
    for name in os.listdir(folder):
        name = name[:-3] if name.endswith(".br") else name
        path = f"{folder}.plain/{name}"
        path = path if os.path.exists(path) else f"{folder}/{name}"
        found[name] = json.load(open(path))
    return found


def told_times(folder):
    """Times by phase, rank: those told, and those identical to the phase before."""
    told = {}
    for name, document in documents_of(folder).items():
        rank = int(name.split(".")[-2])
        lists = document.get("metadata", {}).get("phases", {}).get("identical_to_previous", {"list": [], "range": []})
        mine = {p["id"]: sorted(t["time"] for t in p["tasks"]) for p in document["phases"]}
        for p in sorted(lists["list"] + [i for a, b in lists["range"] for i in range(a, b + 1)]):
            mine[p] = mine[p - 1]
        for p, times in mine.items():
            for t in times:
                told.setdefault(p, []).append((rank, struct.unpack("f", struct.pack("f", t))[0]))
    return {p: sorted(v) for p, v in told.items()}


def values(folder, name):
    found = {}
    for row in csv.DictReader(open(name)):
        if not row["rank"]:  # a task that is not there
            assert float(row["time"]) == 0, row
        else:
            time = struct.unpack("f", struct.pack("f", float(row["time"])))[0]
            found.setdefault(int(row["step"]), []).append((int(row["rank"]), time))
    found = {p: sorted(v) for p, v in found.items()}
    told = told_times(folder)
    assert told == found, [p for p in told if told[p] != found.get(p)]


if __name__ == "__main__":
    _, _, where, first, count, *all_kinds = sys.argv
    for each in all_kinds:
        make(f"{where}/{each}", int(first), int(count), each)
