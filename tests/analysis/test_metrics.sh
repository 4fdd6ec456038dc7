#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Reports, models, predictions and choices over other metrics than wall time; sums over rows and
# aggregates of a run are those of a run of the same calls that kept all rows.
. "$(dirname "$0")/../lib/lib.sh"
counter=sde:::godunov::riemann_iterations
measure() { # EXPERIMENT FLUX OPTIONS...
    local name=$1 flux=$2
    shift 2
    ccafe --measure --metrics "CPU_TIME,$counter" --experiment "$name.mm" "$@" -D FLUX="$flux" -D NX=48 -D NY=24 \
        -D PATCH=12 -D T_END=.06 -D PICTURE="$name.png" "$root/scripts/shock-demo.rc" > "$name.log" 2>&1 || {
        cat "$name.log"
        fail "cannot measure: $*"
    }
}
measure all GodunovFlux --storage rows
measure auto GodunovFlux --storage auto:20
measure sample GodunovFlux --storage sample:10
measure reservoir GodunovFlux --storage reservoir:10
measure none GodunovFlux --storage aggregates
measure limit GodunovFlux --storage rows --size-limit 1M
measure efm EFMFlux --storage rows

# --- What there is, and what there is not
for wrong in MPI_TIME COMPUTE_TIME; do
    mastermind model all.mm --metric $wrong > out 2> err
    equal "$wrong: status" 3 $?
    grep -q "'$wrong' was not measured: .*MPI is not measured" err || fail "$wrong: $(cat err)"
done
mastermind predict all.mm --metric CPU_TIMES > out 2> err
equal "no metric: status" 3 $?
grep -q "expected one of: TIME, WALL_TIME, CPU_TIME, HOST_TIME, WAIT_TIME, $counter" err || fail "no metric: $(cat err)"
mastermind model all.mm --metric o.nothing > out 2> err
equal "no out-parameter: status" 3 $?
ccafe --measure --experiment plain.mm -D FLUX=EFMFlux -D NX=24 -D NY=12 -D PATCH=12 -D T_END=.02 \
    -D PICTURE=plain.png "$root/scripts/shock-demo.rc" > plain.log 2>&1 || fail "plain: $(cat plain.log)"
mastermind choose plain.mm all.mm --metric "$counter" > out 2> err
equal "not asked for: status" 3 $?
grep -q "plain.mm: found no metric '$counter'" err || fail "not asked for: $(cat err)"

# --- MPI is not measured here: absent, not 0
for e in all plain; do
    equal "$e: mpi_ns" "{''}" "$(mastermind records $e.mm --csv | python3 -c '
import csv, sys
print({r["mpi_ns"] for r in csv.DictReader(sys.stdin)})')"
    for verb in "records $e.mm --jsonl" "report $e.mm --json" "graph $e.mm --json"; do
        # shellcheck disable=SC2086
        mastermind $verb | grep -q mpi && fail "$verb: speaks of MPI"
    done
done

# --- All documents fit their schemas
for metric in WALL_TIME HOST_TIME WAIT_TIME; do
    for verb in "report all.mm" "report none.mm" "model all.mm auto.mm"; do
        # shellcheck disable=SC2086
        fits "${verb%% *}-metric" <(mastermind $verb --metric $metric --json 2> err)
        # shellcheck disable=SC2086
        mastermind $verb --metric $metric > out 2> err || fail "$verb --metric $metric: $(cat err)"
    done
done
mastermind model all.mm auto.mm --metric WALL_TIME > out
grep -Eq '^wall time on this host: [0-9.]+ x the own time \(90 %: [0-9.]+ to [0-9.]+\)$' out || fail "no stretch: $(head -2 out)"
for metric in CPU_TIME $counter; do
    verbs=("report all.mm" "model all.mm auto.mm" "predict all.mm" "report none.mm" "model sample.mm" "predict auto.mm")
    [ $metric = CPU_TIME ] && # EFM has no Riemann problem to solve
        verbs+=("model all.mm efm.mm" "predict efm.mm all.mm --set flux=GodunovFlux" "choose efm.mm all.mm")
    for verb in "${verbs[@]}"; do
        # shellcheck disable=SC2086
        fits "${verb%% *}-metric" <(mastermind $verb --metric $metric --json 2> err)
        # shellcheck disable=SC2086
        mastermind $verb --metric $metric > out 2> err || [ $? = 1 ] || fail "$verb --metric $metric: $(cat err)"
        awk 'length > 100 { exit 1 }' out || fail "$verb --metric $metric: lines of more than 100 columns"
    done
