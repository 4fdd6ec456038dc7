#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The models in the pages on activity models are models, and are checked without errors.
. "$(dirname "$0")/../lib/lib.sh"
python3 - "$root"/docs/guide/activity.md "$root"/docs/reference/activity-language.md <<'END'
import re, sys
count = 0
for page in sys.argv[1:]:
    for block in re.findall(r"^```act\n(.*?)^```$", open(page).read(), re.M | re.S):
        count += 1
        open("block-%d.act" % count, "w").write(block)
assert count >= 6, count
END
for model in block-*.act; do
    run 0 activity check "$model" --config N1P4,N2P8
    run 0 activity print "$model"
    grep -q 'model(' "$model" || run 0 activity run "$model" --config N1P4
done
finish
