#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Includes are as tests/lib/rooms.tsv says, no more than four files call each other in a ring, and
# tests/lib/rooms.py sees where it is otherwise. What headers
# declare is called, and tests/lib/unused.py sees what tests alone call.
set -u
cd "$(dirname "$0")/../.." || exit 1
status=0
fail() { echo "FAILED: $*"; status=1; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

python3 tests/lib/rooms.py || fail "this tree, see above"
python3 tests/lib/unused.py || fail "functions of this tree, see above"

# A sound tree of three rooms: upper/ may include the door of lower/, which lies in a folder of it.
tree() {
    rm -rf "$dir"/*
    mkdir -p "$dir"/{tests/lib,upper,lower/in,side}
    printf '%s\t%s\t%s\t%s\n' upper - lower - lower in/l.h - '<jansson.h>' side - - '<ffi.h>' \
        >"$dir/tests/lib/rooms.tsv"
    echo '#include "lower/in/l.h"' >"$dir/upper/a.c"
    touch "$dir"/lower/{in/l.h,private.h} "$dir/side/s.h"
}
# After what $1 does to the tree, the script says $2 and exits with 1.
refuses() {
    tree
    eval "$1"
    said=$(python3 tests/lib/rooms.py "$dir")
    [ $? = 1 ] || fail "exit after: $1"
    case $said in *"$2"*) ;; *) fail "after $1: said '$said', expected '$2'" ;; esac
}
# ring FOLDER N: N files, each of which calls the next; the last calls the first.
ring() {
    for i in $(seq "$2"); do
        echo "void f$i(void);" >>"$1/ring.h"
        echo "void f$i(void) { f$((i % $2 + 1))(); }" >"$1/r$i.c"
    done
}

tree
ring "$dir/side" 4
python3 tests/lib/rooms.py "$dir" || fail "a sound tree"
refuses 'echo "#include \"upper/a.h\"" >"$dir/side/t.c"' \
    'side/t.c:1: found upper/a.h, which side may not include (tests/lib/rooms.tsv:3)'
refuses 'echo "#include \"lower/private.h\"" >"$dir/upper/t.c"' \
    'upper/t.c:1: found lower/private.h, which is private to lower (tests/lib/rooms.tsv:2)'
refuses 'echo "#include <ffi.h>" >>"$dir/lower/in/l.h"' \
    'lower/in/l.h:1: found <ffi.h>, which lower may not include (tests/lib/rooms.tsv:2)'
refuses 'echo "#include <jansson.h>" >>"$dir/lower/in/l.h"' \
    'upper/a.c:1, lower/in/l.h:1: found <jansson.h>, which upper may not include (tests/lib/rooms.tsv:1)'
refuses 'echo >"$dir/upper/a.c"' 'tests/lib/rooms.tsv:1: upper does not include lower'
refuses 'echo >"$dir/upper/a.c"' 'tests/lib/rooms.tsv:2: no other room includes lower/in/l.h'
refuses 'sed -i "1s/lower/lower a b c d e f g h/" "$dir/tests/lib/rooms.tsv"' \
    'found 9 rooms that upper may include, expected at most 8'
refuses 'for i in {1..58}; do printf "r$i\t-\t-\t-\n"; done >>"$dir/tests/lib/rooms.tsv"' \
    'found 61 rooms, expected at most 60'
refuses 'sed -i "2s/-/upper/" "$dir/tests/lib/rooms.tsv"
    echo "#include \"upper/a.h\"" >"$dir/lower/in/l.c"' \
    'folders include each other in a circle: lower/in -> upper -> lower/in'
refuses 'mkdir "$dir/new"; echo "int i;" >"$dir/new/n.c"' 'new/n.c: found no row for new'
refuses 'touch "$dir"/side/{1..32}.c' 'side: found 33 code files, expected at most 32'
refuses 'ring "$dir/side" 5' '5 files call each other in a ring, expected at most 4'
tree
rm "$dir/tests/lib/rooms.tsv"
python3 tests/lib/rooms.py "$dir" >/dev/null
[ $? = 3 ] || fail "a tree without the table"
exit $status
