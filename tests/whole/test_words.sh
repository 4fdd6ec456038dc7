#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The words in comments that stop a reader become fewer, room by room: tests/lib/words.tsv.
. "$(dirname "$0")/../lib/lib.sh"
python3 "$root/tests/lib/words.py" || fail "this tree, see above"
mkdir -p tree/tests/lib tree/room && cd tree || exit 1
cp "$root/tests/lib/words.py" tests/lib
git init -q . && printf '/* Take a file. */\nint x; // "what"\n' >room/a.c && git add .
run 0 python3 tests/lib/words.py --write
printf '/* Take what is\n * told. */\nconst char *s = "/* what */";\n' >room/a.c
run 1 python3 tests/lib/words.py
printf 'room: found 2 words that stop a reader, expected at most 0 (tests/lib/words.py --list room)\n' | diff - err ||
    fail "message"
finish
