#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A program that repartitions live (examples/mrtd on 2 ranks) decides, step by step, as `mastermind balance
# --lag 1 --every N` says beforehand, from a profile of the program on one rank.
# lane: agents, its runs have names in /dev/shm
. "$(dirname "$0")/../lib/mpi.sh"
skip_sanitized "the same decisions in a release build"
program="--threshold 5e-4 --steps 120"

# The profile must be whole: on a busy machine a step can be lost, and said so.
for try in 1 2 3 4 5 6; do
    rm -rf wave.mm
    mastermind record --cells work -o wave.mm -- mrtd $program >run.out 2>&1 || fail "the run: $(cat run.out)"
    mastermind balance wave.mm --parts 2 --json >whole.json 2>err && break
done
[ -s whole.json ] || skip "six runs, none with all steps: $(cat err)"
steps='import json, sys
d = json.load(sys.stdin)
print([r if isinstance(r, int) else r["step"] for r in (d["policies"][0] if "policies" in d else d)["repartitions"]])'

# decides POLICY EVERY
decides() {
    ranks 0 2 "mrtd_$flavour" $program --policy "$1" --price 20000 --move 2 --decide "$2" --json
    python3 -c "$steps" <out >live
    mastermind balance ../wave.mm --parts 2 --policy "$1" --price 20000 --move 2 --lag 1 --every "$2" --json |
        python3 -c "$steps" >simulated
    cmp -s live simulated || fail "$flavour, $1, every $2: live $(cat live), simulated $(cat simulated)"
    [ "$(wc -w <live)" -gt 2 ] || fail "$flavour, $1, every $2: only $(cat live)"
}
live() {
    decides expect 3
    decides loss 1
}
under_each live "live decisions"
