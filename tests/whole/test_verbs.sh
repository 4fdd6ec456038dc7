#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Help, man page, page of reference and completion of each program come from the same tables of options.
. "$(dirname "$0")/../lib/lib.sh"
programs="mastermind ccafe activity proxygen"

# verbs PROGRAM: those of its man page, in its order
verbs() { "$1" help --man | sed -n "s/^\.SH $1 \([a-z]*\).*/\1/p" | uniq; }
# options PROGRAM [VERB]: names in the help
options() { "$@" -h | sed -n 's/^  \(-[A-Za-z], \)\{0,1\}\(-[-A-Za-z]*\).*/\2/p' | grep -vx -e --help -e --version; }

for program in $programs; do
    run 0 "$program" help --man
    cp out "$program.1"
    head -n 1 out | grep -qx "\.TH ${program^^} 1 \"\" \"$program [0-9].*\"" || fail "$program: head of the man page"
    run 0 "$program" help --reference
    cp out "$program.md"
    run 0 "$program" help --completion
    cp out "$program.bash"
    run 0 bash -n "$program.bash"
    if command -v shellcheck >/dev/null; then run 0 shellcheck -s bash "$program.bash"; fi

    mapfile -t all < <(verbs "$program")
    [ "$program" = proxygen ] && all=("")
    [ ${#all[@]} -gt 0 ] || fail "$program has no verbs"
    for verb in "${all[@]}"; do
        # shellcheck disable=SC2086
        options "$program" $verb >found
        [ -s found ] || [ "$program $verb" = "ccafe cflags" ] || fail "$program $verb has no options"
        sed -n "/^\.SH $program $verb\$/,/^\.SH/p;/^\.SH DESCRIPTION/,/^\.SH/p" "$program.1" | sed 's/\\-/-/g' >chapter
        while read -r option; do
            grep -qF -- "\\fB$option\\fR" chapter || fail "man page: no $option of $program $verb"
            grep -q -- "^| \`\(-., \)\{0,1\}$option[ \`]" "$program.md" || fail "reference: no $option of $program $verb"
            grep -q -- "^        options=.* $option[ ']" "$program.bash" || fail "completion: no $option of $program $verb"
        done <found
    done

    # Both readers of man pages find no fault in it.
    if command -v groff >/dev/null; then
        run 0 groff -ww -man -Tutf8 -K utf8 -z "$program.1"
        quiet
    fi
    if command -v man >/dev/null; then
        run 0 env LC_ALL=C.UTF-8 MANROFFSEQ= MANWIDTH=90 man --warnings -E UTF-8 -l "./$program.1"
        quiet
        holds out "$program -"
    fi
done

# --- What bash completes: complete WORD... prints the answers for the last word.
complete_words() {
    bash -c '. "../$1.bash"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); "_$1" "$1"; printf "%s\n" "${COMPREPLY[@]}"' \
        bash "$@" 2>err | sort | tr '\n' ' '
}
completes() { # ANSWERS WORD...
    local answers=$1
    shift
    equal "$*" "$answers" "$(complete_words "$@")"
    quiet
}
mkdir folder && cd folder && touch shock.mm shock.rc go_port.h || exit 1
completes "predict properties " mastermind pr
completes "--method --metric " mastermind report --m
completes "--method --metric " mastermind report shock.mm --limit 3 --me
completes "shock.mm shock.rc " mastermind report sh
completes "shock.mm shock.rc " mastermind report --with sh
completes "lbaf " mastermind import lb
completes "cells " mastermind import ce
completes "predict " mastermind help pred
completes "--schema " mastermind help --s
completes "report report-metric " mastermind help --schema rep
completes "off on " mastermind record --mpi-time ""
completes "openmpi " ccafe --mpi o
completes "--measure --messages --metrics --mpi --mpi-time " ccafe --m
completes "--path " ccafe inspect --p
completes "check " ccafe che
completes "shock.mm shock.rc " ccafe check --measure sh
completes "mpich openmpi " activity calibrate --mpi ""
completes "calibrate check " activity c
completes "go_port.h " proxygen go
completes "--sidecar --signature --suggest " proxygen --s

# --- Options are read alike by all.
cd "$dir" || exit 1
for words in "mastermind report" "ccafe" "activity run" "proxygen"; do
    # shellcheck disable=SC2086
    {
        expect 2 "${words%% *}: unknown option '--nothing-like-it'; '$words -h' prints the help" $words --nothing-like-it
        expect 0 "${words%% *} " $words -V
        cp out version
        expect 0 "${words%% *} " $words --version
        diff version out || fail "$words --version"
        expect 0 "$words" $words -h
        cp out help
        expect 0 "$words" $words --help
        diff help out || fail "$words --help"
    }
done
expect 2 "'--limit' needs a value" mastermind report x --limit
expect 2 "'--measure' takes no value" ccafe --measure=1
expect 2 "'-o' needs a value" activity run x.act -o
expect 2 "unknown option '--interprte'; did you mean '--interpret'?" activity run x.act --interprte=1
expect 2 "option '--limit' more than 64 times" mastermind report x $(yes -- '--limit 1' | head -n 65)
# A value behind its letter, behind '=' and as the next word.
for words in "-DN=1" "-D N=1" "--define=N=1" "--define N=1"; do
    # shellcheck disable=SC2086
    expect 0 "no mistakes" ccafe check $words - <<<'path'
done
# What stands behind -- is no option.
expect 3 "cannot read the header" proxygen -o "$dir" -- -o

finish
