#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Every property of the library over random stores, the paper's tables, closed forms and identities: values.py.
# FAULT_SEEDS=N random stores (4).
. "$(dirname "$0")/../lib/lib.sh"
seeds=${FAULT_SEEDS:-$([ "${SOAK:-}" ] && echo 2000 || echo 4)}
python3 "$root/tests/properties/values.py" "$O/bench/properties/answers" "$root/properties/library" "$dir" --seeds "$seeds" >told 2>&1 ||
    fail "$(cat told)"
# Values are looked at: a library with one formula changed is found out.
cp -r "$root/properties/library" changed
sed -i 's/severity: comm_time/severity: 1.000001 * comm_time/' changed/CommunicationOverhead.property
python3 "$root/tests/properties/values.py" "$O/bench/properties/answers" changed "$dir" --seeds 1 >changed.told 2>&1 &&
    fail "a changed formula passed: $(cat changed.told)"
# The page has every property, and none that is not there.
for file in "$root"/properties/library/*.property; do
    name=$(basename "$file" .property)
    [ "$(grep -c "^| $name |" "$root/docs/guide/properties.md")" = 1 ] || fail "docs/guide/properties.md has not one row of $name"
done
[ "$(sed -n '/^## All properties/,/^## The paper/p' "$root/docs/guide/properties.md" | grep -c '^| [A-Z][A-Za-z]* |')" = \
    "$(ls "$root/properties/library" | grep -c property)" ] || fail "docs/guide/properties.md has properties that are not there"
finish "$(tail -1 told)"
