#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Every row for other tools: CSV and JSON lines say the same, read by independent readers, whatever is
# kept, while the run goes on, after it was killed, and where files are damaged.
. "$(dirname "$0")/../lib/lib.sh"
mkdir classes && ln -s "$O"/tests/components/me_*.so classes
script() { # NAME CALLS
    printf '%s\n' 'instantiate MeasuredCaller caller' 'instantiate MeasuredWorker a' \
        'instantiate MeasuredWorker b' 'connect caller flux a flux' 'connect a next b flux' \
        "parameter caller config calls $2" 'parameter caller config depth 2' 'go caller go' > "$1"
}
script short.rc 400
script long.rc 2000000000
python3 - "$root" << 'END'
import csv, io, json, os, random, shutil, signal, subprocess, sys, time
root, bad = sys.argv[1], 0
schema = os.path.abspath("records.schema")
with open(schema, "w") as file:
    subprocess.run(["mastermind", "help", "--schema", "records"], stdout=file, check=True)
def fail(*words):
    global bad
    bad = 1
    print("FAIL:", *words)
def ccafe(name, *options, script="short.rc", wait=True):
    run = subprocess.Popen(["ccafe", "--path", "classes", "--measure", "--experiment", name, *options, script],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if wait and run.wait():
        fail(name, "status", run.returncode)
    return run
def records(name, how, most=None):
    out = subprocess.run(["mastermind", "records", name, how], capture_output=True)
    return out.returncode, out.stdout.decode(), out.stderr.decode()
TEXT = {"instance", "port", "method", "class", "status"}
def of_csv(text):
    rows = []
    for row in csv.DictReader(io.StringIO(text), strict=True):
        if None in row or None in row.values():
            fail("a line of another length:", row)
        rows.append({k: v if k in TEXT else float(v) if "." in v or "e" in v else int(v)
                     for k, v in row.items() if v != ""})
    return rows
def same(name, status=0):
    """Both formats, compared value by value. Returns the rows and what was noted."""
    (a, text, notes), (b, lines, other) = records(name, "--csv"), records(name, "--jsonl")
    if (a, b) != (status, status) or notes != other:
        fail(name, "status", a, b, notes, other)
    rows = of_csv(text)
    if rows != [json.loads(line) for line in lines.splitlines()]:
        fail(name, "CSV and JSON lines differ")
    if lines and subprocess.run([sys.executable, os.path.join(root, "tests/lib/schema.py"), schema],
                                input=lines.encode()).returncode:
        fail(name, "does not fit its schema")
    return rows, notes

# --- Every mode
for mode, kept in (("rows", 801), ("auto:50", None), ("sample:5", None), ("reservoir:9", 19), ("aggregates", 0)):
    name = mode.split(":")[0] + ".mm"
    ccafe(name, "--storage", mode)
    rows, notes = same(name)
    about = json.load(open(name + "/experiment.json"))
    if len(rows) != about["totals"]["rows"] or kept not in (None, len(rows)):
        fail(name, len(rows), "rows of", about["totals"])
    if ("aggregates" in notes) != (mode != "rows"):
        fail(name, "notes:", notes)
    for row in rows:
        if row["instance"] == "a" and row["p.Q"] != row["p.nx"] * row["p.ny"]:
            fail(name, "a row with wrong values", row)
        if row["wall_ns"] < row["exclusive_ns"] or row["exclusive_ns"] < 0 or "mpi_ns" in row:
            fail(name, "a row with wrong times", row)
        if row["cpu_ns"] + row["host_ns"] + row["wait_ns"] != row["wall_ns"] or row["host_ns"] < row["host_exclusive_ns"]:
            fail(name, "parts that are not the whole", row)
whole, _ = same("rows.mm")

# --- While it runs, and after it was killed
for mode in ("rows", "auto:100", "sample:3", "aggregates"):
    name = "live-" + mode.split(":")[0] + ".mm"
    run = ccafe(name, "--storage", mode, "--size-limit", "16M" if mode == "aggregates" else "1M", script="long.rc", wait=False)
    for _ in range(3000):
        if os.path.exists(name + "/rank-0000/thread-000.ring"):
            break
        time.sleep(.01)
    time.sleep(.1)
    for how in ("--csv", "--jsonl") * 3: # it moves
        status, text, notes = records(name, how)
        if status:
            fail(name, how, "of a running program:", status, notes)
    run.send_signal(signal.SIGSTOP)
    time.sleep(.05)
    stopped, _ = same(name)
    run.kill()
    run.wait()
    killed, notes = same(name)
    if stopped[:len(killed) - 3] != killed[:len(killed) - 3]:
        fail(name, "other rows after the kill")
    if [r["instance"] for r in killed if r["status"] == "open"][-1:] != ["caller"]:
        fail(name, "the open call is not there:", killed[-3:])
    if any("wall_ns" in r for r in killed if r["status"] == "open"):
        fail(name, "an open call with a time")
    shutil.rmtree(name)

# --- Damaged: refused with file and offset; what was printed before is right
random.seed(1)
segment = "rows.mm/rank-0000/thread-000.seg"
good = open(segment, "rb").read()
for trial in range(40):
    broken = bytearray(good)
    if trial % 2:
        broken = broken[:random.randrange(len(broken))]
    else:
        broken[random.randrange(len(broken))] ^= 1 << random.randrange(8)
    open(segment, "wb").write(broken)
    rows, notes = same("rows.mm", 3)
    if rows != whole[:len(rows)] or "rows.mm/" not in notes or "found" not in notes or notes.count("\n") != 1:
        fail("damaged:", len(rows), "rows,", notes)
open(segment, "wb").write(good)
if same("rows.mm")[0] != whole:
    fail("not as it was")
sys.exit(bad)
END
