# SPDX-License-Identifier: BSD-3-Clause
# checkpoint.sh: a script with a Checkpoint for tests of it; sourced after lib.sh.

# checkpoint_script FILE [SCRIPT]: shock-amr.rc, or another script, without its picture, with a Checkpoint.
# Variables: those of the script, some of which have a value here, and EVERY, STEPS, DIR, RESTART
export FLUX=HLLCFlux STATES=States GHOSTS=GhostsPerNeighbour BALANCE=never T_END=10
checkpoint_script() {
    sed -e '/FieldImage/d' -e '/ image /d' \
        -e '/^go/i instantiate Checkpoint checkpoint' -e '/^go/i connect driver checkpoint checkpoint checkpoint' \
        -e '/^go/i parameter driver config checkpoint_every $EVERY' -e '/^go/i parameter driver config max_steps $STEPS' \
        -e '/^go/i parameter checkpoint config directory $DIR' -e '/^go/i parameter checkpoint config restart $RESTART' \
        "$root/scripts/${2:-shock-amr.rc}" >"$1"
    grep -q '^connect driver checkpoint' "$1" && ! grep -q image "$1" || fail "the script has changed"
}
