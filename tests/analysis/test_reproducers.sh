#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Assemblies whose costs are known loops: a class with rare large costs is not recommended, and calls
# that follow from a class are counted as that class makes them.
. "$(dirname "$0")/../lib/lib.sh"
skip_sanitized "the proxy's own compiler call does not link sanitizers"
mkdir classes
cp "$components"/known/co_*.so classes
proxygen -I"$root" "$root/tests/components/known/co_work_port.h" -o classes &&
    $CC -shared -fPIC -O2 -I"$root" -I"$root/tests/components/known" $(ccafe cflags) classes/co_work_port_proxy.c \
        -o classes/co_work_port_proxy.so || { fail "proxy" && finish; }
cat > one.rc << 'END'
#!ccaffeine bootstrap file.
path append classes
instantiate CoDriver driver
instantiate $WORK worker
connect driver work worker work
parameter driver config repeats 200
go driver go
quit
END
cat > cg.rc << 'END'
#!ccaffeine bootstrap file.
path append classes
instantiate CoDriver driver
instantiate CoSolver solver
instantiate CoMatrix matrix
instantiate $PREC prec
connect driver work solver work
connect solver matrix matrix work
connect solver prec prec work
parameter driver config repeats 10
go driver go
quit
END
measure() { # EXPERIMENT SCRIPT VARIABLE=CLASS
    ccafe --measure --metrics CPU_TIME --experiment "$1" -D "$3" "$2" > log 2>&1 || { cat log && fail "measure $1"; }
}
for run in 1 2; do
    for class in CoCache CoFlat; do measure $class-$run.mm one.rc WORK=$class; done
    for class in CoExact CoJacobi; do measure $class-$run.mm cg.rc PREC=$class; done
done

# --- One call in ten takes a thousand times as long as the others
for metric in TIME CPU_TIME; do
    for base in CoCache CoFlat; do
        chosen=$(mastermind choose $base-1.mm Co{Cache,Flat}-1.mm --quiet --metric $metric 2> /dev/null)
        [ "$chosen" = worker=CoFlat ] || fail "$metric, $base: chose $chosen"
    done
done

# --- Predictions hold, or it is said that they may not
mastermind predict CoExact-1.mm CoJacobi-1.mm --set prec=CoJacobi --json --metric CPU_TIME > jacobi.json
mastermind predict CoJacobi-1.mm CoExact-1.mm --set prec=CoExact --json --metric CPU_TIME > exact.json
mastermind predict CoCache-1.mm CoFlat-1.mm --set worker=CoFlat --json --metric CPU_TIME > flat.json
mastermind predict CoFlat-1.mm CoCache-1.mm --set worker=CoCache --json --metric CPU_TIME > cache.json
for class in CoJacobi CoExact CoFlat CoCache; do
    mastermind report $class-1.mm --json --metric CPU_TIME > $class-1.json
    mastermind report $class-2.mm --json --metric CPU_TIME > $class-2.json
    mastermind records $class-1.mm --csv > $class-1.csv
done
python3 - << 'END' || fail "predictions"
import csv, json, sys
load = lambda name: json.load(open(name))
bad = 0
def noise_of(name):
    """How much longer the slowest tenth of equal calls takes than the fastest, in the method that costs most: its calls
    that cost more than the mean are equal."""
    costs = {}
    for row in csv.DictReader(open(name)):
        costs.setdefault(row["method"], []).append(int(row["cpu_ns"]))
    costs = max((c for c in costs.values() if len(c) >= 10), key=sum)
    costs = sorted(c for c in costs if c >= sum(costs) / len(costs))
    return costs[-1 - len(costs) // 10] / costs[len(costs) // 10]
for name, truth in (("jacobi", "CoJacobi"), ("exact", "CoExact"), ("flat", "CoFlat"), ("cache", "CoCache")):
    p, t = load(name + ".json"), load(truth + "-2.json")
    took = sum(m["exclusive"] for m in t["methods"])
    print(name, f'{p["total"] / 1e6:.3f} ms, it took {took / 1e6:.3f}')
    calls = {m["name"]: m["calls"] for m in t["methods"]}
    for part in p["parts"]:
        if abs(part["calls"] - calls[part["name"]]) > .5:
            print(f'FAIL: {name}: {part["name"]}: {part["calls"]} calls, expected {calls[part["name"]]}')
            bad += 1
    # Runs of a shared host differ, by as much as two runs of the same differ; sums by the base's counts are six times off.
    again = sum(m["exclusive"] for m in load(truth + "-1.json")["methods"])
    host = max(took / again, again / took)
    if not took / (2 * host) < p["total"] < took * 2 * host:
        print(f"FAIL: {name}: not what it took, two runs of which differ {host:.2f} times")
        bad += 1
    noise = noise_of(truth + "-1.csv") # of a loud host
    if "low" in p and p["high"] > 20 * host * p["low"] * noise:
        print(f"FAIL: {name}: an interval that nobody can use: {p['low']} to {p['high']}, {host:.2f} between runs, {noise:.2f} between calls")
        bad += 1
sys.exit(bad > 0)
END
finish
