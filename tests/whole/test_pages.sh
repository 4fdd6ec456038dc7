#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Do what README and pages of docs/ say, each in an empty directory, with an installed tree: their
# commands print what they show.
. "$(dirname "$0")/../lib/lib.sh"
skip_sanitized "the pages' own compiler calls do not link sanitizers"
use_installed
export SCRIPTS=$dir/usr/share/mastermind/scripts MASTERMIND=$dir/usr/share/doc/mastermind
for page in README docs/reference/{script,proxygen,mastermind,marks} docs/guide/{sweep,predict} docs/internals/models; do
    mkdir -p "$page"
    (cd "$page" && python3 "$root/tests/lib/page.py" "$dir/usr/share/doc/mastermind/$page.md") || fail "$page.md"
done
finish
