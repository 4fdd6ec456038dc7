# SPDX-License-Identifier: BSD-3-Clause
"""table.py: results of the battery as a table of Markdown."""
import collections
import json
import statistics

HEAD = ("| programs | mode | runs | excluded | changed | functions of 16 bytes and more | patched | without parts (.cold) | "
        "CPU, median ratio |\n|---|---|---|---|---|---|---|---|---|")


def functions(results):
    """Functions of each program file once: all, patched, parts of functions."""
    files = {}
    for r in results:
        own = r.get("own")
        if own:
            files[r["name"].split(": ")[0] if r["group"] == "distribution" else r["name"].rstrip(" 0123456789"),
                  own["functions"]] = own
    count = sum(own["functions"] for own in files.values())
    return (count, sum(own["patched"] for own in files.values()),
            sum(own["refused"].get("part", 0) for own in files.values()))


def line(title, mode, results):
    kept = [r for r in results if "excluded" not in r]
    count, patched, parts = functions(results)
    ratios = [r["cpu"] / r["plain_cpu"] for r in kept if r.get("cpu") and r["plain_cpu"] > .2]
    print(f"| {title} | {mode} | {len(results)} | {len(results) - len(kept)} | {sum(bool(r['changed']) for r in kept)} | "
          + (f"{count:,} | {100 * patched / count:.1f} % | {100 * patched / (count - parts):.1f} % | " if count else "| | | ")
          + (f"{statistics.median(ratios):.2f} of {len(ratios)} |" if ratios else "|"))


def show(path):
    with open(path, encoding="utf-8") as file:
        results = [json.loads(text) for text in file]
    groups = collections.defaultdict(list)
    for r in results:
        symbols = {True: ", symbols", False: ", stripped", None: ""}[(r.get("own") or {}).get("symbols")]
        groups[r["group"] + (symbols if r["group"] != "distribution" else ""), r["mode"]].append(r)
    print(HEAD)
    for (title, mode), some in sorted(groups.items()):
        line(title, mode, some)
    line("all", "", results)
    for symbols, title in ((True, "files with symbols"), (False, "stripped files")):
        line(title, "functions", [r for r in results if (r.get("own") or {}).get("symbols") is symbols])
    reasons = collections.Counter()
    for r in results:
        if r["mode"] == "functions":
            reasons.update((r.get("own") or {}).get("refused", {}))
    print("\nrefused, each run counted:", ", ".join(f"{word} {n:,}" for word, n in reasons.most_common()))
    changed = [r for r in results if r.get("changed")]
    for r in changed:
        print(f"changed: {r['name']}, {r['mode']}: {', '.join(r['changed'])}")
    return 1 if changed else 0
