#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The agents: what a program tells is in the experiment, whatever is killed or stopped; nothing is left in
# shared memory, nobody waits.
# lane: agents, it looks at all of /dev/shm
. "$(dirname "$0")/../lib/mpi.sh"
"${CC:-gcc}" -O1 -g -I"$root" -o told "$root/tests/agents/told.c" -L"$O/lib" -lmm_mesh -Wl,-rpath,"$O/lib" ||
    fail "no program"
segments() { ls /dev/shm | grep "^\.*mm_mesh-$(id -u)-" | grep -v "$1"; }
before=$(segments '^$' | tr '\n' '|')none
# gone: no segment that was not there before. A loud host may take a minute, and only a failure takes as long.
gone() {
    local i
    for i in $(seq 600); do
        [ -z "$(segments "$before")" ] && return 0
        sleep .1
    done
    fail "$1: left in /dev/shm: $(segments "$before")"
}
agent() { pgrep -f "mesh-agent $1 $dir/$2" | head -1; }
# await 'command': it succeeds within a minute
await() {
    local i
    for i in $(seq 1200); do
        eval "$1" && return 0
        sleep .05
    done
    return 1
}
whole() { bash "$root/tests/agents/told.sh" "$@" >found 2>why || fail "$*: $(tail -1 why)"; }

steps_of() { bash "$root/tests/agents/told.sh" "$1" "$2" 1 >found 2>why; }

# A whole run, and one that tells nothing. Shared memory has room for all steps of a short run, so none may be lost,
# however late the agents are.
export MM_MESH_SLOTS=64
mastermind record --cells all -o whole.mm -- ./told 30 4000 >out 2>err || fail "whole: $(cat err)"
gone whole
whole whole.mm 30
await '[ "$(ls whole.mm/mesh)" = told.cells ]' || fail "in the experiment: $(ls whole.mm/mesh)"
mastermind record --cells all -o none.mm -- true 2>err || fail "none: $(cat err)"
await '[ ! -e none.mm/mesh ]' || fail "a folder without a profile: $(ls none.mm/mesh)"
mastermind record --cells 'all:evrey=2' -o bad.mm -- ./told 2>err && fail "a wrong word is taken"
holds err "found ':evrey=2'"
[ ! -e bad.mm ] || fail "a wrong word, and an experiment"

# Only every third step; only a probe that is not there.
mastermind record --cells work:every=3 -o third.mm -- ./told 30 4000 >out 2>err || fail "third: $(cat err)"
gone third
mastermind mesh third.mm --json >third.json || fail "third"
python3 - <<'PY' || fail "every third step: $(head -c 300 third.json)"
import json
document = json.load(open("third.json"))
text = json.dumps(document)
assert '"every": 3' in text or '"steps"' in text
PY
whole third.mm 10

# The program is killed: whole steps stay, and all that it had told.
mastermind record --cells all -o killed.mm -- ./told 30 4000 die 12 >out 2>err
gone killed
whole killed.mm 12

# Each agent is killed, or stopped, while the program runs: that goes on, and ends as soon as one with its agents
# does, but for some seconds. With few slots steps may be lost.
export MM_MESH_SLOTS=16
began=$SECONDS
mastermind record --cells all -o usual.mm -- ./told 100 4000 >out 2>err || fail "usual: $(cat err)"
usual=$((SECONDS - began))
gone usual
whole usual.mm 100 1
for side in local global; do
    for signal in KILL STOP; do
        name=$side-$signal
        # (on a loud host the program may be over before its agent is disturbed: then a longer one)
        for steps in 100 400 1600; do
            rm -rf "$name.mm"
            mastermind record --cells all -o "$name.mm" -- ./told $steps 4000 >"$name.out" 2>"$name.err" &
            run=$!
            await '[ -e $name.mm/mesh/told.cells ] && steps_of $name.mm $steps' || fail "$name: no step"
            began=$SECONDS
            victim=$(agent "$side" "$name.mm")
            kill -0 $run 2>/dev/null && [ -n "$victim" ] && kill -$signal "$victim" 2>/dev/null && break
            wait $run
            gone "$name"
        done
        wait $run || fail "$name: $(cat "$name.err")"
        [ $((SECONDS - began)) -lt $((15 + 5 * usual * steps / 100)) ] || fail "$name: the program waited"
        grep -q "told $steps steps" "$name.out" || fail "$name: $(cat "$name.out")"
        [ $signal = STOP ] && kill -CONT "$victim"
        gone "$name"
        await '[ -z "$(agent local $name.mm)$(agent global $name.mm)" ]' || fail "$name: an agent stays"
        whole "$name.mm" $steps 1
    done
done
export MM_MESH_SLOTS=64

# All at once: the next start reaps.
mastermind record --cells all -o all.mm -- ./told 100 4000 >out 2>err &
run=$!
await '[ -e all.mm/mesh/told.cells ] && [ -n "$(segments "$before")" ]' || fail "all: no profile"
kill -STOP "$(agent local all.mm)"
pkill -KILL -f "told 100 4000"
pkill -KILL -f "mesh-agent (local|global) $dir/all.mm"
wait $run 2>/dev/null
# (another run on this machine may have begun and removed what is left already)
mastermind record --cells all -o next.mm -- ./told 10 4000 >out 2>err || fail "next: $(cat err)"
gone "all at once"

# Two programs at once, each with its own profile.
for n in 1 2; do
    mastermind record --cells all -o twin-$n.mm -- ./told 20 4000 >twin-$n.out 2>&1 &
done
wait
gone twins
whole twin-1.mm 20
whole twin-2.mm 20

on_ranks() {
    ranks 0 2 mastermind record --cells all -o ranks.mm -- ../told 40 4000
    gone "$flavour"
    bash "$root/tests/agents/told.sh" ranks.mm 40 >found 2>why || fail "$flavour: $(tail -1 why)"
    ranks bad 2 mastermind record --cells all -o dead.mm -- ../told 40 4000 die 38
    gone "$flavour, killed"
    bash "$root/tests/agents/told.sh" dead.mm 40 1 >found 2>why || fail "$flavour, killed: $(tail -1 why)"
}
under_each on_ranks "agents"