done

# --- Own time, and beside it wall time with its parts
for e in all auto sample none; do
    mastermind report $e.mm > out
    grep -Eq '^own time .*; wall .*, of which the host took .*; .* of own time was waiting$' out || fail "$e: $(cat out)"
    for metric in TIME WALL_TIME HOST_TIME WAIT_TIME CPU_TIME; do
        mastermind report $e.mm --metric $metric --json > $e.$metric || fail "$metric of $e"
    done
    python3 - $e << 'END' || fail "$e: the parts of wall time"
import json, sys
def total(metric):
    document = json.load(open(f"{sys.argv[1]}.{metric}"))
    return document.get("total_ns", document.get("total"))
own = json.load(open(f"{sys.argv[1]}.TIME"))
calls = sum(m["calls"] for m in own["methods"])
assert own["wall_ns"] == own["total_ns"] + own["host_ns"], own["wall_ns"]
for m in own["methods"]:
    assert m["wall_ns"] == m["inclusive_ns"] + m["host_ns"], m
    assert 0 <= m["host_exclusive_ns"] <= m["host_ns"] + calls and 0 <= m["wait_exclusive_ns"], m
# Ticks of aggregates become nanoseconds in other sums.
# Own times are not below 0, also where recording is taken to have cost more than there was: so much is in no sum.
off = total("TIME") + total("HOST_TIME") - total("WALL_TIME")
assert -calls <= off <= calls + own["overhead_ns"], (off, own["overhead_ns"])
assert abs(total("CPU_TIME") + total("WAIT_TIME") - total("TIME")) <= calls + .01 * total("TIME")
END
done

# --- Sums
for e in all auto sample reservoir none limit; do
    mastermind records $e.mm --csv > $e.csv 2> /dev/null || fail "records of $e"
    mastermind report $e.mm --json > $e.own || fail "report of $e"
    mastermind report $e.mm --metric CPU_TIME --json > $e.cpu || fail "CPU time of $e"
    mastermind report $e.mm --metric $counter --json > $e.count || fail "counter of $e"
    mastermind export tau $e.mm -o $e.tau 2> $e.tau.note || fail "profiles of $e"
done
python3 - "$root" << 'END' || fail "the numbers"
import csv, json, re, sys
from collections import defaultdict
bad = 0
def expect(what, found, wanted):
    global bad
    if found != wanted:
        print(f"FAIL: {what}: found {found}, expected {wanted}")
        bad += 1
COUNTER = "sde:::godunov::riemann_iterations"
def truth(name):
    """From the rows alone, all of them: CPU time by method, and the counter."""
    rows = list(csv.DictReader(open(f"{name}.csv")))
    below = defaultdict(int)
    for r in rows:
        below[r["caller"]] += int(r["cpu_ns"])
    cpu, count, calls = defaultdict(int), defaultdict(int), defaultdict(int)
    for r in rows:
        m = ".".join((r["instance"], r["port"], r["method"]))
        cpu[m] += int(r["cpu_ns"]) - below[r["invocation"]]
        count[m] += int(r["x." + COUNTER])
        calls[m] += 1
    return dict(cpu), dict(count), dict(calls), below[""]
def graph(name): return json.load(open(name))
cpu, count, calls, total = truth("all")
report = json.load(open("all.cpu"))
# Recording takes time of a call and of its caller's, more where caches are cold, or while another hardware thread slows
# the core down, at a method's calls perhaps more than in the mean; each row is rounded.
def pace(about): return 1.5 * max(1, about["overhead"]["pace"])
about = graph("all.mm/experiment.json")
recording = 4 * pace(about) * about["overhead"]["call_ns"] + 1
for m in report["methods"]:
    expect(f"CPU time of {m['name']}",
           -m["calls"] <= cpu[m["name"]] - m["exclusive"] <= recording * (m["subrs"] + m["calls"]), True)
