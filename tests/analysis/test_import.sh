#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Samples of a CSV file become an experiment that every verb reads, with the same numbers; points of a CSV
# file are answered line by line in the unit of the import; damaged files and full disks leave nothing behind.
. "$(dirname "$0")/../lib/lib.sh"

# --- The same numbers, whatever the unit
python3 - <<'END'
import random
random.seed(3)
with open("samples.csv", "w", newline="") as file:
    file.write("# times of two kernels\r\nt,Q,h,axis,\"note, long\"\r\n")
    for q in (100, 200, 400, 800, 1600, 3200):
        for axis in "yx":
            for k in range(12):
                t = (.5 + (.016 if axis == "x" else .03) * q) * random.gauss(1, .02)
                file.write(f'{t:.7g}, {q},{k * .125},{axis},"a ""{k}"""\r\n')
            file.write("\r\n")
END
for unit in ns us ms s; do
    run 0 mastermind import csv samples.csv --time "t:$unit" --modes axis -o exp-$unit
    holds err "note: samples.csv:3: found 'a \"0\"' in column 'note, long', which is therefore no parameter"
    holds err "experiment exp-$unit: 144 rows imported from samples.csv"
    mastermind records "exp-$unit" >"rows-$unit.csv" || fail "records exp-$unit"
    mastermind records "exp-$unit" --jsonl | fits records
done
python3 - <<'END' || fail "rows are not the samples"
import csv
samples = list(csv.DictReader((line for line in open("samples.csv") if line.strip() and line[0] != "#"), skipinitialspace=True))
for unit, ns in (("ns", 1), ("us", 1e3), ("ms", 1e6), ("s", 1e9)):
    rows = list(csv.DictReader(open("rows-%s.csv" % unit)))
    assert len(rows) == len(samples) == 144
    end = 0
    for row, sample in zip(rows, samples):
        want = float(sample["t"]) * ns
        assert abs(float(row["wall_ns"]) - want) <= 1e-12 * want, (unit, row, sample)
        assert row["exclusive_ns"] == row["wall_ns"] and row["status"] == "done" and row["method"] == "t"
        assert abs(int(row["start_ns"]) - end) <= .5 + 1e-9 * end, (unit, row, end)
        end += want
        assert (int(row["p.Q"]), float(row["p.h"]), row["p.axis"]) == (
            int(sample["Q"]), float(sample["h"]), str("xy".index(sample["axis"])))
END

# --- Every verb reads it
exp=exp-us
expect 0 "the rows were imported from samples.csv; nothing is subtracted for recording" mastermind report $exp
expect 0 "samples.csv.t" mastermind report $exp
mastermind report $exp --json | fits report
run 0 mastermind model $exp
grep -q "axis x" out && grep -q "axis y" out || fail "model: both modes"
mastermind model $exp --json | fits model
expect 0 "samples.csv.t" mastermind predict $exp
expect 0 "144 calls" mastermind graph $exp
run 0 mastermind export tau $exp -o tau
[ -s tau/profile.0.0.0 ] || fail "export tau"
expect 1 "no slot" mastermind choose $exp

# --- Several methods, and classes to choose from
printf 'name,class,n,level,t\n' >two.csv
for n in 10 20 40 80; do
    printf 'solve.work.run,%s,%d,,%d\nplain,%s,,%d,7\nplain,%s,,%d,8\n' \
        Slow $n $((n * 5)) Slow $((n % 3)) Slow $((n % 3)) >>two.csv
done
sed 's/^solve.work.run,Slow,\(.*\),,.*/solve.work.run,Fast,\1,,\1/' two.csv >three.csv
for name in two three; do
    run 0 mastermind import csv $name.csv --time t:us --params n --modes level --method-column name --class-column class -o $name
done
run 0 mastermind report two
grep -q "two.csv.plain$" out && grep -q "solve.work.run$" out || fail "names of methods"
run 0 python3 - <<'END'
import json
methods = {m["method"]: [v["name"] for v in m["values"]] for m in json.load(open("two/rank-0000/methods.json"))["methods"]}
assert methods == {"run": ["n"], "plain": ["level"]}, methods
END
expect 0 "choice: Fast" mastermind choose two three --slot solve

