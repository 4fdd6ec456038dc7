#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# `mastermind sweep` of a command that knows nothing of components: places of values, experiments of whole runs,
# what the other verbs say of them.
. "$(dirname "$0")/../lib/lib.sh"

cat >grid.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
__attribute__((noinline)) double relax(double *u, long cells, int sweeps)
{
    double sum = 0;
    for (int k = 0; k < sweeps; k++)
        for (long i = 0; i < cells; i++)
            sum += u[i] = u[i] * .5 + 1e-3;
    return sum;
}
int main(int argc, char **argv)
{
    long n = strtol(argv[1], NULL, 10);
    double *u = calloc(n * n, sizeof *u);
    printf("%s %g\n", argc > 2 ? argv[2] : "", relax(u, n * n, argc > 2 && strcmp(argv[2], "twice") == 0 ? 40 : 20));
    return n == 13 ? 9 : 0;
}
END
$CC -O2 -g -o grid grid.c || fail compile

# --- Values take the places in the words; each run is an experiment of one row
run 0 mastermind sweep -D n=400,600,900,1350 -D how=once,twice -o sw -- ./grid '{n}' '{how}'
holds out 'n=1350 how=twice'
holds out '24 of 24 runs of 8 points (the full grid)'
python3 - <<'END' || fail "runs"
import json
plan, runs = json.load(open("sw/plan.json")), json.load(open("sw/runs.json"))["runs"]
for i, (planned, run) in enumerate(zip(plan["runs"], runs)):
    name = f"sw/run-{i + 1:03}"
    about = json.load(open(name + ".mm/experiment.json"))
    n, how = about["variables"]["n"], about["variables"]["how"]
    assert about["origin"] == "timed" and about["finished"]
    assert open(name + ".out").read().split()[0] == how, (name, how)
    # what calloc gave is touched: n^2 doubles are in the peak, and little more
    assert 8 * int(n) ** 2 < run["peak_bytes"] < 8 * int(n) ** 2 + 8e6, run
    assert abs(sum(run["functions"].values()) - run["cpu_s"]) < 1e-6 or not run["functions"], run
END
run 0 mastermind records sw/run-001.mm
holds out '0,0,1,,grid,program,run,grid,0,'
run 0 mastermind model sw
holds out 'grid.program.run'
holds out 'twice'
run 0 mastermind sweep --json -o sw
cp out sweep.json
fits sweep sweep.json

# --- The peak of a run twice as large: known to some percent
run 0 mastermind predict sw --metric o.peak_bytes --set n=2700 --set how=once --json
cp out predict.json
fits predict-metric predict.json
python3 - <<'END' || fail "peak memory at twice the largest size"
import json
d = json.load(open("predict.json"))
assert d["low"] <= 8 * 2700 ** 2 + 2e6 <= d["high"], d
assert abs(d["total"] / (8 * 2700 ** 2 + 2e6) - 1) < .25, d
END
run 0 mastermind predict sw --set n=2700 --set how=twice
holds out 'grid.program.run'

# --- Elapsed time is a metric beside CPU time, which is the default
cat >nap.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
int main(int argc, char **argv)
{
    double s = 0;
    nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
    for (long i = 0; i < 100000 * strtol(argv[1], NULL, 10); i++)
        s += (double)i * 1e-9;
    printf("%g\n", s);
    return argc > 2;
}
END
$CC -O1 -o nap nap.c || fail compile
run 0 mastermind sweep -D n=10,20,40,80 --repeat 2 -o naps -- ./nap '{n}'
for metric in CPU_TIME WALL_TIME; do
    run 0 mastermind predict naps --metric $metric --set n=40 --json
    cp out $metric.json
    fits predict-metric $metric.json
done
run 0 mastermind predict naps --set n=40
holds out 'of CPU_TIME'
mastermind diff --json naps/run-001.mm -- naps/run-002.mm >out
holds out '"metric": "CPU_TIME"'
python3 - <<'END' || fail "elapsed time"
import json
cpu, wall = (json.load(open(f"{name}_TIME.json"))["total"] / 1e9 for name in ("CPU", "WALL"))
assert wall > .2 and wall > cpu + .1, (cpu, wall)
for run in json.load(open("naps/runs.json"))["runs"]:
    assert abs(run["time_s"] - run["elapsed_s"]) < 1e-6 and run["cpu_s"] < run["time_s"] - .19, run
END

# --- It goes on where it was; a run that fails is reported
rm -r sw/run-003.mm
run 0 mastermind sweep -o sw
holds out '24 of 24 runs'
run 1 mastermind sweep -D n=13,20 --repeat 1 -o failing -- ./grid '{n}'
holds out 'failed: n=13: status 9'

