#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The qualities that flux classes state are what their commands print, rounded up to two digits.
# The odd-even instability takes minutes in all: with SOAK set only.
. "$(dirname "$0")/../lib/lib.sh"
cd "$root" || exit 1
export SCRIPTS=$root/scripts

expect_status()
{
    local expected=$1
    shift
    "$@" >/dev/null 2>&1
    local status=$?
    [ $status = "$expected" ] || fail "'$*' ended with status $status, expected $expected"
}

qualities="sod_l1_200 contact_cells"
[ -n "${SOAK-}" ] && qualities="$qualities oddeven_m6"
for class in GodunovFlux GodunovScalar GodunovVector EFMFlux HLLCFlux; do
    for quality in $qualities; do
        stated=$(ccafe inspect $class | awk -v q=$quality '$1 == "quality" && $2 == q { print $3 }')
        command=$(ccafe inspect $class | sed -n "s/^quality *$quality .*; //p")
        measured=$(eval "$command") || fail "'$command' failed"
        read -r said_class said_quality value rest <<<"$measured"
        [ "$said_class $said_quality $rest" = "$class $quality " ] ||
            fail "'$command' printed '$measured'"
        awk -v stated="$stated" -v value="$value" 'BEGIN {
            exit !(stated != "" && value != "" && value <= stated && value >= 0.95 * stated)
        }' || fail "$class states $quality '$stated', '$command' measured '$value'"
    done
done

expect_status 2 scripts/quality.sh
expect_status 2 scripts/quality.sh EFMFlux sod
expect_status 2 scripts/quality.sh EFMFlux sod_l1_200 more
expect_status 3 scripts/quality.sh NoSuchFlux sod_l1_200
# A class from elsewhere; it resolves no contact either.
printed=$(scripts/quality.sh --path "$O/tests/components" RusanovFlux contact_cells)
awk -v value="${printed##* }" 'BEGIN { exit !(value >= 5) }' ||
    fail "Rusanov's flux smears a contact, but quality.sh printed '$printed'"

finish