# --- Points
printf 'axis,Q,h,more\r\nx,100,0,"a,b"\n# kept\n\ny,12800, .5 ,\nx,150.5,0,""\nx,1e3,0,\n' >points.csv
run 0 mastermind predict $exp --points points.csv
quiet
python3 - <<'END' || fail "points"
lines = open("out").read().split("\n")
assert lines[0] == "axis,Q,h,more,typ,mean,sd,lo,hi,beyond", lines[0]
assert lines[2] == "# kept" and lines[3] == "" and lines[7] == "" and len(lines) == 8, lines
def check(line, start, beyond, truth, within):
    assert line.startswith(start + ","), line
    typ, mean, sd, low, high, far = map(float, line[len(start) + 1:].split(","))
    assert far == beyond and low <= typ <= high and sd > 0 and mean > 0, line
    assert abs(typ / truth - 1) < within, line
check(lines[1], 'x,100,0,"a,b"', 1, .5 + 1.6, .1)
check(lines[4], "y,12800, .5 ,", 4, .5 + .03 * 12800, .5)
check(lines[5], 'x,150.5,0,""', 1, .5 + .016 * 150.5, .2)
check(lines[6], "x,1e3,0,", 1, .5 + 16, .2)
END
run 0 mastermind predict $exp --points points.csv --curve
python3 - <<'END' || fail "points with the curve"
rows = [line.rstrip("\n").split(",")[-8:] for line in open("out") if "," in line]
assert rows[0] == "typ mean sd lo hi fit_lo fit_hi beyond".split(), rows[0]
assert all(float(r[5]) <= float(r[0]) <= float(r[6]) and float(r[7]) >= 1 for r in rows[1:]), rows
END
run 0 mastermind predict exp-s --points points.csv
mv out seconds
run 0 mastermind predict exp-ns --points points.csv
python3 - <<'END' || fail "units of points"
for a, b in zip(open("seconds"), open("out")):
    a, b = a.strip().split(",")[-6:], b.strip().split(",")[-6:]
    if len(a) == 6 and a[0] != "typ":
        assert all(abs(float(x) - float(y)) < 1e-6 * abs(float(y)) for x, y in zip(a, b)), (a, b)
END
printf 'Q,axis,h\n100,z,0\n100,x,0\n100,,0\n' >points.csv
run 1 mastermind predict $exp --points points.csv
says '100,z,0,,,,,,'
says '100,,0,,,,,,'
complains "mastermind: points.csv:2: no model for axis 'z', and others; 2 lines without an answer"
grep -q '^100,x,0,[0-9.]' out || fail "the known mode has no answer"
refuse_points() { # STATUS MESSAGE LINES [WORD...]
    printf "$3" >points.csv
    run "$1" mastermind predict "${@:4}" --points points.csv
    complains "mastermind: $2"
    [ ! -s out ] || fail "output of a refused file"
}
refuse_points 3 "points.csv:3: found 'one' in column 'Q', expected a number" 'Q,axis,h\n1,x,0\none,x,0\n' $exp
refuse_points 3 "points.csv:1: found no column 'axis'; did you mean 'axes'?" 'Q,axes,h\n1,x,0\n' $exp
refuse_points 3 "points.csv:2: found 2 fields, expected 3" 'Q,axis,h\n1,x\n' $exp
refuse_points 2 "several methods have models: name one by --method or --of-class: solve.work.run (Slow), two.csv.plain (Slow)" 'n\n1\n' two
refuse_points 3 "no model of a method 'solve.work.rum'; did you mean 'solve.work.run'?" 'n\n1\n' two --method solve.work.rum
refuse_points 2 "--json with --points, which prints CSV of one method" 'n\n1\n' two --json
expect 0 "10,50," mastermind predict two --points - --method solve.work.run < <(printf 'n\n10\n')
expect 0 "10,50," mastermind predict two --points - --method run < <(printf 'n\n10\n')

