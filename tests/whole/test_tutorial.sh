#!/bin/bash
# Do what docs/tutorial.md says, in an empty directory: files named before a block are written,
# sh blocks are run, and what they print is looked at here.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
[ "$BUILD" = release ] || [ "$BUILD" = debug ] || { echo "the tutorial's own compiler calls do not link sanitizers"; exit 77; }
cd "$dir"
awk '
    /^`[A-Za-z_.]+`:$/ { file = $0; gsub(/[`:]/, "", file); next }
    /^```/ && inside { inside = 0; close(out); next }
    /^```/ { inside = 1; out = file != "" ? file : ($0 == "```sh" ? "steps.sh" : "/dev/null")
             file = ""; next }
    inside { if (out == "steps.sh") print >> out; else print > out }
' "$root/docs/tutorial.md"
bash -eu -o pipefail -x steps.sh > out 2> err || { cat out err; exit 1; }
cat out err
fail() { echo "FAILED: $1"; exit 1; }
grep -q 'mistakes' out || fail "ccafe check said nothing"
grep -q '^choice: ShellSort' out || fail "ShellSort was not chosen"
grep -q '^choice: InsertionSort' out || fail "the stable sort was not chosen when asked for"
rows=$(($(wc -l < rows.csv) - 1))
# sizes 8, 12, 18, ... up to 2000, 20 repeats each, and the call of go
sizes=0 n=8
while [ $n -le 2000 ]; do sizes=$((sizes + 1)) n=$((n + n / 2)); done
[ "$rows" = $((sizes * 20 + 1)) ] || fail "$rows rows, expected $((sizes * 20 + 1))"
