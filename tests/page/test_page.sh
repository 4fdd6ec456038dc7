#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# mastermind report --html: the document in the page against the rows, hostile names, messages.
. "$(dirname "$0")/../lib/lib.sh"

# A bundle of our own, so that this test needs no npm.
cat >bundle.html <<'END'
<!DOCTYPE html><title>t</title><script type="application/json" id="document">@MASTERMIND-DOCUMENT@</script>
END
export MASTERMIND_PAGE=$dir/bundle.html

# --- The document against the rows
python3 - <<'END'
import csv, random
random.seed(7)
with open("calls.csv", "w") as file:
    out = csv.writer(file)
    out.writerow(["method", "class", "n", "axis", "t"])
    for i in range(6000):
        n = int(10 ** random.uniform(1, 5))
        out.writerow(["solver.s.step" if i % 3 else "mesh.m.fill", "Solver" if i % 3 else "Mesh", n, i % 2,
                      round((200 + 3 * n) * random.uniform(1, 1.1))])
END
run 0 mastermind import csv calls.csv --time t --method-column method --class-column class --params n --modes axis -o run.mm
run 0 mastermind report run.mm --html page.html
quiet
[ ! -s out ] || fail "something was printed"
python3 - <<'END' || fail "the document"
import collections, csv, json, math, re
page = open("page.html").read()
text = re.search(r'id="document">(.*)</script>\s*$', page, re.S).group(1)
doc = json.loads(text)
json.dump(doc, open("page.json", "w"))
truth = collections.defaultdict(list)
for row in csv.DictReader(open("calls.csv")):
    truth[row["method"], int(row["axis"])].append((int(row["n"]), int(row["t"])))
assert doc["run"]["rows"] == 6000 and doc["run"]["name"] == "run.mm"
for calls in doc["calls"]:
    method = doc["methods"][calls["index"]]
    axis = [v["name"] for v in method["values"]].index("axis")
    n = [v["name"] for v in method["values"]].index("n")
    everything = sorted((t for (name, _), rows in truth.items() if name == method["name"] for _, t in rows), reverse=True)
    assert sorted(calls["whole"]["ns"][:calls["whole"]["slowest"]], reverse=True) == everything[:40]
    assert calls["timed"] == len(everything)
    for mode in calls["modes"]:
        rows = truth[method["name"], mode["values"][axis]]
        assert mode["calls"] == len(rows) and mode["sum_ns"] == sum(t for _, t in rows)
        grid, cells, x = mode["grids"][n], {}, 0
        for i in range(0, len(grid["cells"]), 3):
            x += grid["cells"][i]
            cells[x, grid["cells"][i + 1]] = grid["cells"][i + 2]
        counted = collections.Counter((math.floor(math.log2(a) * 64) >> grid["shift_x"],
                                       math.floor(math.log2(t) * 64) >> grid["shift_y"]) for a, t in rows)
        assert cells == dict(counted), method["name"]
# Curves: between the sizes seen, near 200 + 3 n (noise: 5 % in the mean), bands about them.
for i, method in enumerate(doc["documents"]["model"]["methods"]):
    for model, curve in zip(method["models"], doc["curves"][i]):
        (along,) = curve["along"]
        assert along["parameter"] == "n" and len(along["x"]) == 48
        for x, typ, low, high in zip(along["x"], along["typ"], along["low"], along["high"]):
            assert abs(typ / (1.05 * (200 + 3 * x)) - 1) < .06, (x, typ)
            assert low <= typ <= high
total = doc["documents"]["report"]["total_ns"]
assert total == sum(t for rows in truth.values() for _, t in rows)
contexts = doc["contexts"]
assert contexts["inclusive_ns"][0] == total and contexts["parent"][0] == -1
assert sum(contexts["exclusive_ns"]) == total and len(contexts["names"]) == 1
line = doc["timeline"]
(thread,) = line["threads"]
bars = [thread["bars"][i:i + 7] for i in range(0, len(thread["bars"]), 7)]
assert sum(bar[4] for bar in bars) == 6000 and len(bars) <= 3000 and {bar[2] for bar in bars} == {0}
assert abs(sum(bar[1] * bar[5] / 100 for bar in bars) * line["unit_ns"] / total - 1) < .05
END
fits page page.json
run 0 mastermind report run.mm --json
run 0 mastermind model run.mm --json
python3 - <<'END' || fail "the model in the page is that of the verb"
import json
def alike(a, b):
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(alike(a[k], b[k]) for k in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(alike, a, b))
    return abs(a - b) <= 1e-8 * abs(b) if isinstance(a, float) else a == b
assert alike(json.load(open("page.json"))["documents"]["model"], json.load(open("out")))
END
mastermind properties run.mm --json >properties.json
python3 - <<'END' || fail "the findings in the page are those of the verb"
import json
page, verb = json.load(open("page.json"))["documents"]["properties"], json.load(open("properties.json"))
assert [f["property"] for f in page["findings"]] == [f["property"] for f in verb["findings"]]
assert (page["asked"], page["not_held"]) == (verb["asked"], verb["not_held"]) and page["asked"] > 20
assert all(f["meaning"] for f in verb["findings"])
END