expect("CPU time of the run", 0 <= total - report["total"] <= recording * sum(calls.values()), True)
expect("unit", report["unit"], "ns")
def methods(name): return {m["name"]: m for m in json.load(open(name))["methods"]}
expect("counter", {m: v["exclusive"] for m, v in methods("all.count").items()}, count)
for name in ("auto", "sample", "reservoir", "none", "limit"):
    report = graph(f"{name}.cpu")
    found = {m["name"]: m for m in report["methods"]}
    expect(f"{name}: CPU time: calls", {m: v["calls"] for m, v in found.items()}, calls)
    expect(f"{name}: CPU time: missing", report["missing"], 0)
    # Each call rounds twice. Own times are not below 0, also where recording is taken to have cost more than there was.
    over, each = sum(v["exclusive"] for v in found.values()) - report["total"], 2 * sum(calls.values())
    expect(f"{name}: CPU time adds up: {over} ns over", -each <= over <= each + graph(f"{name}.own")["overhead_ns"], True)
    expect(f"{name}: CPU time is positive", all(v["exclusive"] >= 0 for v in found.values()), True)
    expect(f"{name}: the driver has all", found["driver.go.go"]["inclusive"], report["total"])
    # Another run of the same calls takes about as long; a wrong sum is off by a method.
    expect(f"{name}: CPU time is near", .3 < report["total"] / total < 3.5, True)
    # Counters are exact, whatever is kept.
    report = graph(f"{name}.count")
    found = {m["name"]: m for m in report["methods"]}
    expect(f"{name}: counter: calls", {m: v["calls"] for m, v in found.items()}, calls)
    expect(f"{name}: counter: missing", report["missing"], 0)
    expect(f"{name}: counter", {m: v["exclusive"] for m, v in found.items()}, count)
    expect(f"{name}: counter: total", report["total"], sum(count.values()))
    for m, v in found.items(): # what single calls have is known of rows
        expect(f"{name}: counter of {m}: extremes", "max" in v, not v["aggregated"])
# Profiles: the same calls and parameters whatever is kept, so the same events.
def profile(name, metric):
    text = open(f"{name}.tau/MULTI__{metric}/profile.0.0.0").read()
    events = dict(re.findall(r'^"([^"]*)" (\d+ \S+ \S+ \S+ \S+)$', text, re.M))
    functions = {m[0]: m[1:] for m in re.findall(r'^"([^"]*)" (\d+) (\d+) (\d+) (\d+) 0 GROUP', text, re.M)}
    return functions, events
_, wanted = profile("all", "TIME")
outs = {e for e in wanted if e.rsplit(" ")[1] in {k[2:] for k in next(csv.DictReader(open("all.csv"))) if k[:2] == "o."}}
for name in ("auto", "sample", "none", "limit"):
    for metric in ("TIME", COUNTER):
        functions, events = profile(name, metric)
        expect(f"{name}: {metric}: calls", {f: (int(v[0])) for f, v in functions.items() if f in calls}, calls)
        root = int(functions[".TAU application"][3])
        if metric != COUNTER: # of callers' time recording is taken off, never more than they have
            about = graph(f"{name}.mm/experiment.json")
            recording = sum(pace(about) * about["overhead"][cost] * about["totals"][kind] / 1000
                            for cost, kind in (("call_ns", "rows"), ("aggregate_ns", "aggregated")))
            found = sum(int(v[2]) for v in functions.values())
            # A driver's own time is not below 0, also where recording and the host took more of it than it had.
            expect(f"{name}: {metric} adds up: {found} to {root}", abs(found - root) <= len(functions) + recording or
                   (found > root and functions["driver.go.go"][2] == "0"), True)
        for event in set(wanted) - outs:
            near = all(abs(float(a) - float(b)) <= 1e-9 * abs(float(b))
                       for a, b in zip(events.get(event, "0 0 0 0 0").split(), wanted[event].split()))
            expect(f"{name}: {metric}: {event}", near, True)
