# SPDX-License-Identifier: BSD-3-Clause
"""tau_profile.py DIR ROWS.csv [EXPERIMENT.json]: read TAU profile files as TAU's own readers do, strictly, and
compare every number with the rows of the same experiment.

The format as ParaProf and Hatchet take it: see the comment in mastermind/export/tau_profile.c."""
import csv
import json
import os
import re
import sys
from collections import defaultdict

LINE = re.compile(r'"([^"]*)" (\d+) (\d+) (-?\d+) (-?\d+) 0 GROUP="([^"]*)"')
EVENT = re.compile(r'"([^"]*)" (\d+) (\S+) (\S+) (\S+) (\S+)')


def read(path):
    """Functions and user events of one file."""
    lines = open(path, encoding="utf-8").read().split("\n")
    count, metric = re.fullmatch(r"(\d+) templated_functions_MULTI_(.+)", lines[0]).groups()
    head = lines[1]
    assert head.startswith("# Name Calls Subrs Excl Incl ProfileCalls # <metadata>"), head
    assert head.endswith("</metadata>"), head
    assert re.search(r"<value>(.*?)</value>", head).group(1) == metric, head
    assert "<name>Metric Name</name>" in head
    functions = {}
    for line in lines[2:2 + int(count)]:
        name, calls, subrs, excl, incl, group = LINE.fullmatch(line).groups()
        assert name not in functions, name
        functions[name] = (int(calls), int(subrs), int(excl), int(incl), group)
    at = 2 + int(count)
    assert lines[at] == "0 aggregates", lines[at]
    events = {}
    if lines[at + 1]:
        number = int(re.fullmatch(r"(\d+) userevents", lines[at + 1]).group(1))
        assert lines[at + 2] == "# eventname numevents max min mean sumsqr"
        for line in lines[at + 3:at + 3 + number]:
            name, n, *rest = EVENT.fullmatch(line).groups()
            events[name] = (int(n), *map(float, rest))
        at += 2 + number
    assert lines[at + 1:] == [""], lines[at + 1:]
    return metric, functions, events


def near(found, wanted, slack):
    assert abs(found - wanted) <= slack, (found, wanted, slack)


def numbers(rows, metric):
    """Of each invocation what it has with all below, and without its callees; 0 of none."""
    if metric == "TIME":
        return {r["invocation"]: tuple(int(r[all_of] or 0) - int(r[host] or 0) for all_of, host in (
            ("wall_ns", "host_ns"), ("exclusive_ns", "host_exclusive_ns"))) for r in rows}
    if metric != "CPU_TIME":
        return {r["invocation"]: (int(r[f"c.{metric}"] or 0), int(r[f"x.{metric}"] or 0)) for r in rows}
    below = defaultdict(int)
    for r in rows:
        below[r["caller"]] += int(r["cpu_ns"] or 0)
    return {r["invocation"]: (int(r["cpu_ns"] or 0), int(r["cpu_ns"] or 0) - below[r["invocation"]])
            for r in rows}


def check_functions(functions, rows, metric):
    """Calls, subroutines and sums of one thread."""
    calls, subrs, excl = defaultdict(int), defaultdict(int), defaultdict(int)
    name_of = {r["invocation"]: ".".join((r["instance"], r["port"], r["method"])) for r in rows}
    number = numbers(rows, metric)
    unit = 1000 if metric in ("TIME", "CPU_TIME") else 1
    outermost = 0
    for r in rows:
        name = name_of[r["invocation"]]
        calls[name] += 1
        excl[name] += number[r["invocation"]][1]
        if r["caller"]:
            subrs[name_of[r["caller"]]] += 1
        else:
            outermost += number[r["invocation"]][0]
    assert set(functions) == set(calls) | {".TAU application"}, set(functions) ^ set(calls)
    root = next(iter(functions))
    assert root == ".TAU application" and functions[root][0] == 1 and functions[root][2] == 0
    for name in calls:
        assert functions[name][0] == calls[name], name
        assert functions[name][1] == subrs[name], name
        if metric != "TIME":  # nothing is taken off
            near(functions[name][2], excl[name] / unit, 0 if unit == 1 else .5)
        else:  # recording is taken off time
            assert functions[name][2] <= excl[name] / 1000 + 1, name
        assert functions[name][2] <= functions[name][3] + 1, name
    assert functions[root][1] == sum(not r["caller"] for r in rows)
    if metric != "TIME":
        near(functions[root][3], outermost / unit, 0 if unit == 1 else .5)
    else:
        assert functions[root][3] <= outermost / 1000 + 1
        near(sum(f[2] for f in functions.values()), functions[root][3], len(functions))


def check_events(events, rows):
    """Annotated parameters and out-parameters of one thread."""
    values = defaultdict(list)
    for r in rows:
        for key, text in r.items():
            if key[:2] in ("p.", "o.") and text:
                name = ".".join((r["instance"], r["port"], r["method"]))
                values[f"{name} {key[2:]}"].append(float(text))
    assert set(events) == set(values), set(events) ^ set(values)
    for name, (n, most, least, mean, squares) in events.items():
        v = values[name]
        assert n == len(v) and most == max(v) and least == min(v), name
        near(mean, sum(v) / n, 1e-9 * abs(mean))
        near(squares, sum(x * x for x in v), 1e-9 * squares)


def check_own(path, about):
    """Timers and events that components have themselves, over all threads."""
    metric, functions, events = read(path)
    root = functions.pop(".TAU application")
    assert metric == "TIME" and set(functions) == {t["name"] for t in about["timers"]}
    for t in about["timers"]:
        calls, subrs, excl, incl, group = functions[t["name"]]
        assert (calls, subrs, group) == (t["calls"], t["subroutines"], t["group"] or "TAU_USER"), t
        near(excl, t["exclusive_ns"] / 1000, .5)
        near(incl, t["inclusive_ns"] / 1000, .5)
    near(root[3], sum(t["exclusive_ns"] for t in about["timers"]) / 1000, .5)
    assert set(events) == {e["name"] for e in about["events"]}
    for e in about["events"]:
        n, most, least, mean, squares = events[e["name"]]
        assert (n, most, least) == (e["count"], e["max"], e["min"]), e
        near(mean, e["mean"], 1e-9 * abs(mean))
        near(squares, sum(x * x for x in range(1, 11)), 1e-9 * squares)


def main():
    top = sys.argv[1]
    by_thread = defaultdict(list)
    for row in csv.DictReader(open(sys.argv[2], encoding="utf-8")):
        by_thread[int(row["rank"]), int(row["thread"])].append(row)
    folders = sorted(os.listdir(top))
    multi = all(f.startswith("MULTI__") for f in folders)
    metrics = []
    for folder in folders if multi else [""]:
        for rank, thread in by_thread:
            metric, functions, events = read(os.path.join(top, folder, f"profile.{rank}.0.{thread}"))
            assert not multi or folder == f"MULTI__{metric}", (folder, metric)
            rows = by_thread[rank, thread]
            check_functions(functions, rows, metric)
            check_events(events, rows)
        own = metric == "TIME" and len(sys.argv) > 3
        assert len(os.listdir(os.path.join(top, folder))) == len(by_thread) + own
        if own:
            check_own(os.path.join(top, folder, "profile.0.1.0"), json.load(open(sys.argv[3], encoding="utf-8")))
        metrics.append(metric)
    print(*sorted(metrics), len(by_thread), *["own"] * (len(sys.argv) > 3))


main()
