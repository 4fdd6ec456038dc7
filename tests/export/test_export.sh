#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# `mastermind export`: each format is opened by a reader of somebody else, or by one written from the
# format's definition, and has the sums that `mastermind report` has.
# lane: waits
. "$(dirname "$0")/../lib/lib.sh"
needs_python() { /usr/bin/python3 -c "import $1" 2>/dev/null; }

# --- A run with callers, parameters, modes, hostile names; one with aggregates
run 0 ccafe --measure --experiment shock.mm -D FLUX=EFMFlux -D NX=64 -D NY=16 -D PATCH=16 -D T_END=.2 \
    -D PICTURE=x.png "$root/scripts/shock-demo.rc"
run 0 ccafe --measure --storage aggregates --experiment sums.mm -D FLUX=EFMFlux -D NX=64 -D NY=16 -D PATCH=16 \
    -D T_END=.1 -D PICTURE=y.png "$root/scripts/shock-demo.rc"
python3 - <<'END'
import csv, random
random.seed(3)
with open("odd.csv", "w") as f:
    w = csv.writer(f)
    w.writerow(["who", "n", "axis", "t"])
    for i in range(2000):
        n = random.randrange(1, 5000)
        w.writerow(['a;"b\\c.p.m' if i % 2 else "ä</x>.p.m", n, i % 2, 100 + 7 * n])
END
run 0 mastermind import csv odd.csv --time t --method-column who --params n --modes axis -o odd.mm
for name in shock sums odd; do
    mastermind report $name.mm --json >$name.report || fail "report $name"
    for format in folded speedscope chrome callgrind caliper openmetrics csv; do
        run 0 mastermind export $format $name.mm -o $name.$format
        mastermind export $format $name.mm 2>/dev/null | cmp - $name.$format || fail "$format to standard output"
    done
done
holds <(mastermind export chrome sums.mm 2>&1 >/dev/null) 'in aggregates'

# --- By definition: JSON, sums, nesting
python3 - <<'END' || fail "what was written is not what was measured"
import csv, json, re
for name in ("shock", "sums", "odd"):
    report = json.load(open(name + ".report"))
    exclusive = {m["name"]: m["exclusive_ns"] for m in report["methods"]}
    calls = {m["name"]: m["calls"] for m in report["methods"]}
    total = sum(exclusive.values())
    # collapsed stacks
    folded = 0
    for line in open(name + ".folded", encoding="utf8"):
        stack, number = line.rsplit(" ", 1)
        folded += int(number)
        assert stack and not re.search("[\n\t]", stack)
    assert abs(folded * 1000 - total) <= 1000, (name, folded, total)
    # speedscope, by its schema's rules
    d = json.load(open(name + ".speedscope"))
    p = d["profiles"][0]
    assert p["type"] == "sampled" and len(p["samples"]) == len(p["weights"]) and p["endValue"] == sum(p["weights"])
    assert all(0 <= f < len(d["shared"]["frames"]) for s in p["samples"] for f in s)
    by = {}
    for s, w in zip(p["samples"], p["weights"]):
        frame = d["shared"]["frames"][s[-1]]["name"]
        by[frame] = by.get(frame, 0) + w
    for m, ns in exclusive.items():
        assert abs(by.get(m, 0) - max(ns, 0)) <= 1, (name, m, by.get(m), ns)
    # trace events: on one thread they nest
    d = json.load(open(name + ".chrome"))
    threads = {}
    for e in d["traceEvents"]:
        if e["ph"] == "X":
            threads.setdefault((e["pid"], e["tid"]), []).append(e)
    if name != "sums":
        count = {}
        for e in sum(threads.values(), []):
            count[e["name"]] = count.get(e["name"], 0) + 1
        assert count == calls, (count, calls)
    for events in threads.values():
        assert [e["ts"] for e in events] == sorted(e["ts"] for e in events)
        stack = []
        for e in events:
            begin, end = round(e["ts"] * 1000), round(e["ts"] * 1000) + round(e["dur"] * 1000)
            while stack and stack[-1] <= begin:
                stack.pop()
            assert not stack or end <= stack[-1], (name, e, stack)
            stack.append(end)
    # Caliper's json-split, by what Hatchet asks of it
    d = json.load(open(name + ".caliper"))
    assert d["columns"][-1] == "path" and not d["column_metadata"][-1]["is_value"]
    for i, n in enumerate(d["nodes"]):
        assert n["column"] == "path" and n.get("parent", -1) < i
    seconds = sum(row[0] for row in d["data"])
    assert abs(seconds * 1e9 - total) < 1e-6 * total + 10, (seconds, total)
    assert sum(row[1] for row in d["data"]) == sum(calls.values())
    # CSV
    if name != "sums":
        rows = list(csv.DictReader(open(name + ".csv", encoding="utf8", errors="replace")))
        assert len(rows) == sum(calls.values())
END

# --- Readers of others
flames=/usr/share/perl5/Devel/NYTProf/flamegraph.pl
if [ -e $flames ]; then
    for name in shock odd; do
        run 0 perl $flames $name.folded
        cp out flames.svg
        python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse("flames.svg")' || fail "flame graph of $name"
    done
    equal "frames of odd" 2 "$(grep -c '<title>.*p\.m (' flames.svg)"
fi
if command -v callgrind_annotate >/dev/null; then
    for name in shock sums odd; do
        run 0 callgrind_annotate --tree=both --threshold=100 $name.callgrind
        python3 - $name <<'END' || fail "callgrind_annotate of $name"
import json, re, sys
report = json.load(open(sys.argv[1] + ".report"))
text = open("out", errors="replace").read()
total = int(re.search(r"([\d,]+) \(100\.0%\)  PROGRAM TOTALS", text).group(1).replace(",", ""))
want = sum(max(m["exclusive_ns"], 0) for m in report["methods"])
assert total == want, (total, want)
END
    done
