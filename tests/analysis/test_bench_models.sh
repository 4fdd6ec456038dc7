#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The benchmark of models: cases follow from their seed, and predictors whose errors are known get the scores that
# these errors have.
. "$(dirname "$0")/../lib/lib.sh"
bench=$root/bench/models

for name in a b; do
    run 0 "$bench/generate.py" 5 $name --family modes
done
diff -r a b > out || fail "one seed, different cases"
run 0 "$bench/generate.py" 6 c --family modes
cmp -s a/modes_same/samples.csv c/modes_same/samples.csv && fail "two seeds, the same samples"

cat > oracle.py <<'END'
import sys
sys.path.insert(0, sys.argv[1])
import intervals
import score

class Oracle:
    """It knows the law, and errs as it is told."""
    def __init__(self, factor, width):
        self.factor, self.width = factor, width

    def predict(self, case):
        answer = lambda t: {"typ": t["typ"] * self.factor, "mean": t["mean"], "sd": t["sd"], "lo": t["mean"] - self.width * t["sd"],
                            "hi": t["mean"] + self.width * t["sd"], "fit_lo": .99 * t["typ"], "fit_hi": 1.01 * t["typ"]}
        return [answer(t) for t in case["truth"]["points"]] if "truth" in case else [None] * len(case["points"]), ""

class Silent:
    def predict(self, case):
        return score.parse("", len(case["points"])), ""

cases = score.read_cases(["a"], None)
summary = lambda tool: score.score_tool(tool, cases)["summary"]
exact, tenth, silent = summary(Oracle(1, 1.96)), summary(Oracle(1.1, 1.96)), summary(Silent())
assert abs(exact["index"] - .2) < 1e-9 and exact["interp"] == 0 and exact["exponent_10"] == 100 and exact["regret"] == 0, exact
assert exact["sd_factor"] == 1 and exact["covdev"] < 6 and abs(exact["coverage_95_inside"] - .95) < .02, exact
assert abs(tenth["index"] - 10) < 1e-6 and abs(tenth["x16"] - 10) < 1e-6 and tenth["exponent_10"] == 100, tenth
assert abs(silent["index"] - 1000) < 1e-6 and silent["exponent_25"] == 0, silent
wide, narrow = (intervals.summarise([intervals.measure(c, Oracle(1, w), ".") for c in cases]) for w in (1.96, .98))
assert 93 <= wide["call_inside"] <= 97 and wide["curve_inside"] == 100 and abs(wide["half_width"] - 1.96) < 1e-6, wide
assert 60 <= narrow["call_inside"] <= 75 and abs(narrow["half_width"] - .98) < 1e-6, narrow
assert intervals.winkler(1, 2, [1.5, 1.5]) == 1 and abs(intervals.winkler(1, 2, [1.5, 2.5]) - 11) < 1e-9
END
run 0 python3 oracle.py "$bench"

# A line with little noise: the peers find it.
run 0 "$bench/generate.py" 5 a --family linear
run 0 "$bench/score.py" a --tool pmnf --tool loglog --only linear_noise0.5 --json scores.json
run 0 python3 -c "import json; s = json.load(open('scores.json'))['tools']['pmnf']['summary']; assert s['interp'] < 3 and s['exponent_25'] == 100, s"

# The tool, by the files that a user would give it
run 0 "$bench/score.py" a --tool mastermind --only linear_noise0.5 --json scores.json
run 0 python3 -c "import json; s = json.load(open('scores.json'))['tools']['mastermind']['summary']; assert s['x4'] < 3 and s['sd_factor'] < 2, s"

# Fifty made-up sets of samples whose truth is known: of the answers, at most 2 % are silent or narrow, and wrong.
for seed in ${MADE_UP_SEEDS:-1${SOAK:+ 2 3 4 5}}; do
    run 0 "$bench/made_up.py" --seed "$seed"
done

# Its judge: an answer that is off is right where its interval is wide or a note says so.
cat > judge.py <<'END'
import sys
sys.path.insert(0, sys.argv[1])
from made_up import judge
answer = lambda low, high, *notes: {"typ": "10", "fit_lo": low, "fit_hi": high, "notes": set(notes)}
assert judge(answer("9", "11"), 20, "typ")[0] and not judge(answer("9", "21"), 20, "typ")[0]
assert not judge(answer("9", "11", "few_sizes"), 20, "typ")[0] and not judge(answer("9", "11"), 12, "typ")[0]
assert judge(answer("", ""), 20, "typ")[0]
END
run 0 python3 judge.py "$bench"

expect 5 'no case' "$bench/score.py" "$dir" --only nothing
expect 2 "no tool 'nothing'" "$bench/score.py" a --tool nothing
finish
