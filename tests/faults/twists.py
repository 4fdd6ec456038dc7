# SPDX-License-Identifier: BSD-3-Clause
"""twists.py: proxies of proxies, a monitor that is itself fronted, coroutines, children that no
handler of fork hears of, and counters that are not there: the program is what it was, and
every call is kept.

FAULT_TWISTS: calls through two proxies; coroutines and children in proportion.
"""
import os
import shutil

from harness import about, ccafe, count, exclusive_sums_to_inclusive, expect, fail, finish, mastermind, \
    report, rows, same_when_measured, script, statuses

SANITIZED = os.environ.get("BUILD") in ("asan", "tsan")


def compare(what, lines, measured_lines, *options, **environment):
    """The script bare, and with further lines and options measured. Returns the latter."""
    def write(text):
        with open("fault.rc", "w", encoding="utf-8") as file:
            file.write("\n".join([*text, "go driver go"]) + "\n")
    write(lines)
    bare = ccafe(False)
    write(measured_lines)
    measured = ccafe(False, "--experiment", "fault.mm", "--storage", "rows", *options, fresh=True,
                     **environment)
    expect(what, (0, bare.returncode, bare.stdout),
           (bare.returncode, measured.returncode, measured.stdout))
    if measured.returncode:
        fail(measured.stderr)
    return measured


MONITOR = ["instantiate TauMeasurement tau", "instantiate Mastermind mm",
           "connect mm measurement tau measurement"]
CHAIN = ["instantiate FaultDriver driver", "instantiate FaultChain w1",
         "parameter driver config count %d", "parameter driver config depth 4"]


def two_proxies(calls):
    """A call crosses two proxies wired by hand, and comes back through both, four deep: w1 calls
    itself through them."""
    chain = [line % calls if "%" in line else line for line in CHAIN]
    direct = chain + ["connect driver flux w1 flux", "connect w1 next w1 flux"]
    proxies = [line for name in ("outer", "inner") for line in (
        "instantiate flux_port_proxy " + name, "connect %s monitor mm monitor" % name)]
    through = chain + MONITOR + proxies + [
        "connect inner port w1 flux", "connect outer port inner port",
        "connect driver flux outer port", "connect w1 next outer port"]
    for what, options, methods in (("two proxies", (), 2), ("two proxies and --measure", ("--measure",), 3)):
        compare(what, direct, through, *options)
        found = rows(what)
        methods = {}
        for row in found:
            name = (row["instance"], row["port"])
            methods[name] = methods.get(name, 0) + 1
        wanted = {("w1", "flux"): 4 * calls, ("inner", "port"): 4 * calls}
        if options:
            wanted["driver", "go"] = 1
        expect(what + ": rows", wanted, methods)
        exclusive_sums_to_inclusive(what, found)
        by_number = {(r["thread"], r["invocation"]): r for r in found}
        for row in found:
            if row["instance"] == "w1":  # what it calls back is inside of what called it
                caller = by_number.get((row["thread"], row["caller"]))
                if not caller or caller["instance"] != "inner":
                    fail(what + ": not called by the outer proxy:", row)
                    break
        most = report(what)
        whole = max(m["inclusive_ns"] for m in most["methods"])
        if any(m["inclusive_ns"] > whole * 1.001 for m in most["methods"]):
            fail(what + ": an inclusive time is there twice")