# --- A result is judged by the user's command: {out} or the last word is the path of the output
cat >even.sh <<'END'
#!/bin/sh
[ $# -eq 2 ] || exit 9
[ $(($1 % 20)) -eq 0 ] || { echo "n is $1, output $(cat "$2")"; exit 1; }
END
chmod +x even.sh
run 1 mastermind sweep -D n=10,20,40 --repeat 2 --check './even.sh {n}' -o judged -- ./nap '{n}'
holds out 'failed: n=10: wrong result: n is 10, output '
holds out '4 of 6 runs'
run 1 mastermind sweep -o judged --json
cp out judged.json
fits sweep judged.json
python3 - <<'END' || fail "failures are counted over sweeps"
import json, os
plan, runs = json.load(open("judged/plan.json")), json.load(open("judged/runs.json"))["runs"]
assert plan["check"] == "./even.sh {n}"
for i, (planned, run) in enumerate(zip(plan["runs"], runs)):
    is_wrong = planned["values"]["n"] == "10"
    assert (run["state"] == "failed") == is_wrong, run
    assert (run.get("failures"), run.get("wrong")) == ((2, 2) if is_wrong else (None, None)), run
    assert os.path.exists(f"judged/run-{i + 1:03}.mm") != is_wrong
END
expect 2 "has another plan: its check" \
    mastermind sweep -D n=10,20,40 --repeat 2 --check true -o judged -- ./nap '{n}'
expect 5 "the check './none' ended with status 127, which is no verdict" \
    mastermind sweep -D n=1,2 --repeat 1 --check ./none -o no-check -- ./nap '{n}'
expect 2 "option '--check' needs a command" mastermind sweep -D n=1,2 --check ' ' -o no -- ./nap '{n}'

# --- Other values: runs that stand are kept; a value without a finished run is dropped, with what a killed sweep left
cat >other.sh <<'END'
#!/bin/sh
[ "$1" = 13 ] && exit 1
echo "$1 $2"
END
chmod +x other.sh
other() { run "$1" mastermind sweep -D "n=$2" -D "k=$3" --repeat 2 -o other -- ./other.sh '{n}' '{k}'; }
# Each run printed the values that the plan has for its number, and stands where it has an experiment.
stand() {
    python3 - "$@" <<'END_PYTHON' || fail "runs and their numbers: $*"
import json, os, sys
plan, runs = json.load(open("other/plan.json"))["runs"], json.load(open("other/runs.json"))["runs"]
found = {}
for run, state in zip(plan, runs):
    path = "other/" + run["experiment"]
    if state["state"] == "done":
        assert open(path[:-3] + ".out").read().split() == list(run["values"].values()), run
        assert json.load(open(path + "/experiment.json"))["variables"]["n"] == run["values"]["n"], run
        found[run["values"]["n"]] = found.get(run["values"]["n"], 0) + 1
assert sorted(found.items()) == sorted((n, int(c)) for n, c in (w.split("=") for w in sys.argv[1:])), found
END_PYTHON
    [ ! -e other/moving ] || fail "a move is not finished"
}
other 1 10,13,20 a,b
stand 10=4 20=4
stat -c %i other/run-*.mm/experiment.json | sort >before
other 0 5,20,40 a,b
holds err "'other' has runs of n=10: they count as well"
stand 5=4 10=4 20=4 40=4
equal "files of failed runs are set aside" 4 "$(ls other/left-out/*.err | wc -l)"
stat -c %i other/run-*.mm/experiment.json | sort | comm -23 before - >lost
[ -s lost ] && fail "runs were made again"
cp -r other kept
# As a killed process leaves it: before the runs move, in between, and before they have moved back.
other 0 5,20,40,80 a,b
cp other/plan.json next.json
for moved in 0 3; do
    rm -rf other && cp -r kept other && mkdir other/moving && cp next.json other/moving/plan.json
    if [ $moved = 3 ]; then # by hand: the runs of n=5, and their states
        python3 - <<'END_PYTHON' || fail "a move by hand"
import json, os
now, then = json.load(open("other/plan.json"))["runs"], json.load(open("other/moving/plan.json"))["runs"]
states, key = json.load(open("other/runs.json"))["runs"], lambda run: (run["repeat"], *sorted(run["values"].items()))
place = {key(run): i for i, run in enumerate(then)}
new = [{"state": "open"} for _ in then]
for i, run in enumerate(now):
    new[place[key(run)]] = states[i]
    if run["values"]["n"] == "5":
        for end in ("mm", "out", "err"):
            os.rename(f"other/run-{i + 1:03}.{end}", f"other/moving/run-{place[key(run)] + 1:03}.{end}")
json.dump({"runs": new}, open("other/moving/runs.json", "w"))
END_PYTHON
    fi
    other 0 5,10,20,40,80 a,b
    stand 5=4 10=4 20=4 40=4 80=4
done
mkdir other/moving && mv other/run-001.mm other/run-002.mm other/runs.json other/moving/
run 0 mastermind sweep -o other
stand 5=4 10=4 20=4 40=4 80=4
run 0 mastermind sweep -D n=5,20 -D k=a,b -o other -- ./other.sh '{n}' '{k}'
stand 5=6 10=6 20=6 40=6 80=6
expect 2 "has another plan: its repeats: 3, requested: 2" \
    mastermind sweep -D n=5,20 -D k=a,b --repeat 2 -o other -- ./other.sh '{n}' '{k}'
expect 2 "has another plan: its axes" \
    mastermind sweep -D n=5,20 -D k=a,b --env X=1,2 -o other -- ./other.sh '{n}' '{k}'

# --- The directory by default
run 0 mastermind sweep -D n=1,2 --repeat 1 -- ./nap '{n}'
equal "runs in the directory by default" 2 "$(ls -d nap.sweep/run-*.mm | wc -l)"
grep -q 'host' <(grep -v ' host ' out) && fail "a host without readings is reported"

# --- Refusals
expect 2 "found no {m} in the command './grid ...'" mastermind sweep -D m=1,2 -o no -- ./grid 1
expect 2 "found --class a and no ccafe in the command" mastermind sweep --class a=B,C -o no -- ./grid 1
expect 1 "cannot run './nothing'" mastermind sweep -D n=1,2 --repeat 1 -o none -- ./nothing '{n}'
[ ! -e no ] || fail "a refused sweep leaves a directory"
finish
