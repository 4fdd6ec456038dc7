#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Do what docs/start/tutorial.md says, in an empty directory, with an installed tree: the page shows parts of
# the files, its commands print what it shows, and the answers are right.
. "$(dirname "$0")/../lib/lib.sh"
skip_sanitized "the tutorial's own compiler calls do not link sanitizers"
use_installed
export MASTERMIND=$dir/usr/share/doc/mastermind
mkdir empty && cd empty || exit 1
python3 "$root/tests/lib/page.py" "$MASTERMIND/docs/start/tutorial.md" --files "$MASTERMIND/docs/tutorial" ||
    { fail "docs/start/tutorial.md" && finish; }
[ "$(mastermind choose insertion.mm shell.mm --quiet)" = sorter=ShellSort ] ||
    fail "ShellSort was not chosen"
[ "$(mastermind choose insertion.mm shell.mm --require 'stable >= 1' --quiet)" = sorter=InsertionSort ] ||
    fail "the stable sort was not chosen when asked for"
rows=$(($(wc -l < rows.csv) - 1))
# sizes 100, 150, 225, ... up to 10000, 20 repeats each, and the call of go
sizes=0 n=100
while [ $n -le 10000 ]; do sizes=$((sizes + 1)) n=$((n + n / 2)); done
[ "$rows" = $((sizes * 20 + 1)) ] || fail "$rows rows, expected $((sizes * 20 + 1))"
finish
