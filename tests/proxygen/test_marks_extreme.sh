#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Random expressions of the mark-up language over numbers and pointers at their worst: what the generated
# code computes, under a sanitizer that ends it at undefined behaviour, and what the proxy without a
# compiler computes, is what tests/data/marks/extreme.py makes of the words of docs/reference/marks.md. 500
# expressions of 12 calls each, 100,000 in a soak; FAULT_EXPRESSIONS says another number.
. "$(dirname "$0")/../lib/lib.sh"
cd "$root" || exit 1
data=tests/data/marks

# The compiler of this test compiles what is made: proxygen's own has nothing to do.
printf '#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\n: > "$2"\n' > "$dir/cc"
chmod +x "$dir/cc"
flags="-std=gnu11 -D_GNU_SOURCE -O0 -w -fsanitize=undefined -fno-sanitize-recover=all -I. -I$dir"
case $BUILD in
asan) library_flags=-fsanitize=address,undefined ;;
tsan) library_flags=-fsanitize=thread ;;
*) library_flags= ;;
esac
total=${FAULT_EXPRESSIONS:-${SOAK:+100000}}
total=${total:-500}
first=${SEED:-1}
for seed in $(seq "$first" $((first + (total + 999) / 1000 - 1))); do
    each=$((total < 1000 ? total : 1000))
    python3 $data/extreme.py "$seed" "$each" "$dir" || exit 1
    CC=$dir/cc proxygen --interpose --functions 'e*' --sidecar "$dir/extreme.perf" -o "$dir" "$dir/extreme.h" ||
        fail "$seed: proxygen"
    $CC $flags -o "$dir/computed" $data/extreme.c -ldl || fail "$seed: the generated code"
    "$dir/computed" > "$dir/found" || fail "$seed: exit $?"
    python3 $data/extreme.py "$seed" "$each" "$dir" "$dir/found" || fail "$seed: the generated code"
    proxygen --interpose --functions 'e*' --sidecar "$dir/extreme.perf" --describe "$dir/extreme.h" |
        python3 -c 'import json, sys; d = json.load(sys.stdin); d.update(port="extreme", type="extreme/1"); json.dump(d, sys.stdout)' \
            > "$dir/extreme.json" || fail "$seed: describe"
    sed 's/^e\([0-9]*\)(/call(\1, /' "$dir/calls.h" > "$dir/reads.h"
    $CC $flags $library_flags -o "$dir/read" $data/extreme_read.c "$O/lib/libpg_perf.a" -ljansson -lm ||
        fail "$seed: the reader"
    "$dir/read" "$dir/extreme.json" > "$dir/found" || fail "$seed: the reader: exit $?"
    python3 $data/extreme.py "$seed" "$each" "$dir" "$dir/found" || fail "$seed: the reader"
    [ $failures = 0 ] || break
done
finish