sys.exit(bad > 0)
END
out_parameter=$(head -n 1 all.csv | tr , '\n' | grep '^o\.' | head -n 1)
for e in auto sample none; do
    grep -q 'their out-parameters are not in user events' $e.tau.note || fail "profiles of $e: $(cat $e.tau.note)"
    grep -q 'no value of' $e.tau.note && fail "profiles of $e lack a counter: $(cat $e.tau.note)"
    mastermind report $e.mm --metric $counter > out
    grep -q 'no value of it' out && fail "report of $e: $(tail -n 4 out)"
    mastermind report $e.mm --metric $out_parameter > out
    grep -q 'calls have no value of it' out || fail "report of $e --metric $out_parameter: $(tail -n 4 out)"
    grep -q 'these keep no out-parameters' out || fail "report of $e --metric $out_parameter: $(tail -n 4 out)"
    mastermind records $e.mm --csv 2>&1 > /dev/null | grep -q '(storage .*)' || fail "records of $e do not say what is kept"
done
mastermind report limit.mm > out
if grep -q 'aggregates' out; then
    grep -q 'size limit of 1,048,576 bytes reached' out || fail "the size limit: $(cat out)"
fi

# --- Models and choices
mastermind model all.mm efm.mm --metric $counter > out 2> err
equal "pooled with a run that has none" 3 $?
grep -q "efm.mm: '$counter' was not measured: no component publishes it" err || fail "pooled: $(cat err)"
mastermind model all.mm --metric $counter --json > models.json
for e in auto sample reservoir none limit; do
    mastermind model $e.mm --metric $counter --json > $e.model 2> /dev/null
    mastermind model $e.mm --metric o.iterations --json > $e.out 2> /dev/null
done
mastermind model all.mm --metric o.iterations --json > all.out
mastermind predict all.mm --metric $counter --json > predicted.json
mastermind predict all.mm --metric CPU_TIME --json > cpu.json
mastermind choose efm.mm all.mm --metric CPU_TIME --slot flux --json > choice.json
python3 - << 'END' || fail "the numbers"
import json, sys
load = lambda name: json.load(open(name))
bad = 0
def expect(what, holds):
    global bad
    if not holds:
        print("FAIL:", what)
        bad += 1
models = lambda name: {m["method"]: m["models"] for m in load(name)["methods"]}
all_ = models("models.json")
expect("a method that counts nothing costs nothing", all(m["constant"] == 0 for m in all_["reconstruct"]))
for name in ("auto", "sample", "reservoir", "none", "limit"):
    summed = models(f"{name}.model")
    expect(f"{name}: models of counters are of sums, as exact as rows",
           summed.keys() == all_.keys() and
           all(len(summed[k]) == len(v) and
               all(abs(s["constant"] - m["constant"]) <= 1e-9 * m["constant"] and
                   s["invocations"] == m["invocations"] and s["modes"] == m["modes"]
                   for s, m in zip(summed[k], v)) for k, v in all_.items()))
    expect(f"{name}: their spread is not known", name == "limit" or
           not any("sd" in m for k, v in summed.items() for m in v if k == "compute"))
expect("of rows it is", all("sd" in m for m in all_["compute"]))
sampled, rows = models("sample.out")["compute"], models("all.out")["compute"]
expect("samples stand for out-parameters in aggregates",
       len(sampled) == 2 and
       all(abs(s["constant"] / m["constant"] - 1) < .2 and s["invocations"] < m["invocations"]
           for s, m in zip(sampled, rows)))
expect("nothing stands for them where there is no row", models("none.out")["compute"] == [])
for name, unit, within in (("predicted.json", "count", 1e-6), ("cpu.json", "ns", .25)):
    p = load(name)
    expect(f"{name}: unit", p["unit"] == unit)
    expect(f"{name}: predicted from its own models", abs(p["against"]["total_error"]) < within)
c = load("choice.json")
expect("a choice by CPU time", c["choice"]["flux"] in ("EFMFlux", "GodunovFlux") and c["metric"] == "CPU_TIME")
sys.exit(bad > 0)
END
finish