# --- Damaged files
printf 't,Q,t2\n1,2,3\n-4,5,6\n' >bad.csv
refuse() { # STATUS MESSAGE WORD...
    run "$1" mastermind import csv "${@:3}" -o bad
    complains "mastermind: $2"
    [ ! -e bad ] || fail "a refused import made its directory"
}
refuse 3 "bad.csv:3: found '-4' in column 't', expected a time: a number that is not negative" bad.csv --time t
refuse 3 "bad.csv:1: found no column 't22'; did you mean 't2'?" bad.csv --time t22:us
refuse 2 "unknown unit 'min' in --time, expected ns, us, ms or s" bad.csv --time t:min
refuse 2 "column 't' is named twice" bad.csv --time t --params Q,t
refuse 3 "none.csv: No such file or directory" none.csv --time t
printf 't\n1e18\n9e18\n' >bad.csv
refuse 3 "bad.csv: found times that add up to more than 292 years" bad.csv --time t
(printf t; printf ',p%d' {1..17}; echo; printf 1; printf ',1%.0s' {1..17}; echo) >bad.csv
refuse 2 "bad.csv: found more than 16 columns of parameters and modes, expected fewer: name them by --params" bad.csv --time t
printf 't\n.01\n.02\n' >bad.csv
expect 0 "most times in column 't' are below 1 ns; is their unit ns?" mastermind import csv bad.csv --time t -o small
expect 2 "import takes a format" mastermind import csv bad.csv -o bad
expect 2 "unknown format 'json'" mastermind import json bad.csv --time t -o bad
run 5 mastermind import csv samples.csv --time t -o $exp
complains "mastermind: cannot make experiment directory '$exp': it exists and is not an empty directory"

expect 5 "cannot make experiment directory 'no/such/exp': No such file" mastermind import csv samples.csv --time t -o no/such/exp
expect 3 "Is a directory" mastermind import csv . --time t -o bad

# --- No room, and every failure on the way: the whole experiment or nothing
mkdir room
{ echo t,Q; seq 1 40000 | sed 's/.*/&.125,&/'; } >large.csv
(ulimit -f 8; expect 5 "File too large" mastermind import csv large.csv --time t -o room/exp; exit $failures) || fail "a full disk"
[ -z "$(ls -A room)" ] || fail "left behind: $(ls -A room)"
case $BUILD in asan | tsan) ;; *)
    python3 - "$O/tests/faults/libfault.so" <<'END' || fail "faults"
import os, struct, subprocess, sys
command = ["mastermind", "import", "csv", "samples.csv", "--time", "t:us", "--modes", "axis", "-o", "room/exp"]
def call(kind, at, error):
    open("report", "wb").close()
    env = dict(os.environ, LD_PRELOAD=sys.argv[1], FAULT_KIND=kind, FAULT_AT=str(at), FAULT_MODE="once",
               FAULT_ERRNO=str(error), FAULT_REPORT="report")
    done = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return done, struct.unpack("<QQ", open("report", "rb").read())
for kind, error in (("memory", 12), ("io", 28)):
    done, (total, _) = call(kind, 0, error)
    assert done.returncode == 0 and total > 20, (kind, total, done.stderr)
    subprocess.run(["rm", "-r", "room/exp"], check=True)
    struck = 0
    for at in range(1, total + 1, 1 if os.environ.get("SOAK") else max(1, total // 40)):
        done, (_, hit) = call(kind, at, error)
        left = os.listdir("room")
        struck += hit
        assert done.returncode in (0, 5), (kind, at, done)
        if done.returncode == 0: # what failed did not matter
            assert left == ["exp"], (kind, at, left)
            rows = subprocess.run(["mastermind", "records", "room/exp"], stdout=subprocess.PIPE, check=True)
            assert rows.stdout.count(b"\n") == 145, (kind, at)
            subprocess.run(["rm", "-r", "room/exp"], check=True)
        else:
            assert left == [] and done.stderr.count(b"\n") == 1, (kind, at, left, done.stderr)
    assert struck > 20, (kind, struck)
END
    ;;
esac
finish
