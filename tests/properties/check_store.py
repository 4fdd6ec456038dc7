# SPDX-License-Identifier: BSD-3-Clause
"""check_store.py STORE EXP [--rows]: the sums of a store against what other verbs print.

Per method and rank they are those of `mastermind report --json`, bit for bit. With --rows, for runs that
kept every row, counts and raw times are added up again here from `mastermind records`, by thread: each
method over outermost activations, each calling context, each batch of iterations."""
import argparse
import collections
import csv
import json
import math
import sqlite3
import subprocess


def tool(*words):
    return subprocess.run(("mastermind",) + words, check=True, stdout=subprocess.PIPE).stdout.decode()


def near(found, wanted, what, most=2e-9):
    assert found is not None and abs(found - wanted) <= most + 1e-12 * abs(wanted), (what, found, wanted)


def against_report(db, path, ranks):
    compared = 0
    whole = json.loads(tool("report", path, "--json"))
    for rank in range(ranks):
        report = json.loads(tool("report", path, "--json", "--rank", str(rank)))
        # What recording cost is taken off calls in another order where aggregates stand beside rows.
        order = 2e-6 + .02 * report["overhead_ns"] / 1e9
        # The store takes the cost of a call from all ranks, report --rank from that rank alone: they differ by less than
        # a call costs at least and at most in any rank.
        share = 1e-3 if ranks > 1 else 0
        apart = (whole["call_most_ns"] - whole["call_least_ns"]) / 1e9 if ranks > 1 else 0
        for m in report["methods"]:
            row = db.execute(
                "SELECT total(calls), total(exec_time), total(own_time), total(mpi_time), total(own_mpi_time),"
                " total(unfinished) FROM rs JOIN region r ON r.id = region JOIN unit u ON u.id = unit"
                " WHERE kind = 'method' AND r.name = ? AND rank = ?", (m["name"], rank)).fetchone()
            wanted = [m["calls"]] + [m.get(k, 0) / 1e9 for k in ("inclusive_ns", "exclusive_ns")]
            below = [0, sum(other["calls"] for other in report["methods"]), m["calls"] + m["subrs"]]
            for found, want, calls in zip(row, wanted, below):
                near(found, want, (path, rank, m["name"], wanted, row), order + share * want + apart * calls)
            if not m.get("open"):
                near(row[3], m.get("mpi_ns", 0) / 1e9, (path, rank, m["name"], "mpi"), 1e-12)
                near(row[4], m.get("mpi_exclusive_ns", 0) / 1e9, (path, rank, m["name"], "own mpi"), 1e-12)
            assert row[5] == m.get("open", 0), (m["name"], row)
            compared += 1
    assert compared, "no method was compared"


class Tree:
    """The calls of one thread, from rows."""

    def __init__(self, rows):
        self.rows = rows
        self.by_number = {r["invocation"]: r for r in rows}

    def name(self, r):
        return ".".join((r["instance"], r["port"], r["method"]))

    def path(self, r):
        """Methods from the outside, each once: a call within an activation of its own method counts in the
        context of the outer one."""
        path = []
        while r:
            n = self.name(r)
            if n in path:
                del path[:path.index(n) + 1]
            path.insert(0, n)
            r = self.by_number.get(r["caller"])
        return tuple(path)

    def outermost(self, r):
        n, up = self.name(r), self.by_number.get(r["caller"])
        while up and self.name(up) != n:
            up = self.by_number.get(up["caller"])
        return not up


def threads_of(path):
    threads = collections.defaultdict(list)
    for r in csv.DictReader(tool("records", path, "--csv").splitlines()):
        for key in ("wall_ns", "exclusive_ns", "mpi_ns", "host_ns", "host_exclusive_ns"):
            r[key] = int(r[key] or 0)
        r["wall_ns"] -= r["host_ns"] # own time
        r["exclusive_ns"] -= r["host_exclusive_ns"]
        threads[int(r["rank"]), int(r["thread"])].append(r)
    return {k: Tree(rows) for k, rows in threads.items()}


def summaries(db, kind, rank, thread):
    return {r["name"]: r for r in db.execute(
        "SELECT r.name, rs.* FROM rs JOIN region r ON r.id = region JOIN unit u ON u.id = unit"
        " WHERE kind = ? AND rank = ? AND thread = ?", (kind, rank, thread))}


