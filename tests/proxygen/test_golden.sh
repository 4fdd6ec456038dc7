#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What proxygen makes of the headers in tests/golden, to the letter; `make golden` writes it anew, and
# the difference is for people to look at. What is made compiles, as C and, where a header is
# meant for users, as C++.
. "$(dirname "$0")/../lib/lib.sh"
cd "$root" || exit 1
data=tests/golden

golden() { # NAME FILE
    if [ -n "${GOLDEN:-}" ]; then
        sed 's/proxygen [0-9][0-9.]*/proxygen VERSION/' "$2" > "$data/$1.expected"
    else
        diff -u "$data/$1.expected" <(sed 's/proxygen [0-9][0-9.]*/proxygen VERSION/' "$2") ||
            fail "$1 is not as expected; if it should be: make golden"
    fi
    grep -q "$dir\|$PWD\|20[0-9][0-9]-" "$2" && fail "$1: a path or a date"
}
# run WORDS_FILE COMMAND...: it succeeds, and its words are those of the golden file.
run() {
    local words=$1
    shift
    "$@" > "$dir/out" 2> "$dir/err" || fail "status $?: $*: $(cat "$dir/err")"
    [ -z "$words" ] || golden "$words" "$dir/err"
}

run library.words proxygen --interpose $data/library.h -I $data --functions 'library_*' --suggest
golden library.suggest "$dir/out"
for marks in sidecar suggested; do
    sidecar=()
    [ $marks = sidecar ] && sidecar=(--sidecar $data/library.perf)
    run "" proxygen --interpose $data/library.h -I $data --functions 'library_*' "${sidecar[@]}" -o "$dir/$marks"
    if [ $marks = sidecar ]; then
        golden library_sidecar.c "$dir/sidecar/library_interpose.c"
    else # in what it differs from the code of the sidecar
        diff "$dir"/{sidecar,suggested}/library_interpose.c | grep '^[<>]' > "$dir/differs"
        golden library_suggested "$dir/differs"
    fi
    for compiler in gcc "clang -fsyntax-only"; do
        $compiler -std=gnu11 -Wall -Wextra -Werror -O1 -fPIC -I. -I$data -c -o "$dir/object.o" \
            "$dir/$marks/library_interpose.c" || fail "$marks: $compiler"
    done
done
# A suggestion is a sidecar: it gives the same marks.
cp $data/library.suggest.expected "$dir/library.perf"
run "" proxygen --interpose $data/library.h -I $data --functions 'library_*' --sidecar "$dir/library.perf" -o "$dir/again"
cmp "$dir/suggested/library_interpose.c" "$dir/again/library_interpose.c" ||
    fail "the marks that were proposed are others when given"

# --- Tables of functions --------------------------------------------------------------------------
run table.words proxygen --table codec_ops $data/table.h -I $data --suggest
golden table.suggest "$dir/out"
run "" proxygen --table codec_ops $data/table.h -I $data --sidecar $data/table.perf -o "$dir/table"
golden table_tables.c "$dir/table/table_tables.c"
golden table_tables.h "$dir/table/table_tables.h"
for compiler in gcc "clang -fsyntax-only"; do
    $compiler -std=gnu11 -Wall -Wextra -Werror -O1 -fPIC -I. -I$data -c -o "$dir/object.o" \
        "$dir/table/table_tables.c" || fail "table: $compiler"
done
printf '#include "table_tables.h"\nint main() { return codec_ops_wrap(nullptr, "x") != nullptr; }\n' > "$dir/use.cc"
for compiler in g++ clang++; do
    $compiler -std=c++17 -Wall -Wextra -Werror -fsyntax-only -I$data -I"$dir/table" "$dir/use.cc" || fail "table: $compiler"
done

finish
