#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Random expressions of the mark-up language: the code made of them compiles without a warning, and
# what is recorded is what a C compiler computes from the same text.
. "$(dirname "$0")/../headers/headers.sh"
needs_preload
data=$root/tests/data/marks
$CC -std=gnu11 -D_GNU_SOURCE -O1 -shared -fPIC -Wl,-Bsymbolic -I"$data" -o libdeep.so "$data/deep.c" || exit 1
rounds=${SOAK:+200}
for seed in $(seq 1 "${rounds:-3}"); do
    python3 "$data/expressions.py" "$seed" random.perf random.c || exit 1
    $CC -std=gnu11 -D_GNU_SOURCE -O1 -w -I"$data" -o random random.c -L. -ldeep -Wl,-rpath,"$dir" || fail "$seed: no program"
    proxygen --interpose "$data/deep.h" -I "$data" --functions deep_visit --sidecar random.perf -o proxy ||
        fail "$seed: proxygen"
    for compiler in gcc "clang -fsyntax-only"; do
        $compiler -std=gnu11 -O2 -Wall -Wextra -Werror -fPIC -I"$root" -I"$data" -c -o object.o \
            proxy/deep_interpose.c || fail "$seed: $compiler"
    done
    rm -rf random.mm
    timeout 60 mastermind record --proxy proxy -o random.mm -- ./random > told 2> said || fail "$seed: $(cat said)"
    mastermind records random.mm > rows.csv
    python3 "$root/tests/headers/compare.py" told rows.csv > said || fail "$seed: $(cat said random.perf)"
    grep -q '^60 calls' said || fail "$seed: $(cat said)"
    [ $failures = 0 ] || break
done
finish
