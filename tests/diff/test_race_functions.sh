#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# `mastermind race --functions`, and races of experiments: more calls, larger parameters or dearer calls, of programs
# of which one of these is known by construction.
. "$(dirname "$0")/../lib/lib.sh"

cat >program.c <<'END'
static volatile double sink;
__attribute__((noinline)) double kernel(int n)
{
    double sum = 0;
    for (long i = 0; i < n * COST; i++)
        sum += i * 1e-3 / (i & 7 | 1);
    return sum;
}
__attribute__((noinline)) double other(int n)
{
    double sum = 0;
    for (long i = 0; i < n * 10L; i++)
        sum += i * 1e-3 / (i & 15 | 1);
    return sum;
}
int main(void)
{
    for (int k = 0; k < CALLS; k++)
        sink += kernel(SIZE + k % 3 * 1000);
    for (int k = 0; k < OTHERS; k++)
        sink += other(20000 + k);
    return 0;
}
END
build() { $CC -O2 -g -DCALLS="$2" -DSIZE="$3" -DCOST="$4" -DOTHERS="$5" -o "$1" program.c || fail "compile $1"; }
build base 40 10000 20L 20
build calls 80 10000 20L 20
build sizes 40 20000 20L 20
build dear 40 10000 60L 20
build moved 40 10000 24L 11

# --- One cause each, by the same line in text, document and summary; `other` has no part in it
check() {
    run 1 mastermind race --functions 'kernel,other' --json --markdown race.md ./base -- "./$1"
    cp out "$1.json"
    fits race "$1.json"
    python3 - "$1" "$2" "$3" <<'END' || fail "$1"
import json, sys
name, part, text = sys.argv[1:]
d = json.load(open(name + ".json"))
assert d["verdict"] == "worse" and d["recorded_a"] == d["recorded_b"] == 5 and not d["shape"], d
m = {m["name"]: m for m in d["methods"]}
assert set(m) == {"base.function.kernel", "base.function.other"}, list(m)
parts = m["base.function.kernel"]["parts"]
assert parts[part]["verdict"] == "worse", parts
assert abs(parts[part]["change"]) > .6 * abs(parts["all"]["change"]), parts
lines = open("race.md").read().splitlines()
assert lines[0].startswith("### B costs more: CPU time "), lines[0]
assert any("base.function.kernel" in line and text in line for line in lines), lines
END
}
check calls calls '80.0 calls where there were 40.0'
check sizes sizes 'larger parameters'
check dear dearer 'costlier at equal parameters'

# --- Work that moved from one function to another
mastermind race --pairs 8 --same 4 --functions 'kernel,other' --json ./base -- ./moved >moved.json || fail "moved work"
fits race moved.json

# --- Experiments that were recorded before: the same answer
for i in 1 2 3 4 5; do
    for side in base calls; do
        mastermind record --functions 'kernel,other' --no-report -o $side-$i.mm -- ./$side 2>err || fail "record $side"
    done
done
run 1 mastermind race base-?.mm -- calls-?.mm
holds out '5 and 5 runs, recorded before'
# Where the host disturbs all runs by more than the change, its cause is worse and the total undecided
grep -qE '^worse: (CPU time of B is \+|the changed functions of B, together: \+)' <(tail -n 1 out) || fail "verdict"
holds out 'worse  base.function.kernel: 80.0 calls where there were 40.0'
run 1 mastermind race --json base-?.mm -- calls-?.mm
cp out experiments.json
fits race experiments.json
run 0 mastermind race calls-?.mm -- base-?.mm
grep -qE '^(better: CPU time of B is -|undecided: CPU time of B is )' <(tail -n 1 out) || fail "verdict of fewer calls"
holds out 'better calls.function.kernel: 40.0 calls where there were 80.0'

# --- Nothing to record, and misuse
run 1 mastermind race --functions nothing ./base -- ./calls
holds out 'nothing was recorded: '
expect 2 'found --only or --except, expected them with' mastermind race --only kernel ./base -- ./calls
finish
