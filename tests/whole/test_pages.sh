#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Do what pages of docs/ say, each in an empty directory: their commands print what they show.
. "$(dirname "$0")/../lib/lib.sh"
skip_sanitized "the pages' own compiler calls do not link sanitizers"
export SCRIPTS=$root/scripts
for page in mastermind interpose tables; do
    mkdir "$page"
    (cd "$page" && python3 "$root/tests/lib/page.py" "$root/docs/$page.md") || fail "docs/$page.md"
done
finish
