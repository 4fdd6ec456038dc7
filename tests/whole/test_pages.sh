#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Do what docs/mastermind.md says, in an empty directory: its commands print what it shows.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
export SCRIPTS=$root/scripts
python3 "$root/tests/lib/page.py" "$root/docs/mastermind.md" ||
    { echo "FAILED: docs/mastermind.md"; exit 1; }