def check_methods(db, rank, thread, tree):
    sums = collections.defaultdict(lambda: [0, 0, 0, 0])
    for r in tree.rows:
        s = sums[tree.name(r)]
        s[0] += 1
        if tree.outermost(r):
            s[1] += r["wall_ns"]
            s[2] += r["mpi_ns"]
        s[3] += r["exclusive_ns"]
    found = summaries(db, "method", rank, thread)
    assert set(found) == set(sums), set(found) ^ set(sums)
    for name, (calls, wall, mpi, own) in sums.items():
        row = found[name]
        assert row["calls"] == calls, (name, row["calls"], calls)
        near(row["exec_time"] + row["recording"], wall / 1e9, (rank, thread, name, "exec_time"))
        near(row["mpi_time"], mpi / 1e9, (rank, thread, name, "mpi_time"))
        # What rows round is made exact by callers, a nanosecond a call.
        assert row["own_time"] <= own / 1e9 + calls * 1e-9 + len(tree.rows) * 1e-9, (name, row["own_time"], own)
    return len(sums)


def check_contexts(db, rank, thread, tree):
    calls, below = collections.Counter(), collections.Counter()
    for r in tree.rows:
        path = tree.path(r)
        calls[path] += 1
        for depth in range(1, len(path) + 1):
            below[path[:depth]] += r["exclusive_ns"]
    found = summaries(db, "context", rank, thread)
    wanted = {" > ".join(path): path for path in calls}
    assert set(found) <= set(wanted), set(found) - set(wanted)
    for name, row in found.items():
        assert row["calls"] == calls[wanted[name]], (name, row["calls"], calls[wanted[name]])
        near(row["exec_time"] + row["recording"], below[wanted[name]] / 1e9, (name, "exec_time"), len(tree.rows) * 2e-9)
    return len(found)


def check_batches(db, rank, thread, tree):
    walls = collections.defaultdict(list)
    for r in tree.rows:
        walls[tree.name(r)].append((r["wall_ns"], r["mpi_ns"], tree.outermost(r)))
    found, checked = summaries(db, "method", rank, thread), 0
    for name, calls in walls.items():
        batches = db.execute("SELECT b.* FROM batch b JOIN region r ON r.id = region JOIN unit u ON u.id = unit WHERE"
                             " rank = ? AND thread = ? AND r.name = ? ORDER BY batch", (rank, thread, name)).fetchall()
        if len(calls) < 16:
            assert not batches or batches[0]["width"] > 1, name
            continue
        width = int(batches[0]["width"])
        assert math.log2(width) % 1 == 0 and len(batches) <= 64 and len(batches) == -(-len(calls) // width), name
        near(sum(b["exec_time"] for b in batches), found[name]["exec_time"], name)
        near(sum(b["mpi_time"] for b in batches), found[name]["mpi_time"], name)
        near(sum(b["own_time"] for b in batches), found[name]["own_time"], name)
        if all(outermost for _, _, outermost in calls):
            for i, b in enumerate(batches):
                part = calls[i * width:(i + 1) * width]
                assert b["calls"] == len(part), (name, i)
                wall = sum(w for w, _, _ in part) / 1e9
                assert wall - found[name]["recording"] - 1e-9 <= b["exec_time"] <= wall + 1e-9, (name, i)
                near(b["mpi_time"], sum(m for _, m, _ in part) / 1e9, (name, i))
        checked += 1
    return checked


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("store")
    parser.add_argument("experiment")
    parser.add_argument("--rows", action="store_true")
    args = parser.parse_args()
    db = sqlite3.connect("file:%s?mode=ro" % args.store, uri=True)
    db.row_factory = sqlite3.Row
    ranks = int(db.execute("SELECT ranks FROM experiment").fetchone()[0])
    against_report(db, args.experiment, ranks)
    counts = [0, 0, 0]
    for (rank, thread), tree in threads_of(args.experiment).items() if args.rows else ():
        for i, check in enumerate((check_methods, check_contexts, check_batches)):
            counts[i] += check(db, rank, thread, tree)
    assert not args.rows or min(counts) > 0, counts
    print("%d methods, %d contexts, %d batched methods" % tuple(counts))


if __name__ == "__main__":
    main()