# --- Names that are markup stay text
cat >hostile.csv <<'END'
method,class,n,time
"a</script><script>alert(1)</script>.p.m","<img src=x onerror=alert(2)>",1,100
"a</script><script>alert(1)</script>.p.m","<img src=x onerror=alert(2)>",2,200
"b.""'&<!--.x","<b>]]></STYLE>",3,300
END
run 0 mastermind import csv hostile.csv --time time --method-column method --class-column class --params n -o '<i>h.mm'
run 0 mastermind report '<i>h.mm' --html -
python3 - <<'END' || fail "hostile names"
import json
page = open("out").read()
bundle = open("bundle.html").read()
assert page.count("<") == bundle.count("<")
doc = json.loads(page.split('id="document">')[1].split("</script>")[0])
names = {m["name"] for m in doc["methods"]}
assert "a</script><script>alert(1)</script>.p.m" in names and "b.\"'&<!--.x" in names, names
assert doc["run"]["name"] == "<i>h.mm"
END

# --- Documents of other verbs
mastermind report run.mm --json >report.json
run 0 mastermind report run.mm --html more.html --with report.json --with report.json
[ "$(grep -o '"mastermind/report/1"' more.html | wc -l)" = 3 ] || fail "documents of --with"
echo '{"schema": 1' >bad.json
run 3 mastermind report run.mm --html x.html --with bad.json
grep -q '^mastermind: bad.json:2: ' err || fail "no place in bad.json"
echo '[]' >none.json
expect 3 'none.json:1: found no member "schema", expected a document' mastermind report run.mm --html x.html --with none.json
expect 5 "nowhere.json" mastermind report run.mm --html x.html --with nowhere.json
expect 2 "--with needs --html" mastermind report run.mm --with report.json
expect 2 "found --json and --html" mastermind report run.mm --json --html x.html
expect 2 "one experiment" mastermind report run.mm run.mm --html x.html
expect 2 "expected the directory" mastermind report --html x.html
expect 3 "nothing.mm" mastermind report nothing.mm --html x.html
[ ! -e x.html ] || fail "a page was left"
expect 5 "cannot write 'nowhere/x.html'" mastermind report run.mm --html nowhere/x.html
if [ -w /dev/full ]; then
    expect 5 "cannot write '/dev/full'" mastermind report run.mm --html /dev/full
    [ -c /dev/full ] || fail "the device is gone"
fi
# Every failure on the way: the whole page, or status 5, one line and no page
case $BUILD in asan | tsan) ;; *)
    head -300 calls.csv >few.csv
    run 0 mastermind import csv few.csv --time t --method-column method --class-column class --params n --modes axis -o few.mm
    python3 - "$O/tests/faults/libfault.so" <<'END' || fail "faults"
import os, struct, subprocess, sys
def call(kind, at):
    open("counts", "wb").close()
    if os.path.exists("few.html"):
        os.unlink("few.html")
    env = dict(os.environ, LD_PRELOAD=sys.argv[1], FAULT_KIND=kind, FAULT_AT=str(at), FAULT_MODE="once", FAULT_REPORT="counts")
    done = subprocess.run(["mastermind", "report", "few.mm", "--html", "few.html"], env=env, stderr=subprocess.PIPE, check=False)
    page = open("few.html").read() if os.path.exists("few.html") else None
    return done, page, struct.unpack("<QQ", open("counts", "rb").read())
for kind in "memory", "io":
    done, whole, (total, _) = call(kind, 0)
    assert done.returncode == 0 and whole and total > 20, (kind, total, done.stderr)
    struck = 0
    for at in range(1, total + 1, 1 if os.environ.get("SOAK") else max(1, total // 25)):
        done, page, (_, hit) = call(kind, at)
        struck += hit
        if done.returncode:
            assert done.returncode == 5 and page is None and done.stderr.count(b"\n") == 1, (kind, at, done, page and len(page))
        else:
            assert page == whole, (kind, at)
    assert struck > 10, (kind, struck)
END
    ;;
esac
echo 'no mark' >bundle.html
expect 3 "found no mark" mastermind report run.mm --html x.html
rm bundle.html
expect 5 "which the build makes where node and npm are" mastermind report run.mm --html x.html

# --- The page that the build has made asks for nothing beyond itself
unset MASTERMIND_PAGE
[ -e "$O/share/mastermind/page.html" ] || finish "no npm: without the page itself"
run 0 mastermind report run.mm --html page.html
[ "$(stat -c %s page.html)" -lt 1000000 ] || fail "the page has $(stat -c %s page.html) bytes"
grep -qF "default-src 'none'" page.html || fail "no policy"
SCRIPTS=$root/scripts run 0 python3 "$root/tests/lib/page.py" "$root/docs/guide/results.md"
grep -qiE '(src|href)="(https?:)?//' page.html && fail "the page asks for something"
finish
