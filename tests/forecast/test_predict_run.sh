#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# mastermind predict of runs that never happened: what it prints, its documents, the run that it is held against,
# and which words it refuses.
. "$(dirname "$0")/../lib/lib.sh"
demo=$root/scripts/shock-demo.rc
# A note on costs that differ between runs is the host's.
quiet() { ! grep -vE '^mastermind: note: (.*; kept apart$|the host took .* of the wall time of these runs: )' err || fail "err is not empty"; }
fixed=(-D NY=16 -D T_END=.06 -D PICTURE=p.png)

repeat=${SOAK:+2}
repeat=${repeat:-1}
run 0 mastermind sweep -D NX=16,32,48,64,96 -D PATCH=8,32 --class flux=EFMFlux,HLLCFlux --repeat "$repeat" -o s -- \
    ccafe "${fixed[@]}" "$demo"
run 0 ccafe --measure -o held.mm --metrics CPU_TIME --class flux=HLLCFlux -D NX=128 -D PATCH=32 "${fixed[@]}" "$demo"
asked=(--set NX=128 --set PATCH=32 --set flux=HLLCFlux)

# --- Text
run 0 mastermind predict s "${asked[@]}"
quiet
grep -qE '^total [0-9.]+ [mu]?s \(90 %: [0-9.]+ [mu]?s to [0-9.]+ [mu]?s\)   [a-z]+ [0-9]+ %' out || fail "the total"
says "  NX = 128 is 1.3 x beyond the runs"
says "  sizes of calls stay inside those seen"
holds out "uncertainty: "
holds out "calls of rk2.integrator.advance "
grep -qE '^flux\.flux\.compute +[0-9]+ +[0-9.]+ [mu]s +(\+-[0-9.]+ %|x\/ [0-9.]+)  HLLCFlux$' out || fail "the part of flux"
[ "$(wc -L <out)" -le 100 ] || fail "a line of $(wc -L <out) columns"
run 0 mastermind predict s "${asked[@]}" --metric CPU_TIME
holds out " of CPU_TIME (90 %: "

# The same run by other words
cp out first
for words in "--set driver.config.nx=128 --set PATCH=32 --set flux=HLLCFlux" \
    "-D NX=128 -D NX=128 -D PATCH=32 --class flux=HLLCFlux --ranks 1" \
    "--set NX=128 --set PATCH=32 --set flux=HLLCFlux --set NY=16 --set T_END=0.06"; do
    # shellcheck disable=SC2086
    run 0 mastermind predict s --metric CPU_TIME $words
    cmp -s out first || fail "another answer with $words"
done

# --- Documents
run 0 mastermind predict s "${asked[@]}" --json
fits predict out
run 0 mastermind predict s "${asked[@]}" --metric CPU_TIME --json
fits predict-metric out

