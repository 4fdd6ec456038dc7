#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# `mastermind race --build`: commits of a repository; --save and --confirm: the same race on two machines.
. "$(dirname "$0")/../lib/lib.sh"

command -v git >/dev/null || { echo "skipped: found no git"; exit 0; }
mkdir own_tmp repo
export TMPDIR=$dir/own_tmp GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
cd repo
git init -q . && git config user.email nobody@example.org && git config user.name nobody
mkdir src
cat >src/k.c <<'END'
#include <stdio.h>
int main(void)
{
    volatile double sum = 0;
    FILE *file = fopen("result.txt", "w");
    for (long i = 0; i < WORK * 100000L; i++)
        sum += i;
    fprintf(file, "%g\n", sum);
    return fclose(file);
}
END
printf 'k: k.c\n\t%s -O2 -DWORK=$(shell cat work) -o k k.c\n' "$CC" >src/Makefile
commit() { git add . && git commit -qm "$1"; }
echo 50 >src/work; commit one
echo 90 >src/work; commit two
echo 'syntax(' >>src/k.c; commit broken
git checkout -q HEAD~1 2>/dev/null
echo '#!/bin/sh' >.git/hooks/post-checkout
echo "touch $dir/hooked" >>.git/hooks/post-checkout
chmod +x .git/hooks/post-checkout
cd src
echo 'not committed' >>work
before=$(git status --short; git worktree list; git branch -a)

# --- Two commits: each in its folder, so that both may write result.txt at once; nothing is left of them
run 1 mastermind race --save ../../verdict.json --build 'make -s' HEAD~1 -- HEAD -- ./k
holds out 'A: HEAD~1: ./k'
holds out 'both sides at the same time on one core'
holds out 'worse: CPU time of B is +'
untouched() {
    rm -f out err # of this test
    equal "the user's tree" "$before" "$(git status --short; git worktree list; git branch -a)"
    equal "files left in the temporary folder" "" "$(ls "$dir/own_tmp")"
    [ ! -e "$dir/hooked" ] || fail "a hook of the repository ran"
}
untouched

# --- A second machine, with the commits and the command of the file
run 1 mastermind race --confirm ../../verdict.json
holds out 'confirmed, both machines agree: worse, CPU time +'
run 1 mastermind race --json --confirm ../../verdict.json
cp out ../../confirmed.json
fits race ../../confirmed.json
python3 - <<'END' || fail "documents of both machines"
import json
a, b = json.load(open("../../verdict.json")), json.load(open("../../confirmed.json"))
assert len(a["commit_a"]) == 40 and a["commit_a"] == b["commit_a"] and a["commit_b"] == b["commit_b"], b
assert a["command_a"] == a["command_b"] == b["command_a"] == ["./k"] and a["build"] == b["build"] == "make -s", b
assert b["confirm"]["agrees"] and b["confirm"]["verdict"] == "worse" and b["confirm"]["machine"] == a["machine"], b
END
fits race ../../verdict.json
run 0 mastermind race --pairs 3 --confirm ../../verdict.json true -- true
holds out 'not confirmed, the machines do not agree: worse, CPU time +'
untouched

# --- Refusals
expect 4 "the build of B" mastermind race --build 'make -s' HEAD -- "$(git rev-list --all -1)" -- ./k
expect 2 "found no commit 'nope'" mastermind race --build 'make -s' HEAD -- nope -- ./k
expect 2 "expected race --build COMMAND COMMIT -- COMMIT -- PROGRAM" mastermind race --build 'make -s' HEAD -- HEAD
expect 3 "found no good 'schema'" mastermind race --confirm <(echo '{}')
expect 3 "verdict.json" mastermind race --confirm no-verdict.json
untouched
cd "$dir"
expect 2 "found no git repository here" mastermind race --build 'make -s' HEAD -- HEAD -- ./k

# --- A signal during a build: the folders of the commits are removed as well
cd repo/src
mkfifo "$dir/building"
mastermind race --build "echo begun >'$dir/building'; sleep 600" HEAD -- HEAD -- ./k >out 2>err &
race=$!
read -r _ <"$dir/building"
kill -TERM $race
wait $race
equal "status after SIGTERM" 143 $?
untouched
cd "$dir"
finish
