#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# --messages and --mpi-time of ccafe and mastermind record: wrong words are refused before anything runs,
# right ones reach the program and none of its children, and an experiment is there without --measure.
. "$(dirname "$0")/../lib/mpi.sh"
script=$dir/sod.rc

sed "s/t_end .*/t_end 0.01/" "$root/scripts/sod.rc" >"$script"

# What a program sees of the wishes, as one line.
cat >"$dir/wishes" <<'END'
#!/bin/sh
echo "messages=$MASTERMIND_RECORD_MESSAGES mpi_time=$MASTERMIND_RECORD_MPI_TIME"
END
# The same of a child of ccafe, if the wishes are for ccafe itself.
cat >"$dir/child" <<'END'
#!/bin/sh
[ "$(cat "/proc/${MASTERMIND_RECORD:-none}/comm" 2>/dev/null)" = ccafe ] && exec "${0%child}wishes"
echo none
END
printf '#!ccaffeine bootstrap file.\nshell %s\nquit\n' "$dir/child" >"$dir/child.rc"
chmod +x "$dir/wishes" "$dir/child"

# One line, status 2, and nothing has run: refused WORDS OPTION...
refused() {
    local words=$1
    shift
    for program in "ccafe $* $script" "mastermind record $* -- touch ran"; do
        # shellcheck disable=SC2086
        expect 2 "$words" $program
        [ "$(wc -l <err)" = 1 ] && [ ! -s out ] || fail "$program: not one line"
        holds err ": found '"
        holds err ", expected "
    done
    [ ! -e ran ] || fail "$*: the program has run"
}

wrong_words() {
    refused "found 'P-2', expected a threshold" --messages P-2
    refused "found 'FREK' in 'P-0.1-FREK', expected OFF, STAT, FREQ or WRITE; did you mean 'FREQ'?" \
        --messages P-0.1-FREK
    refused "found 'C-0.5', expected a whole number" --messages C-0.5
    refused "found 'T-nan', expected seconds" --messages T-nan
    refused "found 'vai=batch' in 'on,vai=batch'" --messages on,vai=batch
    refused "found 'budget=1' in 'C-8,budget=1'" --messages C-8,budget=1
    refused "messages: found ''" --messages=
    refused "mpi-time: found 'maybe', expected on or off" --mpi-time maybe
    refused "mpi-time: found ''" --mpi-time=
    expect 2 "found 'P-2'" ccafe check --messages P-2 "$script"
    expect 2 "--messages' needs a value" ccafe --messages
    expect 2 "no launcher of MPI" mastermind record --messages on -- touch ran
    expect 2 "found --mpi none" mastermind record --messages on --mpi none -- touch ran
    [ ! -e ran ] || fail "the program has run"
}

# Ranks complain once.
once() {
    for program in "ccafe --messages P-2 $script" "mastermind record --messages P-2 -- touch ran"; do
        # shellcheck disable=SC2086
        ranks 2 2 $program
        [ "$(grep -c "found 'P-2', expected" err)" = 1 ] || fail "$flavour: $program: not told once"
    done
    [ ! -e ran ] || fail "$flavour: the program has run"
}

# The program has the word as it was given; what an outer run was asked for is not handed on.
passed_by_record() {
    export MASTERMIND_RECORD_MESSAGES=C-9 MASTERMIND_RECORD_MPI_TIME=off
    run 0 mastermind record --mpi "$flavour" --messages on,seed=4 --mpi-time on -- "$dir/wishes"
    says "messages=on,seed=4 mpi_time=on"
    run 0 mastermind record --mpi "$flavour" -- "$dir/wishes"
    says "messages= mpi_time="
    run 0 mastermind record --messages off --mpi-time off -- "$dir/wishes"
    says "messages=off mpi_time=off"
    unset MASTERMIND_RECORD_MESSAGES MASTERMIND_RECORD_MPI_TIME
}

passed_by_ccafe() {
    ranks 0 1 ccafe --allow-shell --messages T-0.5-STAT --mpi-time off "$dir/child.rc"
    says "messages=T-0.5-STAT mpi_time=off"
    ranks 0 1 ccafe --allow-shell --messages off "$dir/child.rc"
    says none
    ranks 0 1 ccafe --allow-shell "$dir/child.rc"
    says none
}

# The experiment's opinion: member PATH of experiment.json
member() { python3 -c 'import json, sys; print(eval("json.load(open(sys.argv[1]))" + sys.argv[2]))' "$1/experiment.json" "$2"; }

# untimed EXPERIMENT: MPI_TIME is missing, with its reason, and no rank keeps calls of MPI
untimed() {
    equal "$1: mpi_time" False "$(member "$1" '["mpi_time"]')"
    expect 3 "'MPI_TIME' was not measured: switched off by --mpi-time" mastermind report --metric MPI_TIME "$1"
    equal "$1: timers" "" "$(member "$1" '.get("timers", "")')"
    # shellcheck disable=SC2012
    equal "$1: files of calls" 0 "$(ls "$1"/rank-*/mpi.calls 2>/dev/null | wc -l)"
}

# ccafe without --measure: no proxy, but an experiment of all ranks, by default SCRIPT-N.mm.
unmeasured() {
    ranks 0 2 ccafe --messages P-0.01-FREQ "$script"
    [ -d sod-1.mm/rank-0001 ] || fail "$flavour: no experiment sod-1.mm of two ranks"
    equal "methods" "[]" "$(member sod-1.mm '["measured"]')"
    equal "mpi_time" True "$(member sod-1.mm '["mpi_time"]')"
    grep -q "no component uses" err && fail "$flavour: the options are used"
    expect 0 "MPI_Waitsome()" mastermind report sod-1.mm
    ranks 0 2 ccafe --messages on --mpi-time off -o untimed.mm "$script"
    untimed untimed.mm
    ranks 0 2 ccafe --messages off "$script"
    [ ! -e sod-2.mm ] || fail "$flavour: 'off' has left an experiment"
}

measured() {
    ranks 0 2 ccafe --measure --messages on --mpi-time off -o measured.mm "$script"
    untimed measured.mm
    expect 0 "rk2.integrator" mastermind report measured.mm
    can_preload || return
    ranks 0 2 mastermind record --mpi-time off -o recorded.mm -- "$O/programs/$flavour/multigrid" --n 8 --nz 4 --solves 1
    untimed recorded.mm
}

# Without a launcher there is no MPI: a line tells it, and the run goes on.
alone() {
    expect 0 "no launcher of MPI has started this process: --messages samples none" ccafe --messages on -o alone.mm "$script"
    [ -d alone.mm/rank-0000 ] || fail "no experiment of a run alone"
}

each_flavour() {
    once
    passed_by_record
    passed_by_ccafe
    unmeasured
    measured
}

wrong_words
alone
under_each each_flavour "words of --messages"
