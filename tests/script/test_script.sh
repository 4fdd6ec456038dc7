#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Every kind of mistake in a script: the line it is reported at, the words, the exit status, by
# `ccafe` and by `ccafe check`. The cases are in tests/data/scripts/mistakes.txt.
. "$(dirname "$0")/../lib/lib.sh"
unset NOT_SET
cases=0

# run_case NAME STATUS CHECK, with the files script, run.expected and check.expected
run_case()
{
    cases=$((cases + 1))
    for how in run check; do
        want=$2
        [ $how = check ] && want=$3
        run "$want" ccafe $how --path "$components" mistake.rc
        diff $how.expected err || fail "$how $1"
    done
}

name=
: >run.expected >check.expected >mistake.rc
while IFS= read -r line; do
    case $line in
    '@ '*)
        [ -z "$name" ] || run_case "$name" "$status" "$check"
        read -r _ name status check <<<"$line"
        check=${check:-3}
        : >run.expected >check.expected >mistake.rc
        ;;
    '> '*)
        [ -s run.expected ] || printf 'mistake.rc:%s\n' "${line#> }" >run.expected
        printf 'mistake.rc:%s\n' "${line#> }" >>check.expected
        ;;
    '>run '*) printf 'mistake.rc:%s\n' "${line#>run }" >run.expected ;;
    '>check '*) printf 'mistake.rc:%s\n' "${line#>check }" >>check.expected ;;
    *) [ -z "$name" ] || printf '%s\n' "${line//<DIR>/$components}" >>mistake.rc ;;
    esac
done <"$root/tests/data/scripts/mistakes.txt"
run_case "$name" "$status" "$check"

# What a text file of cases cannot hold.
one() # one STATUS TEXT COMMAND...: its status, and a line that stderr has
{
    cases=$((cases + 1))
    local want=$1 text=$2
    shift 2
    run "$want" "$@"
    [ -z "$text" ] || complains "$text"
}
printf 'path\n\0\nquit\n' >nul.rc
one 3 "nul.rc:2: a NUL byte; a script is text" ccafe nul.rc
one 3 "nul.rc:2: a NUL byte; a script is text" ccafe check nul.rc
{ printf 'path\n# '; head -c 70000 /dev/zero | tr '\0' x; printf '\nbad\n'; } >long.rc
one 3 "long.rc:2: the line is longer than 65536 bytes" ccafe long.rc
one 3 "long.rc:3: unknown command 'bad'" ccafe check long.rc
printf 'source again.rc\n' >again.rc
one 3 "./again.rc:1: 'again.rc' is running already and would source itself for ever" ccafe ./again.rc
# Sourced twice in each of 16 files, it is not checked 65,536 times.
printf 'source again.rc\nsource ../again.rc\nsource twice.rc\n' >twice.rc
one 3 "twice.rc:3: 'twice.rc' is running already and would source itself for ever" ccafe check twice.rc
for n in $(seq 20); do echo "source deep$((n + 1)).rc" >deep$n.rc; done
: >deep21.rc
one 3 "deep17.rc:1: 'deep18.rc' is sourced more than 16 files deep" ccafe deep1.rc
one 0 "" ccafe deep6.rc
mkdir inner
printf 'source inner/one.rc\nbad1\n' >outer.rc
printf '\nsource two.rc\nbad2\n' >inner/one.rc
printf '\n\nbad3\n' >inner/two.rc
one 3 "inner/two.rc:3: unknown command 'bad3'" ccafe outer.rc
[ "$(wc -l <err)" = 1 ] || fail "an error in a sourced file is reported twice"
one 3 "inner/one.rc:3: unknown command 'bad2'" ccafe check outer.rc
one 3 "outer.rc:2: unknown command 'bad1'" ccafe check outer.rc
one 5 "cannot read script 'none.rc': No such file or directory" ccafe none.rc
one 5 "cannot read script 'none.rc': No such file or directory" ccafe check none.rc
one 5 "cannot read script '.': Is a directory" ccafe .

printf '\xef\xbb\xbfbad\n' >mark.rc
one 3 "mark.rc:1: unknown command 'bad'" ccafe mark.rc
printf '\xef\xbb\xbf#!ccaffeine bootstrap file.\r\npath list\r\nquit 7\r\n' >mark.rc
one 7 "" ccafe mark.rc
one 2 "ccafe: unknown option '-x'; 'ccafe -h' prints the help" ccafe -x mark.rc
one 2 "ccafe: unknown option '--mesure'; did you mean '--measure'?" ccafe --mesure mark.rc
one 2 "ccafe: '-D' needs a value" ccafe -D
one 2 "ccafe: '--path' needs a value" ccafe check --path
one 2 "ccafe: 'chek' is no script, nor run, check, inspect or cflags" ccafe chek mark.rc

finish "$cases cases"
