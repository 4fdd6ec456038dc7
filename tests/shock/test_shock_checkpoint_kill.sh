#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs that write checkpoints are killed, or their calls on files fail, at one call after the other:
# the folder always holds a whole checkpoint, and a run goes on from it as if nothing had happened.
. "$(dirname "$0")/../lib/lib.sh"
. "$root/tests/lib/checkpoint.sh"
skip_sanitized "libfault.so cannot be preloaded with a sanitizer"
checkpoint_script ck.rc
export NX=16 NY=4 LEVELS=2 PATCH=8

# ck STATUS STEPS EVERY RESTART [COMMAND...]: a run that writes to the folder `now`; the status is a
# pattern
ck() {
    local want=$1
    export STEPS=$2 EVERY=$3 RESTART=$4 DIR=now
    shift 4
    rm -f report
    { "$@" ccafe ck.rc >out 2>err; } 2>/dev/null
    status=$?
    case $status in $want) ;; *) fail "$*: status $status, expected $want" ;; esac
}

# faulty KIND MODE AT [ERRNO]: the environment in which a call of Checkpoint fails
faulty() {
    echo "LD_PRELOAD=$O/tests/faults/libfault.so FAULT_ONLY=/Checkpoint.so FAULT_REPORT=$dir/report" \
        "FAULT_KIND=$1 FAULT_MODE=$2 FAULT_AT=$3 FAULT_ERRNO=${4:-5}"
}

# goes_on: from what is in `now`, to the end of the run that nothing disturbed
goes_on() {
    ck 0 6 0 now
    [ "$(tail -n 5 out)" = "$whole" ] || fail "$1: another end"
}

ck 0 6 0 ''
whole=$(tail -n 5 out)
ck 0 1 1 ''
mv now first

# What a run does that reads the checkpoint of step 1 and writes those of steps 2, 3 and 4.
calls() {
    cp -r first now
    ck 0 4 1 now env $(faulty "$1" once 0)
    python3 -c 'import struct; print(struct.unpack("QQ", open("report", "rb").read())[0])'
    rm -rf now
}
io=$(calls io) memory=$(calls memory)
[ "$io" -gt 60 ] && [ "$memory" -gt 10 ] || fail "calls: $io on files, $memory of malloc"
every=${SOAK:+1}

# Killed at a call, which was done by half.
for ((at = 1; at <= io; at += ${every:-4})); do
    cp -r first now
    ck 137 4 1 now env $(faulty io killed $at)
    goes_on "killed at call $at"
    rm -rf now
done

# A call fails, or all from there on: a message with the name of a file, or no harm.
for ((at = 2; at <= io; at += ${every:-6})); do
    for mode in once always; do
        cp -r first now
        ck '[04]' 4 1 now env $(faulty io $mode $at 28)
        if [ "$status" = 4 ]; then
            [ "$(wc -l <err)" = 1 ] && grep -q "'now.*No space left on device$" err || fail "call $at, $mode"
        fi
        [ "$(ls now | wc -l)" -le 4 ] || fail "call $at, $mode: $(ls now)"
        goes_on "$mode, call $at"
        rm -rf now
    done
done
for ((at = 1; at <= memory; at += ${every:-5})); do
    cp -r first now
    ck '[04]' 4 1 now env $(faulty memory once $at)
    [ "$status" = 0 ] || { [ "$(wc -l <err)" = 1 ] && grep -qi 'memory' err; } || fail "malloc $at"
    goes_on "malloc $at"
    rm -rf now
done

# Reads and writes that come short, or are interrupted.
for mode in short interrupted; do
    for ((at = 1; at <= io; at += ${every:-9})); do
        cp -r first now
        ck 0 4 1 now env $(faulty io $mode $at)
        goes_on "$mode, call $at"
        rm -rf now
    done
done

# Files that may not become as large.
cp -r first now
ck 4 4 1 now bash -c 'trap "" XFSZ; ulimit -f 1; exec "$@"' bash
grep -q "'now/values-000002-0000': File too large$" err || fail "no room"
[ "$(ls now | tr '\n' ' ')" = "index values-000001-0000 " ] || fail "no room: $(ls now)"
goes_on "no room"
finish "$io calls on files: all as expected"
