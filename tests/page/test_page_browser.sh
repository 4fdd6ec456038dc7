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
run 0 mastermind import csv calls.csv --time t --method method --class class --params n --modes axis -o run.mm
run 0 mastermind report run.mm --html page.html
cat >hostile.csv <<'END'
method,class,n,time
"a</script><script>alert(1)</script>.p.m","<img src=x onerror=alert(2)>",1,100
"a</script><script>alert(1)</script>.p.m","<img src=x onerror=alert(2)>",2,200
"b.""'&<!--.x","<b>]]></STYLE>",3,300
END
run 0 mastermind import csv hostile.csv --time time --method method --class class --params n -o '<i>h.mm'
run 0 mastermind report '<i>h.mm' --html hostile.html
mastermind predict run.mm --json >predict.json
tr -d '\r' <calls.csv | awk -F, -v OFS=, 'NR > 1 { $5 = int($5 * 1.5) } { print }' >slow.csv
run 0 mastermind import csv slow.csv --time t --method method --class class --params n --modes axis -o slow.mm
mastermind diff --json run.mm -- slow.mm >diff.json
[ -s diff.json ] || fail "no diff"
cat >own.json <<'END'
{"schema": "mastermind/own/1", "total_ns": 5, "list": [{"a": "<b>x</b>", "deep": {"b_s": 2}}, 3], "nest": {"c": [[1, 2]]}, "none": []}
END
run 0 mastermind report run.mm --html more.html --with own.json --with predict.json --with diff.json
run 0 timeout 120 node "$root/tests/page/page.mjs" "$dir/page.html" "$dir/hostile.html" "$dir/more.html"
finish
