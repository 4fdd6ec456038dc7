#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Includes are as the tables of docs/architecture.md say, and tests/lib/rooms.py sees where they are not. What headers
# declare is called, and tests/lib/unused.py sees what tests alone call.
set -u
cd "$(dirname "$0")/../.." || exit 1
status=0
fail() { echo "FAILED: $*"; status=1; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

python3 tests/lib/rooms.py || fail "this tree, see above"
python3 tests/lib/unused.py || fail "functions of this tree, see above"

# A sound tree of three folders: upper/ may include lower/, and one header of side/ by exception.
tree() {
    rm -rf "$dir"/*
    mkdir "$dir"/{docs,upper,lower,side}
    cat >"$dir/docs/architecture.md" <<'END'
| folder | may include | libraries |
|---|---|---|
| `upper` | `lower` | |
| `lower` | | `<jansson.h>` |
| `side` | | `<ffi.h>` |

| file | includes | reason |
|---|---|---|
| `upper/a.c` | `side/s.h` | a.c is one half of s.h |
END
    printf '#include "lower/l.h"\n#include "side/s.h"\n' >"$dir/upper/a.c"
    touch "$dir/lower/l.h" "$dir/side/s.h"
}
# After what $1 does to the tree, the script says $2 and exits with 1.
refuses() {
    tree
    eval "$1"
    said=$(python3 tests/lib/rooms.py "$dir")
    [ $? = 1 ] || fail "exit after: $1"
    case $said in *"$2"*) ;; *) fail "after $1: said '$said', expected '$2'" ;; esac
}

tree
python3 tests/lib/rooms.py "$dir" || fail "a sound tree"
refuses 'echo "#include \"upper/a.h\"" >"$dir/side/t.c"' \
    'side/t.c:1: found upper/a.h, which side may not include (docs/architecture.md:5)'
refuses 'echo "#include <ffi.h>" >>"$dir/lower/l.h"' \
    'lower/l.h:1: found <ffi.h>, which lower may not include (docs/architecture.md:4)'
refuses 'echo "#include <jansson.h>" >>"$dir/lower/l.h"' \
    'upper/a.c:1, lower/l.h:1: found <jansson.h>, which upper may not include (docs/architecture.md:3)'
refuses 'sed -i /side/d "$dir/upper/a.c"' \
    'docs/architecture.md:9: found an exception that nothing uses, upper/a.c includes side/s.h'
refuses 'sed -i "s/ a.c is one half.*/ |/" "$dir/docs/architecture.md"' \
    'docs/architecture.md:9: found an exception without a reason, upper/a.c'
refuses 'sed -i "s/| .lower. | |/| \`lower\` | \`upper\` |/" "$dir/docs/architecture.md"
    echo "#include \"upper/a.h\"" >"$dir/lower/l.c"' \
    'folders include each other in a circle: lower -> upper -> lower'
refuses 'mkdir "$dir/new"; echo "int i;" >"$dir/new/n.c"' 'new/n.c: found no row for new'
refuses 'touch "$dir"/side/{1..32}.c' 'side: found 33 code files, expected at most 32'
tree
sed -i '/folder/d' "$dir/docs/architecture.md"
python3 tests/lib/rooms.py "$dir" >/dev/null
[ $? = 3 ] || fail "a page without the table"

# The tests that a room can have broken: its own, those of rooms above it, programs that include it
of_room() { # ROOM
    python3 tests/lib/room_tests.py "$1" tests/*/test_*.sh $(cd tests && ls */test_*.c | sed 's/\.c$//')
}
has() { # ROOM yes|no TEST
    found=no
    of_room "$1" | grep "/$3\$" >/dev/null && found=yes
    [ $found = "$2" ] || fail "room $1: $3: $found, expected $2"
}
has mesh/balance yes test_mesh_balance_price.sh
has mesh/balance yes test_mesh_simulate
has mesh/balance no test_pack.sh
has mastermind/pack yes test_pack.sh
has mastermind/pack yes test_mm_experiment
has mastermind/page no test_mesh_simulate
has components/GodunovFlux yes test_shock_godunov
has common yes test_statistics
python3 tests/lib/room_tests.py nowhere 2>/dev/null
[ $? = 2 ] || fail "no such room"
for folder in $(ls -d tests/*/ | cut -d/ -f2); do
    grep -q "^|.*\`$folder/\`.*|.*|.*|$" tests/README.md || fail "tests/README.md has no row for $folder/"
done

mkdir "$dir/tests"
printf "int used(void);\nint idle(void);\n" >"$dir/lower/l.h"
printf 'int idle(void)\n{\n    return used();\n}\n' >"$dir/lower/l.c"
echo "int t(void) { return idle(); }" >"$dir/tests/t.c"
said=$(python3 tests/lib/unused.py "$dir") && fail "a function that tests alone call"
case $said in "lower/l.h: idle is called by tests/t.c: "*) ;; *) fail "a function that tests alone call: '$said'" ;; esac
printf "/* A user's start. */\nint used(void);\n/* For users' programs. */\nint idle(void);\n" >"$dir/lower/l.h"
python3 tests/lib/unused.py "$dir" || fail "a function for users"
exit $status
