#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Checkpoints on ranks: a run goes on, bit for bit, on another number of them; what one rank cannot
# write or read ends all; a rank that is killed while it writes leaves the last checkpoint.
# lane: waits, for launchers
. "$(dirname "$0")/../lib/mpi.sh"
. "$root/tests/lib/checkpoint.sh"
checkpoint_script ck.rc
export NX=32 NY=8 LEVELS=3 PATCH=8 BALANCE=every:3 RESTART='' DIR=whole EVERY=100 STEPS=10

shown() { python3 "$root/tests/lib/checkpoint_file.py" "$@"; }

for patch in 8 6; do
    PATCH=$patch DIR=whole-$patch ccafe ck.rc >whole-$patch.out || fail "alone, PATCH=$patch"
    shown whole-$patch >whole-$patch.shown
    shown whole-$patch --without-patches >whole-$patch.cells
done
grep -q '^cells 2 ' whole-8.shown || fail "no third level: $(cat whole-8.shown)"
cmp -s whole-8.cells whole-6.cells || fail "cut patches, other cells"
# The uniform mesh, where patches are cut by a parameter.
checkpoint_script uniform.rc shock.rc
sed -i -e 's/config patch_n\([xy]\) .*/config patch_n\1 $PATCH/' -e 's/nx       256/nx $NX/' -e 's/ny       64/ny $NY/' uniform.rc
DIR=uniform ccafe uniform.rc >/dev/null || fail "alone, uniform"
shown uniform --without-patches >uniform.cells
STEPS=5 DIR=alone ccafe ck.rc >/dev/null || fail "alone, 5 steps"

# go_on STATUS RANKS FROM DIR [COMMAND...]: from the checkpoint FROM
go_on() {
    export RESTART=$3 DIR=$4
    local status=$1 n=$2
    shift 4
    ranks "$status" "$n" "$@" ccafe ck.rc
}

# ends_whole DIR PATCH NAME: as the run that never stopped
ends_whole() {
    shown "$1" >shown
    cmp -s "../whole-$2.shown" shown || fail "$flavour: $3: $(diff "../whole-$2.shown" shown)"
    grep -v '^checkpoint' out >line
    cmp -s "../whole-$2.out" line || fail "$flavour: $3: $(diff "../whole-$2.out" line)"
}

# one_line TEXT NAME: the ranks print one line, which has the text
one_line() {
    [ "$(grep -c 'go. of' err)" = 1 ] && grep -q -- "$1" err || fail "$flavour: $2: $(cat err)"
}

checkpoints() {
    cp ../*.rc .
    cp -r ../alone .
    # From one rank to three, from three to two, and with other patches.
    go_on 0 3 alone three
    ends_whole three 8 "from 1 to 3 ranks"
    STEPS=5 go_on 0 3 '' five
    cp -r five kept
    go_on 0 2 five five
    ends_whole five 8 "from 3 to 2 ranks"
    turn && {
        PATCH=6 go_on 0 4 kept six
        ends_whole six 6 "other patches"
    }
    [ "$(ls five | tr '\n' ' ')" = "index values-000002-0000 values-000002-0001 " ] || fail "$flavour: $(ls five)"

    turn && {
        STEPS=5 PATCH=7 RESTART='' DIR=uniform ranks 0 3 ccafe uniform.rc
        RESTART=uniform DIR=uniform ranks 0 2 ccafe uniform.rc
        shown uniform --without-patches | cmp -s - ../uniform.cells || fail "$flavour: the uniform mesh"
    }

    # Bytes of each rank are in the rows.
    RESTART=kept DIR=measured ranks 0 2 ccafe --measure --experiment run.mm ck.rc
    mastermind records --csv run.mm >records.csv || fail "records"
    wc -c measured/values-* | grep -v total >sizes
    python3 - <<'PY' || fail "$flavour: rows of the checkpoint: $(cat sizes)"
import csv
rows = [r for r in csv.DictReader(open("records.csv")) if r["instance"] == "checkpoint"]
written = sorted((int(r["rank"]), int(r["o.bytes"])) for r in rows if r["method"] == "write")
assert written == list(enumerate(int(line.split()[0]) for line in open("sizes"))), written
assert len([r for r in rows if r["method"] == "read" and int(r["o.bytes"]) > 0]) == 2
PY

    # A file is missing, or damaged at its end, which one rank reads.
    cp -r kept bad
    rm bad/values-000001-0001
    turn && {
        go_on 4 2 bad three
        one_line "cannot open 'bad/values-000001-0001': No such file or directory$" "missing"
    }
    cp kept/values-000001-0001 bad
    printf x | dd of=bad/values-000001-0002 bs=1 seek=$(($(stat -c %s bad/values-000001-0002) - 20)) conv=notrunc 2>dd.err
    turn && {
        go_on 4 3 bad three
        one_line "'bad/values-000001-0002': found checksum" "damaged"
    }
    shown three >shown
    cmp -s ../whole-8.shown shown || fail "$flavour: the folder that was not read has changed"

    # One rank cannot write, or is killed.
    [ "$BUILD" != asan ] || return
    for rank in 1 ${SOAK:+0 2}; do
        for at in $((9 - rank)) ${SOAK:+3 6 12 14}; do
            export WHO=$rank WHAT="LD_PRELOAD=$O/tests/faults/libfault.so FAULT_ONLY=/Checkpoint.so FAULT_KIND=io FAULT_AT=$at"
            rm -rf now && cp -r kept now
            turn && {
                RESTART='' DIR=now EVERY=1 ranks 4 3 "$dir/each" \
                    'if [ $RANK = $WHO ]; then export $WHAT FAULT_MODE=always FAULT_ERRNO=28; fi; exec ccafe ck.rc'
                one_line "'now.*No space left on device$" "rank $rank cannot write, call $at"
                go_on 0 2 now now
                ends_whole now 8 "after rank $rank could not write, call $at"
            }
            turn || continue
            rm -rf now && cp -r kept now
            RESTART='' DIR=now EVERY=1 ranks bad 3 "$dir/each" \
                'if [ $RANK = $WHO ]; then export $WHAT FAULT_MODE=killed; fi; exec ccafe ck.rc'
            go_on 0 2 now now
            ends_whole now 8 "after rank $rank was killed, call $at"
        done
    done
}
under_each checkpoints "checkpoints on ranks"