# A size that ran: calls and sums are those of its rows.
for classes in EFMFlux HLLCFlux; do
    run 0 mastermind predict s --set NX=48 --set PATCH=32 --set flux=$classes --json
    cp out ran.json
    of=$(grep -l "\"NX\": \"48\"" $(grep -l '"PATCH": "32"' $(grep -l "\"flux\": \"$classes\"" s/*.mm/experiment.json)) |
        head -n 1)
    run 0 mastermind records "$(dirname "$of")" --jsonl
    mv out rows
    python3 - <<'END_PYTHON' || fail "counts of a run that ran, $classes"
import json, re
rows = {}
for line in open("rows"):
    row = json.loads(line)
    rows[row["invocation"]] = row
name = lambda r: "%s.%s.%s" % (r["instance"], r["port"], r["method"]) if r else "<thread>"
seen = sums = 0
calls = {}
for row in rows.values():
    calls[name(row)] = calls.get(name(row), 0) + 1
document = json.load(open("ran.json"))
for part in document["parts"]:
    assert part["calls"] == calls.pop(part["name"]), part["name"]
    for cell in part["cells"]:
        own = [r for r in rows.values() if name(r) == part["name"] and name(rows.get(r.get("caller"))) == cell["caller"]]
        for mode in filter(None, cell.get("mode", "").split(", ")):
            key, value = mode.split(" ")
            own = [r for r in own if r["p." + key] == {"x": 0, "y": 1, "0": 0}[value]]
        assert cell["calls"]["exact"] and cell["calls"]["value"] == len(own), (part["name"], cell)
        seen += len(own)
        for one in cell["sums"]:
            if one["of"].startswith("mean"):
                continue
            text = re.sub(r"([A-Za-z]\w*)(?!\w*\()", r"v['p.\1']", one["of"].replace("^", "**").replace("log2(", "LOG("))
            text = text.replace("LOG(", "math.log2(")
            total = sum(eval(text, {"math": __import__("math"), "v": r}) for r in own)
            assert abs(one["value"] / total - 1) < 1e-11, (part["name"], one, total)
            sums += 1
assert not calls and seen == len(rows) and sums >= 6, (calls, seen, len(rows), sums)
END_PYTHON
done

# --- Against a run that happened: three errors
run 0 mastermind predict s --against held.mm
holds out "held.mm took "
grep -qE '^held.mm took .*: error [+-][0-9.]+ % = cost [+-][0-9.]+ %, structure [+-][0-9.]+ %; (in|out)side the interval$' out ||
    fail "the errors"
holds out "   counted  measured"
for metric in "" "--metric CPU_TIME"; do
    # shellcheck disable=SC2086
    run 0 mastermind predict s --against held.mm $metric --json
    fits predict${metric:+-metric} out
    python3 - <<'END_PYTHON' || fail "three errors $metric"
import json
d = json.load(open("out"))
a, unit = d["against"], "" if "metric" in d else "_s"
near = lambda x, y: abs(x - y) <= 1e-9 * abs(y)
total, measured = d["total" + unit], a["measured" + unit]
counted = sum(p["counted" + unit] for p in d["parts"])
assert near(1 + a["total_error"], total / measured)
assert near(1 + a["total_error"], (1 + a["cost_error"]) * (1 + a["structure_error"])), a
assert near(1 + a["structure_error"], total / counted) and near(1 + a["cost_error"], counted / measured)
assert near(sum(p["measured" + unit] for p in d["parts"]), measured)
assert near(sum(p["predicted" + unit] for p in d["parts"]), total)
assert d["low" + unit] < total < d["high" + unit] and d["asked"]["variables"]["NX"] == "128"
# Counts are good: the law of calls is that of the number of steps.
assert abs(a["structure_error"]) < .3, a
END_PYTHON
done

# --- Runs that the others do not tell of
mkdir few
cp -r s/plan.json s/run-00[1-6].mm few
expect 3 "these experiments have no class 'HLLCflux'; did you mean 'HLLCFlux'?" \
    mastermind predict s --set NX=128 --set PATCH=32 --set flux=HLLCflux
expect 1 "States: no model of it" mastermind predict s --set NX=128 --set PATCH=32 --set flux=States
says "no prediction: 1 part of the run has no cost"
run 1 mastermind predict s --set NX=128 --set PATCH=32 --set flux=States --json
fits predict out
python3 -c 'import json; d = json.load(open("out")); assert "total_s" not in d and "low_s" not in d and d["no_interval"]' ||
    fail "a total without a cost of flux"
expect 1 "no prediction: NY was 16 in all runs: the effect of 32 is unknown" mastermind predict few "${asked[@]}" -D NY=32
expect 1 "no prediction: ranks was 1 in all runs: the effect of 2 is unknown" mastermind predict few "${asked[@]}" --ranks 2
expect 1 "no prediction: PICTURE was p.png in all runs" mastermind predict few "${asked[@]}" --set PICTURE=q.png
expect 1 "no prediction: NX = -1 is below 0, and no run had that" mastermind predict few \
    --set NX=-1 --set PATCH=32 --set flux=EFMFlux
for size in 0 1e300; do
    run 1 mastermind predict s --set NX=$size --set PATCH=32 --set flux=EFMFlux
    holds out "no prediction: "
    quiet
done

# One run: itself; how equal runs differ is assumed
one=$(dirname "$of")
run 0 mastermind predict "$one" --set NX=48
holds out "ms (90 %: "
run 0 mastermind predict "$one" -D NX=48 --json
fits predict out
python3 -c 'import json; d = json.load(open("out")); assert d["low_s"] > d["total_s"] * .6 and d["high_s"] < d["total_s"] / .6 and d["run_sd"] >= .04' ||
    fail "no interval of one run, or a wide one"
expect 1 "NX was 48 in all runs" mastermind predict "$one" --set NX=64

# --- Aggregates alone have the same counts; of a killed run costs count, and it is none of the runs
ccafe=(ccafe --measure --class flux=HLLCFlux "${fixed[@]}" -D PATCH=8)
for size in 16 32 48 64; do
    run 0 "${ccafe[@]}" -o sum-$size.mm --storage aggregates -D NX=$size "$demo"
    run 0 "${ccafe[@]}" -o all-$size.mm -D NX=$size "$demo"
done
counts() # KIND
{
    run 0 mastermind predict "$1"-*.mm -D NX=96 --json
    python3 -c 'import json; d = json.load(open("out"))
for p in d["parts"]:
    for c in p["cells"]: print(p["name"], c["caller"], c.get("mode"), c["calls"])' | sort >"counts-$1"
}
counts sum
counts all
cmp -s counts-sum counts-all || fail "counts of aggregates: $(diff counts-sum counts-all)"
cp -r all-64.mm killed.mm
python3 - <<'END_PYTHON'
import json
about = json.load(open("killed.mm/experiment.json"))
about["finished"] = False
about["variables"]["T_END"] = "1000"
del about["check"]
json.dump(about, open("killed.mm/experiment.json", "w"))
END_PYTHON
expect 1 "killed.mm: the run did not end in order" mastermind predict killed.mm --ranks 1
expect 1 "killed.mm: the run did not end in order" mastermind predict all-*.mm --against killed.mm
run 0 mastermind predict all-*.mm killed.mm -D NX=96 --json
python3 -c 'import json; d = json.load(open("out")); assert d["asked"]["variables"]["T_END"] == ".06", d["asked"]' ||
    fail "a killed run is one of the runs"

# --- Wrong words: one line
refuse() # STATUS LINE OPTIONS...
{
    expect "$1" "mastermind: $2" mastermind predict "${@:3}"
    [ "$(cat out err | wc -l)" = 1 ] || fail "more than a line: ${*:3}"
}
refuse 2 "flux varied and is not set: --set flux=VALUE; it was " few --set NX=64 --set PATCH=8
refuse 2 "NX varied and is not set: --set NX=VALUE; it was " few --set flux=HLLCFlux --set PATCH=8
refuse 2 "'NXX' is no instance, parameter or variable of these runs; did you mean 'NX'?" few --set NXX=3
refuse 2 "'driver.confg.nx' is no instance, parameter or variable of these runs; did you mean 'driver.config.nx'?" \
    few --set driver.confg.nx=3
refuse 2 "'flux' is an instance, expected a variable: --class flux=VALUE sets it" few -D flux=HLLCFlux
refuse 2 "'NX' is a variable, expected an instance: -D NX=VALUE sets it" few --class NX=3
refuse 2 "'driver.config.nx' is a parameter, expected a variable: --set driver.config.nx=VALUE sets it" \
    few -D driver.config.nx=64
refuse 2 "'flx' is no instance, parameter or variable of these runs; did you mean 'flux'?" few --class flx=EFMFlux
refuse 2 "NX is set twice, to '64' and '32'" few --set NX=64 -D NX=32
refuse 2 "driver.config.nx is set twice, to '64' and '32': it is the value of NX in all runs" \
    few --set NX=64 --set driver.config.nx=32
for value in a 0x40 nan 1e999 64k; do
    refuse 2 "NX: found '$value', expected a number" few --set NX=$value
done
refuse 2 "--set: found 'NX=', expected NAME=VALUE" few --set NX=
refuse 2 "-D: found 'NX', expected NAME=VALUE" few -D NX
refuse 2 "--class: found '=EFMFlux', expected NAME=VALUE" few --class =EFMFlux
refuse 2 "'0' for --ranks, expected a number of at least 1" s "${asked[@]}" --ranks 0
refuse 2 "'two' for --ranks, expected a number of at least 1" s "${asked[@]}" --ranks two
refuse 2 "--set with --against, which asks for that run as it was" few --against held.mm --set NX=64
refuse 2 "--ranks with --against, which asks for that run as it was" few --against held.mm --ranks 2
refuse 2 "--against s: found a sweep, expected a run" few --against s
refuse 3 "none.mm: No such file or directory" few --against none.mm
refuse 3 "none: No such file or directory" none --ranks 2
refuse 2 "--set with --points" few --points p.csv --set NX=3
refuse 2 "--curve without --points" few --curve --ranks 1
refuse 2 "'NXX' is no instance, parameter or variable of these runs; did you mean 'NX'?" held.mm --set NXX=3
expect 3 "found no metric 'FOO', expected one of: TIME, " mastermind predict few "${asked[@]}" --metric FOO

# A name that is two: a variable of the name of an instance
sed 's/class=.*//; s/@FLUX@//' "$demo" >two.rc
sed -i 's/\${\?FLUX}\?/$flux/g; s/\bFLUX\b/flux/g' two.rc
for size in 16 32; do
    run 0 ccafe --measure -o two-$size.mm -D flux=EFMFlux -D NX=$size -D PATCH=8 "${fixed[@]}" two.rc
done
refuse 2 "'flux' is a variable and an instance: use -D flux=VALUE or --class flux=VALUE" \
    two-16.mm two-32.mm -D NX=16 --set flux=EFMFlux
run 0 mastermind predict two-16.mm two-32.mm -D NX=16 -D flux=EFMFlux
finish
