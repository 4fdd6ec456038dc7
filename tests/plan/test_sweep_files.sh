#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# `mastermind sweep` and `grow` with files as values, whose sizes are the parameter, and with variables of the
# environment.
. "$(dirname "$0")/../lib/lib.sh"

# It reads a file into memory, and works in proportion to its size.
cat >count.py <<'END'
import sys
data = open(sys.argv[1], "rb").read()
kept = [data] + [data[:-1 - i] for i in range(3)] # four times the file
print(len(data), sum(sum(data) for _ in range(4)))
END
for n in 3 1 8 2 5; do head -c ${n}00003 /dev/zero >file$n; done
cp file8 large && cat file8 file8 >twice

# --- grow: the size in bytes is the parameter, whatever the order; --at takes sizes and files
run 0 mastermind grow -n file3,file1,file8,file2,file5 --repeat 3 --at twice,2.5MB,3MiB -o files -- python3 count.py '{n}'
holds out 'n.bytes'
run 0 mastermind grow -o files --at twice,2.5MB,3MiB --json
cp out grow.json
fits grow grow.json
python3 - <<'END' || fail "sizes of files"
import json, os
grow = json.load(open("grow.json"))
assert grow["parameter"] == "n.bytes", grow["parameter"]
assert [int(s["value"]) for s in grow["sizes"]] == [os.stat(f"file{n}").st_size for n in (1, 2, 3, 5, 8)]
assert [p["value"] for p in grow["predictions"]] == [str(os.stat("twice").st_size), "2500000", str(3 * 2 ** 20)]
plan, runs = (json.load(open(f"files/{name}.json"))["runs"] for name in ("plan", "runs"))
for i, (planned, run) in enumerate(zip(plan, runs)):
    if run["state"] != "done":
        continue
    about = json.load(open(f"files/run-{i + 1:03}.mm/experiment.json"))
    size = os.stat(planned["values"]["n"]).st_size
    assert about["variables"] == {"n.bytes": str(size)}, about["variables"]
    assert open(f"files/run-{i + 1:03}.out").read().split()[0] == str(size)
# memory is four times the file: by the law at twice the largest
peaks = [s["peak_bytes"] for s in grow["sizes"]]
assert 3.5 * 700000 < peaks[-1] - peaks[0] < 4.5 * 700000 + 1e5, peaks
END
run 0 mastermind predict files --set n.bytes=1600006
expect 2 "--at: found '10XB', expected a size as 10MB, or a file" mastermind grow -o files --at 10XB

# --- The sizes are those of the plan: also when the files are gone; a file that changed is another plan
mv file5 gone
run 0 mastermind sweep -o files --status
holds out 'n=file5'
run 0 mastermind grow -o files
mv gone file5
echo more >>file5
expect 2 "has another plan: its axes" \
    mastermind grow -n file3,file1,file8,file2,file5 --repeat 3 -o files -- python3 count.py '{n}'

# --- Numbers stay numbers, also if files have these names; names of no files, and files of equal sizes, stay names
echo >7 && echo 123 >9
run 0 mastermind sweep -D n=9,7 --repeat 1 -o numbers -- echo '{n}'
run 0 mastermind sweep -D n=file8,none --repeat 1 -o names -- echo '{n}'
run 0 mastermind sweep -D n=file8,large --repeat 1 -o equal -- echo '{n}'
run 0 mastermind sweep -D n=file8,file1 --repeat 1 -o sizes -- echo '{n}'
kinds() { python3 -c '
import json, sys
about = json.load(open(sys.argv[1] + "/run-001.mm/experiment.json"))
print(*about["variables"])' "$1"; }
equal "a parameter of numbers" n "$(kinds numbers)"
equal "a mode of names" n "$(kinds names)"
equal "a mode of files of equal size" n "$(kinds equal)"
equal "a size of files" n.bytes "$(kinds sizes)"
expect 2 "found values of n that are no numbers, and no files of different sizes" \
    mastermind grow -n file8,large -o no -- python3 count.py '{n}'

# --- A variable of the environment is a parameter, also behind a launcher
run 0 mastermind sweep --env THREADS=1,2,4 -D n=10,20 --repeat 1 -o env -- sh -c 'echo {n} $THREADS'
cat >launcher <<'END'
#!/bin/sh
shift 2
exec env -i PATH="$PATH" "$@"
END
chmod +x launcher
run 0 mastermind sweep --env THREADS=1,2,4 --ranks 2 --launcher './launcher' --repeat 1 -o launched -- \
    sh -c 'echo 2 $THREADS'
python3 - <<'END' || fail "variables of the environment"
import json
for name, first in (("env", "n"), ("launched", "ranks")):
    plan = json.load(open(f"{name}/plan.json"))["runs"]
    seen = set()
    for i, planned in enumerate(plan):
        values = planned["values"]
        assert open(f"{name}/run-{i + 1:03}.out").read().split() == [values[first], values["THREADS"]], values
        about = json.load(open(f"{name}/run-{i + 1:03}.mm/experiment.json"))
        assert about["variables"]["THREADS"] == values["THREADS"], about["variables"]
        seen.add((values[first], values["THREADS"]))
    assert len(seen) == len(plan)
END
run 0 mastermind sweep -o env --status --json
cp out env.json
fits sweep env.json
expect 2 "--env T: found ccafe" mastermind sweep --env T=1,2 -o no -- ccafe x.rc
expect 2 "expected NAME=VALUE" mastermind sweep --env T -o no -- true
[ ! -e no ] || fail "a refused request leaves a directory"
finish