def fronted_monitor(calls):
    """A proxy in front of the monitor would measure what measures: there is none, and one made
    from a description is refused or ignored, for --measure as for insert."""
    chain = [line % calls if "%" in line else line for line in CHAIN]
    direct = chain + ["connect driver flux w1 flux", "connect w1 next w1 flux"]
    script_lines = direct + MONITOR
    described = 0
    os.makedirs("described", exist_ok=True)
    include = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
    for port in ("monitor", "measurement"):
        described += os.system("proxygen -I '%s' --describe -o described '%s/ports/%s_port.h' 2>/dev/null"
                               % (include, include, port)) == 0
    compare("a described monitor", direct, script_lines, "--measure", "--path", "described")
    for insert in ("insert mm monitor FfiProxy", "insert tau measurement FfiProxy"):
        with open("fault.rc", "w", encoding="utf-8") as file:
            file.write("\n".join([*script_lines, insert, "go driver go"]) + "\n")
        refused = ccafe(False, "--path", "described")
        expect(insert, (3, ""), (refused.returncode, refused.stdout))
        if "no interposer may front" not in refused.stderr:
            fail(insert, refused.stderr)
    totals = about()["totals"]
    if totals["dropped"] or totals["rows"] < 4 * calls + 1:
        fail("a described monitor:", totals)
    expect("a described monitor: report", 0, mastermind("report", "fault.mm").returncode)
    shutil.rmtree("described")
    return described


def twister(how, times):
    what = "%s %d times" % (how, times)
    script("FaultTwister", 2, True, how=how, count=times)
    for storage in ("rows", "auto:%d" % (times // 2 + 1), "aggregates"):
        _, measured = same_when_measured(what, storage)
        expect(what, 0, measured.returncode)
        if measured.returncode:
            fail(what, measured.stdout, measured.stderr)
            continue
        calls = int(measured.stdout.split("calls ")[1].split(",")[0])
        totals = about()["totals"]
        kept = totals["rows"] + totals["aggregated"] - totals["sampled"]
        expect(what + ": calls", (calls + 1, 0), (kept, totals["dropped"]))
        expect(what + ": found", kept, sum(m["calls"] for m in report(what)["methods"]))
        if storage == "rows" and how != "coroutines":
            expect(what + ": rows", {"done": calls}, statuses(rows(what)))
        expect(what + ": threads", 1, totals["threads"])


def hidden_counters():
    """A PAPI that cannot be loaded: the run goes on, one line says why, cells are empty."""
    os.makedirs("hidden", exist_ok=True)
    for name in ("libpapi.so.7.0", "libpapi.so.7", "libpapi.so.6", "libpapi.so"):
        with open(os.path.join("hidden", name), "w", encoding="utf-8") as file:
            file.write("no library\n")
    script("FaultDriver", 1, count=50)
    bare = ccafe(False)
    measured = ccafe(True, "--metrics", "PAPI_TOT_CYC,perf::PAGE-FAULTS,PROCESS_CPU_TIME",
                     LD_LIBRARY_PATH=os.path.abspath("hidden"))
    expect("hidden PAPI", (bare.returncode, bare.stdout), (measured.returncode, measured.stdout))
    lines = [line for line in measured.stderr.splitlines() if " is not measured: " in line]
    expect("hidden PAPI: lines", 2, len(lines))
    found = rows("hidden PAPI")
    for name in ("PAPI_TOT_CYC", "perf::PAGE-FAULTS"):
        expect("hidden PAPI: " + name, {""}, {r["c." + name] for r in found})
    if not all(int(r["c.PROCESS_CPU_TIME"]) >= 0 for r in found):
        fail("hidden PAPI: a counter that needs no PAPI is gone")
    missing = {m["name"]: m["why"] for m in about()["counters"]["missing"]}
    if not {"PAPI_TOT_CYC", "perf::PAGE-FAULTS"} <= set(missing) or not all(missing.values()):
        fail("hidden PAPI:", missing)


def main():
    calls = count("TWISTS", 5000, 1000000)
    two_proxies(calls // 4)
    described = fronted_monitor(200)
    if not SANITIZED:  # they know of no stack that is made by hand
        twister("coroutines", max(calls // 50, 10))
    if os.environ.get("BUILD") != "tsan":  # a child inherits what it knows of other threads
        twister("_Fork", max(calls // 500, 5))
    twister("vfork", max(calls // 500, 5))
    twister("spawn", max(calls // 500, 5))
    hidden_counters()
    finish("proxies of proxies, %d described monitors, coroutines, children, no counters" % described)


main()
