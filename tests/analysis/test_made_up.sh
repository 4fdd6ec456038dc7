#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A hundred made-up sets of samples whose truth is known: of the answers, at most 2 % are silent or narrow, and wrong.
. "$(dirname "$0")/../lib/lib.sh"
for seed in ${MADE_UP_SEEDS:-1 2}; do
    run 0 "$root/tests/analysis/made_up.py" --seed "$seed"
done

# The judge: an answer that is off is right where its interval is wide or a note says so.
cat > judge.py <<'END_JUDGE'
import sys
sys.path.insert(0, sys.argv[1])
from made_up import judge
answer = lambda low, high, *notes: {"typ": "10", "fit_lo": low, "fit_hi": high, "notes": set(notes)}
assert judge(answer("9", "11"), 20, "typ")[0] and not judge(answer("9", "21"), 20, "typ")[0]
assert not judge(answer("9", "11", "few_sizes"), 20, "typ")[0] and not judge(answer("9", "11"), 12, "typ")[0]
assert judge(answer("", ""), 20, "typ")[0]
END_JUDGE
run 0 python3 judge.py "$root/tests/analysis"
finish
