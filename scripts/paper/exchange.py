# SPDX-License-Identifier: BSD-3-Clause
"""exchange.py OUT STEP CSV [OTHER.csv...]: ghost updates by level and rank, and the redistribution.

Writes OUT/exchange.dat with a block `LEVEL-RANK` each (update, time inside MPI in us, messages, bytes, CPU time in us) of CSV, OUT/exchange-fit-TIME.dat with a block for each class
of ghost exchange (by the model, measured, messages, bytes) of all CSVs, and OUT/exchange.json. STEP is that of the redistribution.
"""
import collections
import sys

import fit
from rows import rows
from table import write_blocks, write_values


class Update:
    """The ghost cells of one level, filled once: a call of exchange of the mesh, with start and finish of the ghost port.
    Times in us: `mpi` inside MPI, `cpu` CPU time of start and finish."""

    def __init__(self, row):
        self.rank, self.step, self.start, self.level = row.rank, row.caller, row.start, int(row["level"])
        self.mpi, self.cpu, self.bytes, self.messages = row.mpi, 0.0, 0, 0

    def add(self, row):
        self.cpu += row.cpu
        if row.method == "finish":
            self.bytes, self.messages, self.kind = row["bytes"], row["messages"], row.class_name


def updates_of(path):
    """The ghost updates that the integrator asked for, by rank in order of time."""
    steps, updates, parts = set(), {}, []
    for row in rows(path, ("advance", "exchange", "start", "finish")):
        if row.method == "advance":
            steps.add((row.rank, row.number))
        elif row.method == "exchange":
            updates[row.rank, row.number] = Update(row)
        else:
            parts.append(row)
    for row in parts:
        if (row.rank, row.caller) in updates:
            updates[row.rank, row.caller].add(row)
    return sorted((u for u in updates.values() if (u.rank, u.step) in steps), key=lambda u: (u.rank, u.start))


def step_levels(updates):
    """The order of levels within each coarse step, stages made one: by rank 0."""
    steps = collections.defaultdict(list)
    for update in updates:
        if update.rank == 0:
            steps[update.step].append(update.level)
    return [levels[::2] for _, levels in sorted(steps.items()) if levels[::2] == levels[1::2]], len(steps)


def main(out, balance_at, path, *others):
    updates = updates_of(path)
    blocks = collections.defaultdict(list)
    for u in updates:
        key = "%d-%d" % (u.level, u.rank)
        blocks[key].append((len(blocks[key]) + 1, u.mpi, u.messages, u.bytes, u.cpu))
    levels = 1 + max(u.level for u in updates)
    orders, steps = step_levels(updates)
    write_blocks(out + "/exchange.dat", {"%d-%d" % (l, r): blocks["%d-%d" % (l, r)]
                                         for l in range(levels) for r in range(3)})
    top = {k: 1.15 * max(line[k] for lines in blocks.values() for line in lines) for k in (2, 3)}
    with open(out + "/exchange.gp", "w") as file:
        file.write("steps = %d\nat = %s\ntop_messages = %g\ntop_bytes = %g\n" % (steps, balance_at, top[2], top[3] / 1e3))
    sent = [u for u in updates + [u for p in others for u in updates_of(p)] if u.messages]
    lines = by_level(blocks, levels, steps, int(balance_at))
    balances = {}
    for r in rows(path, ("balance",)):
        balances.setdefault(r.rank, []).append(r["moved"] or 0)
    moved = [sum(ranks) for ranks in zip(*balances.values())]  # of each time it was asked
    write_values(out + "/exchange.json", dict(
        model(out, sent), steps=steps, at=int(balance_at), orders=sorted({" ".join("L%d" % l for l in o) for o in orders}),
        orders_told=len(orders), levels=levels, by_level=lines, table=table_of(lines),
        moved_cells=sum(moved), moves=sum(1 for m in moved if m),
        keep_old=sum(1 for r in rows(path, ("keep_old",)) if r.rank == 0)))