fi
if needs_python prometheus_client.openmetrics.parser; then
    for name in shock sums odd; do
        /usr/bin/python3 - $name <<'END' || fail "OpenMetrics of $name"
import json, sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families
report = json.load(open(sys.argv[1] + ".report"))
families = {f.name: f for f in text_string_to_metric_families(open(sys.argv[1] + ".openmetrics").read())}
samples = families["mastermind_method_seconds"].samples
count = sum(s.value for s in samples if s.name.endswith("_count"))
assert count == sum(m["calls"] for m in report["methods"]), count
total = sum(s.value for s in samples if s.name.endswith("_sum"))
assert abs(total * 1e9 - sum(m["exclusive_ns"] for m in report["methods"])) < 1e-5 * total * 1e9 + 100
END
    done
fi
# speedscope reads four of the formats
readers=$O/tests/export
if command -v chromium >/dev/null && command -v npm >/dev/null && [ "$BUILD" = release ]; then
    if [ ! -e "$readers/node_modules/speedscope/dist" ]; then
        mkdir -p "$readers" && cp "$root"/tests/export/package*.json "$readers" &&
            (cd "$readers" && timeout 120 npm ci --ignore-scripts --no-audit --no-fund >npm.log 2>&1)
    fi
    if [ -e "$readers/node_modules/speedscope/dist" ]; then
        # speedscope goes by names: *.chrome.json would be profiles of JavaScript
        cp odd.folded odd.txt
        cp odd.speedscope odd.speedscope.json
        cp odd.chrome odd.trace.json
        cp odd.callgrind callgrind.odd
        run 0 timeout 120 node "$root/tests/export/speedscope.mjs" "$readers/node_modules/speedscope" odd.txt \
            odd.speedscope.json odd.trace.json callgrind.odd
        equal "files that speedscope reads" 4 "$(grep -c 'is read' out)"
    fi
fi

# --- Extra-P: as its definition has JSON lines
run 0 mastermind export extra-p odd.mm -o measurements
python3 - <<'END' || fail "Extra-P"
import glob, json
files = sorted(glob.glob("measurements/*.jsonl"))
assert len(files) == 2, files
for f in files:
    lines = [json.loads(line) for line in open(f)]
    assert len(lines) <= 32
    for line in lines:
        assert list(line["params"]) == ["n"] and line["metric"] == "time" and 1 <= len(line["value"]) <= 20
        n = line["params"]["n"]
        mean = sum(line["value"]) / len(line["value"])
        assert abs(mean * 1e9 / (100 + 7 * n) - 1) < .2, (n, mean)
END
run 0 mastermind export extra-p shock.mm odd.mm --method 'flux.*' -o flux
equal "files of flux" 2 "$(ls flux | wc -l)"

# classes with the same method, names that are one name of a file: a file each
python3 - <<'END'
import csv
with open("twins.csv", "w") as f:
    w = csv.writer(f)
    w.writerow(["who", "class", "n", "t"])
    for n in range(400):
        for who, name in (("a.p.m/1", "A"), ("a.p.m:1", "A"), ("ä.p.m", "(1)"), ("ö.p.m", "(1)")):
            w.writerow([who, name, n, 100 + 10 * n])
END
run 0 mastermind import csv twins.csv --time t --method-column who --class-column class --params n -o twins.mm
run 0 ccafe --measure --experiment godunov.mm -D FLUX=GodunovFlux -D NX=64 -D NY=16 -D PATCH=16 -D T_END=.1 \
    -D PICTURE=z.png "$root/scripts/shock-demo.rc"
run 0 mastermind export extra-p twins.mm shock.mm godunov.mm -o twins
python3 - <<'END' || fail "Extra-P of names alike, and of sizes with 0"
import glob, json, os
names = [os.path.basename(f) for f in glob.glob("twins/*.jsonl")]
assert {n for n in names if n.startswith("flux.")} == {
    f"flux.flux.compute_{c}_axis_{a}.jsonl" for c in ("EFMFlux", "GodunovFlux") for a in "xy"}, names
assert {n for n in names if n.startswith("a.p.m_1")} == {"a.p.m_1.jsonl", "a.p.m_1_2.jsonl"}, names
for name in (n for n in names if ".p.m" in n):
    lines = [json.loads(line) for line in open("twins/" + name)]
    assert len(lines) <= 33 and lines[0]["params"]["n"] == 0 and set(lines[0]["value"]) == {1e-7}, lines[0]
    for line in lines[-10:]:  # calls of all sizes in the bin, not of its smallest
        value, n = sorted(line["value"]), line["params"]["n"]
        assert value[0] * 1e9 < 100 + 10 * n < value[-1] * 1e9, (name, n, value)
END
# other letters are kept: these two would else be one series
run 0 mastermind export openmetrics twins.mm
holds out 'instance="ä"'
holds out 'instance="ö"'
# a link or a pipe is written, not replaced
echo old >target
ln -s target link
run 0 mastermind export folded odd.mm -o link
[ -L link ] && cmp target odd.folded || fail "a link was replaced"

# --- Wrong words; nothing half-written
run 2 mastermind export extra-p odd.mm
run 2 mastermind export folded odd.mm shock.mm -o two
run 2 mastermind export folded odd.mm --method x
run 2 mastermind export nothing odd.mm -o x
run 3 mastermind export chrome nothing.mm -o x
run 1 mastermind export extra-p odd.mm -o none --method 'zz*'
run 5 mastermind export chrome odd.mm -o no/such/folder.json
[ ! -e x ] && [ ! -e two ] || fail "files were left"
finish
