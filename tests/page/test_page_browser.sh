#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The page of mastermind report --html in a headless Chromium, wide and as wide as a phone.
. "$(dirname "$0")/../lib/lib.sh"
[ -e "$O/share/mastermind/page.html" ] || skip "no npm: this build has no page"
command -v chromium >/dev/null && command -v node >/dev/null || skip "no chromium"
skip_sanitized "the page is the same in each build"

python3 - <<'END'
import csv, random
random.seed(7)
with open("calls.csv", "w") as file:
    out = csv.writer(file)
    out.writerow(["method", "class", "n", "axis", "t"])
    for i in range(6000):
        n = int(10 ** random.uniform(1, 5))
        kind = "solver.s.step" if i % 3 else "mesh.m.fill" if i % 4 else "mesh.m.clear"
        out.writerow([kind, "Solver" if i % 3 else "Mesh", n, i % 2, round((200 + 3 * n) * random.uniform(1, 1.1))])
END
run 0 mastermind import csv calls.csv --time t --method-column method --class-column class --params n --modes axis -o run.mm
run 0 mastermind report run.mm --html page.html
cat >hostile.csv <<'END'
method,class,n,time
"a</script><script>alert(1)</script>.p.m","<img src=x onerror=alert(2)>",1,100
"a</script><script>alert(1)</script>.p.m","<img src=x onerror=alert(2)>",2,200
"b.""'&<!--.x","<b>]]></STYLE>",3,300
END
run 0 mastermind import csv hostile.csv --time time --method-column method --class-column class --params n -o '<i>h.mm'
run 0 mastermind report '<i>h.mm' --html hostile.html
mastermind predict run.mm --json >predict.json
tr -d '\r' <calls.csv | awk -F, -v OFS=, 'NR > 1 { $5 = int($5 * 1.5) } { print }' >slow.csv
run 0 mastermind import csv slow.csv --time t --method-column method --class-column class --params n --modes axis -o slow.mm
mastermind diff --json run.mm -- slow.mm >diff.json
[ -s diff.json ] || fail "no diff"
cat >own.json <<'END'
{"schema": "mastermind/own/1", "total_ns": 5, "list": [{"a": "<b>x</b>", "deep": {"b_s": 2}}, 3], "nest": {"c": [[1, 2]]}, "none": []}
END
run 0 mastermind report run.mm --html more.html --with own.json --with predict.json --with diff.json
# What only ranks and assemblies have is put into the document.
python3 - <<'END' || fail "a page with ranks"
import json, re
page = open("more.html").read()
found = re.search(r'id="document">(.*?)</script>', page, re.S)
doc = json.loads(found[1])
report = doc["documents"]["report"]
doc["ranks"] = {"count": 3, "exclusive_ns": [[100 * i + r for r in range(3)] for i in range(len(doc["methods"]))]}
spread = {"min_ns": 1, "mean_ns": 2, "max_ns": 3, "least": 0, "most": 2, "imbalance": .5, "with_calls": 3}
for line in report["methods"]:
    line["ranks"] = spread
report["mpi"] = [{"name": "MPI_Send", "calls": 4, "inclusive_ns": 50, "ranks": spread}]
report["waiting"] = {"request": "all", "samples": 2, "methods": [{"method": "solver.s.step", "samples": 2, "late_sender_ns": 5, "collectives_ns": 6}]}
report["time"] = {"elapsed_ns": 1000, "cpu_ns": 900, "peak_bytes": 5308416, "instances": [{"instance": "libz", "calls": 3, "own_ns": 400}], "mpi_ns": 50, "measuring_ns": 50, "rest_ns": 500}
doc["documents"]["properties"]["findings"] = [{"property": "LoadBalanceLoss", "meaning": "uneven", "region": "solver.s.step", "unit": "rank 2", "severity": .4, "low": .3, "high": .5, "confidence": .99, "adjusted": .98, "confident": True}]
doc["wiring"] = {"instances": [{"name": "driver", "class": "D", "provides": [], "uses": [{"name": "flux", "type": "F"}]},
                               {"name": "solver", "class": "Solver", "provides": [{"name": "s", "type": "F"}], "uses": []}],
                 "connections": [{"user": "driver", "uses": "flux", "provider": "solver", "provides": "s"}]}
json.dump(doc, open("more.json", "w"))
text = json.dumps(doc).replace("<", "\\u003c")
open("more.html", "w").write(page[:found.start(1)] + text + page[found.end(1):])
END
fits page more.json
run 0 timeout 120 node "$root/tests/page/page.mjs" "$dir/page.html" "$dir/hostile.html" "$dir/more.html"
finish