def by_level(blocks, levels, steps, at):
    """Bytes of all ranks and the median time inside MPI, per update, before and after the redistribution."""
    out = []
    for level in range(levels):
        each = 2 << level  # updates a coarse step
        parts = {"before": [], "after": []}
        for rank in range(3):
            points = blocks["%d-%d" % (level, rank)]
            parts["before"].append(points[:at * each])
            parts["after"].append(points[at * each:])
        line = {"level": level, "updates": sum(len(p) for p in parts["before"] + parts["after"])}
        for name, ranks in parts.items():
            line["bytes_" + name] = [mean([p[3] for p in points]) for points in ranks]
            line["messages_" + name] = [mean([p[2] for p in points]) for points in ranks]
            line["us_" + name] = [median([p[1] for p in points]) for points in ranks]
        out.append(line)
    return out


def table_of(lines):
    """Of by_level, for the page."""
    def list_of(values):
        return ", ".join("{:,.0f}".format(v) for v in values)
    return "\n".join("| %d | %s | %s |" % (l["level"], "{:,}".format(l["updates"]), " | ".join(
        list_of(l[k]) for k in ("bytes_before", "bytes_after", "us_before", "us_after"))) for l in lines)


def model_text(c):
    text = "%.0f" % c[0] if c[0] >= 100 else "%.3g" % c[0]
    for v, name in (c[1], "m"), (c[2], "b"):
        if v:
            text += " %s %.3g %s" % ("-" if v < 0 else "+", abs(v), name)
    return text


def model(out, sent):
    """Times of an update as a + b messages + c bytes, fitted to one time for each group of equal messages and bytes: `cpu`
    and `mpi` to medians, `least` to the least time inside MPI, that of an update which hardly waited."""
    groups = collections.defaultdict(list)
    for u in sent:
        groups[u.kind, u.messages, u.bytes].append(u)
    groups = {k: g for k, g in groups.items() if len(g) >= 4}
    values = {}
    for name, time_of in (("cpu", lambda g: median([u.cpu for u in g])), ("mpi", lambda g: median([u.mpi for u in g])),
                          ("least", lambda g: min(u.mpi for u in g))):
        time = {k: time_of(g) for k, g in groups.items()}
        kept, c = line_of(time, drop=name == "least")
        fitted = {k: c[0] + c[1] * k[1] + c[2] * k[2] for k in time}
        values[name] = {"us": c[0], "us_message": c[1], "us_byte": c[2], "groups": len(kept), "dropped": len(time) - len(kept),
                        "deviation": fit.deviation([time[k] for k in kept], [fitted[k] for k in kept]), "text": model_text(c)}
        blocks = {kind: [(fitted[k], time[k], k[1], k[2]) for k in kept if k[0] == kind]
                  for kind in ("GhostsPerNeighbour", "GhostsPerPatch")}
        blocks["dropped"] = [(fitted[k], time[k], k[1], k[2]) for k in time if k not in kept]
        write_blocks("%s/exchange-fit-%s.dat" % (out, name), blocks)
    return values


def line_of(time, drop):
    """Coefficients of a + b messages + c bytes, no cost below 0; with `drop` without times of more than 2.5 times the
    line: all updates of these groups waited."""
    kept = sorted(time)
    for _ in range(10 if drop else 1):
        y = [time[k] for k in kept]
        columns = {0: [1.0] * len(kept), 1: [k[1] for k in kept], 2: [k[2] for k in kept]}
        while True:
            found = dict(zip(columns, fit.least_squares(list(columns.values()), y, [1 / v for v in y])))
            worst = min(columns, key=lambda k: found[k] * max(columns[k]))
            if found[worst] >= 0 or len(columns) == 1:
                break
            del columns[worst]
        c = [found.get(k, 0.0) for k in range(3)]
        still = [k for k in kept if time[k] <= 2.5 * (c[0] + c[1] * k[1] + c[2] * k[2])] if drop else kept
        if len(still) == len(kept) or len(still) < 4:
            break
        kept = still
    return kept, c


def mean(values):
    return sum(values) / len(values) if values else 0.0


def median(values):
    return sorted(values)[len(values) // 2] if values else 0.0


if __name__ == "__main__":
    main(*sys.argv[1:])
