#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Do what docs/guide/mesh.md says, in an empty directory: its commands print what it shows.
# lane: agents, its runs have names in /dev/shm
. "$(dirname "$0")/../lib/lib.sh"
run 0 python3 "$root/tests/lib/page.py" "$root/docs/guide/mesh.md"
finish
