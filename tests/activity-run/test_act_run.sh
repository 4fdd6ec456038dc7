#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What activity run leaves and prints: Table 5.1 of the paper from its own numbers; a trace with the same spans as the sums of
# elements, and an arrow for each message; pictures whose bars are these sums; files that are whole or not there.
. "$(dirname "$0")/../lib/lib.sh"
examples=$root/examples/activity

# --- Table 5.1: simulated times are the paper's (a table by process), measured ones, too; T_m of NAT 64, N2P8 is 294
cat >table.act <<'END'
model table51
table double TS32 = { 280, 170, 126, 98 }
table double TS64 = { 543, 314, 211, 184 }
global long NAT = 32
activity Main {
  if NAT == 32 {
    action A cost TS32[floor(log2(nproc)) - 2]
  } else {
    action B cost TS64[floor(log2(nproc)) - 2]
  }
}
END
printf 'config,measured_s,source\nN1P4,264,paper\nN2P8,166,paper\nN4P16,131,paper\nN8P32,113,paper\n' >t32.csv
printf '# the second half\nconfig,measured_s,source\nN1P4,501,paper\nN2P8,294,paper\nN4P16,197,paper\nN8P32,164,paper\n' >t64.csv
run 0 activity run table.act --against t32.csv
cp out t32
run 0 activity run table.act --set NAT=64 --against t64.csv
cat t32 out >both
equal "errors in percent" "6.1 2.4 3.8 13.3 8.4 6.8 7.1 12.2" "$(awk '/paper$/ {printf "%s%s", s, $6; s = " "}' both)"
holds t32 "error: mean 6.4 %, worst 13.3 %, of 4 configurations"
holds out "error: mean 8.6 %, worst 12.2 %, of 4 configurations"
awk '/paper$/ {gsub(",", "", $5); r = $3 / $4; if ($5 + 0 < .9 * r || $5 + 0 > 1.1 * r) exit 1}' both || fail "T_m/T_e"
run 0 activity run table.act --against t32.csv --config N2P8,N1P8 --json
fits activity-run out
python3 -c "
import json
a, b = json.load(open('out'))['runs']
assert a['measured'] == {'seconds': 166, 'source': 'paper', 'error': 4 / 166} and 'measured' not in b" || fail "measured as JSON"
bad() { # MESSAGE TEXT
    printf "$2" >bad.csv
    run 3 activity run table.act --against bad.csv
    equal "the refusal" "activity: bad.csv:$1" "$(cat err)"
}
bad "2: found 'N2' in column 'config', expected a configuration such as N2P8" 'config,measured_s\nN2,3\n'
bad "2: found '-3' in column 'measured_s', expected seconds above 0" 'config,measured_s\nN2P2,-3\n'
run 3 activity run table.act --against nothing.csv

# --- The trace: spans add up to the sums; arrows
run 0 activity run "$examples/pipeline.act" --config N2P8 --trace p.json --timeline p.svg --profile f.svg --table t.svg --json
python3 - <<'END' || fail "the trace"
import json
run = json.load(open("out"))["runs"][0]
events = json.load(open("p.json"))["traceEvents"]
sums = {e["name"]: e for e in run["elements"] if e["kind"] != "if"}
for name, e in sums.items():
    slices = [v for v in events if v["ph"] == "X" and v["name"] == name]
    assert len(slices) == e["calls"], name
    assert abs(sum(v["dur"] for v in slices) * 1e-6 - e["total_s"]) < 1e-6 * len(slices), name
    assert abs(sum(v["dur"] - v["args"]["busy_us"] for v in slices) * 1e-6 - e["wait_s"]) < 1e-6 * len(slices), name
begins = {v["id"]: v for v in events if v["ph"] == "s"}
ends = {v["id"]: v for v in events if v["ph"] == "f"}
assert len(begins) == 7 and begins.keys() == ends.keys()
assert all(begins[i]["ts"] <= ends[i]["ts"] and begins[i]["pid"] + 1 == ends[i]["pid"] for i in begins)
assert max(v["ts"] + v["dur"] for v in events if v["ph"] == "X") * 1e-6 == run["total_s"]
assert sum(v["ph"] == "M" for v in events) == 8
END

# --- Pictures: boxes of the timeline cover what processes did; bars of the profile are the sums
python3 - <<'END' || fail "the pictures"
import json, re
import xml.etree.ElementTree as xml
run = json.load(open("out"))["runs"][0]
sums = {e["name"]: e for e in run["elements"] if e["kind"] != "if"}
ns = "{http://www.w3.org/2000/svg}"
def boxes(path):
    for r in xml.parse(path).getroot().iter(ns + "rect"):
        title = r.find(ns + "title")
        if title is not None:
            yield float(r.get("x")), float(r.get("y")), float(r.get("width")), r.get("fill"), title.text
per_pixel = run["total_s"] / 800
for name in ("VTOT", "Output", "Finish"):
    drawn = sum(w for x, y, w, fill, text in boxes("p.svg") if text.startswith(name + ":"))
    assert abs(drawn * per_pixel - sums[name]["total_s"]) <= 8 * 2 * per_pixel, name
lanes = {y for x, y, w, fill, text in boxes("p.svg")}
assert len(lanes) == 8
largest = max(e["total_s"] for e in sums.values())
for name in sums:
    drawn = sum(w for x, y, w, fill, text in boxes("f.svg") if text.startswith(name + ","))
    assert abs(drawn / 520 - sums[name]["total_s"] / largest) < 1e-3, name
END
grep -q '>Charges<' t.svg || fail "the table"
run 0 activity run "$examples/schedules.act" --set DYNAMIC=1 --timeline s.svg --trace s.json
holds s.svg "0, thread 1"
run 0 activity run "$examples/pipeline.act" --config N250P1000 --timeline b.svg
holds b.svg "64 bands of about 15.62 processes each"
[ "$(wc -c <b.svg)" -lt 100000 ] || fail "a picture of 1000 processes is large"

# --- Whole or not there
printf 'model m\nactivity Main {\n  action A cost 1/(3 - pid)\n}\n' >fault.act
run 4 activity run fault.act --config N1P4 --trace no.json --timeline no.svg --profile no2.svg -o no.mm
ls -d no* 2>/dev/null && fail "files of a run that failed"
run 5 activity run "$examples/sample.act" --trace no/such/folder.json
run 2 activity run "$examples/sample.act" --config N1P1,N1P2 --timeline two.svg
finish
