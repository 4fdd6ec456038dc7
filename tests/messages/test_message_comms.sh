#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Sampling from MPI_Init to MPI_Finalize: both ends know each communicator by one id, however it was made;
# MPI_Finalize brings all halves together; where ranks disagree none samples; a rank that is killed leaves
# files that can be read, and nothing else; clocks that differ are found.
# lane: waits, for launchers
. "$(dirname "$0")/../lib/mpi.sh"
skip_sanitized "MPI leaks, and a sanitizer's run-time is in the way of preloading"
checker=$root/tests/messages/comms_truth.py

# record N WORD PROGRAM...: under the flavour
record() {
    local n=$1 word=$2
    shift 2
    rm -rf run.mm comms.truth.*
    ranks 0 "$n" mastermind record --messages "$word" -o run.mm -- "$@"
}

# sum COUNT: over the heads of all ranks. Names and places: enum mm_messages_count.
sum() {
    python3 - "$@" <<'END'
import glob, struct, sys
names = {"SENT": 0, "RECEIVED": 1, "SAMPLED": 2, "JOINED": 4, "FOREIGN": 10, "HALF": 11, "SUSPECT": 14}
print(*(sum(struct.unpack_from("<Q", open(p, "rb").read(), 472 + 8 * names[n])[0]
            for p in glob.glob("run.mm/rank-*/messages")) for n in sys.argv[1:]))
END
}

communicators() {
    local program=$O/programs/$flavour/comms
    record 4 P-1-OFF,via=files "$program"
    python3 "$checker" run.mm comms.truth.? >found || fail "$flavour: $(cat found)"
    [ "$flavour" = openmpi ] || return 0 # MPICH over UCX makes no ports and no processes
    record 4 P-1-OFF,via=files "$program" --meet
    python3 "$checker" run.mm comms.truth.? >found || fail "$flavour, connect: $(cat found)"
    record 2 P-1-OFF,via=files "$program" --spawn
    python3 "$checker" run.mm comms.truth.? --foreign >found || fail "$flavour, spawn: $(cat found)"
    record 2 P-1-OFF "$program" --spawn
    # 2 children: 1 message to know each other and 3 more from each of us to each, on two communicators.
    [ "$(sum FOREIGN)" = 32 ] || fail "$flavour: $(sum FOREIGN) messages to another job, expected 32"
}

drained() {
    local via
    for via in batch slots; do
        turn || continue
        record 2 P-1-FREQ,via=$via ./ring 3000
        [ "$(sum SENT RECEIVED SAMPLED JOINED HALF)" = "6000 6000 6000 6000 0" ] ||
            fail "$flavour, $via: $(sum SENT RECEIVED SAMPLED JOINED HALF), expected 6000 6000 6000 6000 0"
    done
}

# One asks for other things than the other: no file of messages, one line, and the program goes on.
disagreed() {
    local other
    for other in P-0.2 off; do
        turn || continue
        rm -rf run.mm
        ranks 0 2 "$dir/each" "[ \$RANK = 0 ] && word=P-0.1 || word=$other
            exec mastermind record --messages \$word -o run.mm -- ./ring 10"
        [ "$(grep -c "messages are not sampled" err)" = 1 ] || fail "$flavour: not one line"
        [ -z "$(ls run.mm/rank-*/messages 2>/dev/null)" ] || fail "$flavour: there are files of messages"
        mastermind messages run.mm >out 2>why && fail "$flavour: messages of a run without any"
        grep -q "run.mm: messages were not sampled: ra" why || fail "$flavour: $(cat why)"
    done
}

cat >"$dir/ring.c" <<'END'
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
/* ring ROUNDS [PAUSE_US [VICTIM]]: messages to the next rank; then one kills itself */
int main(int count, char **arguments)
{
    int rank, size, rounds = atoi(arguments[1]), victim = count > 3 ? atoi(arguments[3]) : -1;
    struct timespec pause = {0, count > 2 ? 1000L * atoi(arguments[2]) : 0};

    MPI_Init(&count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < rounds; i++) {
        int in;

        MPI_Sendrecv(&i, 1, MPI_INT, (rank + 1) % size, 3, &in, 1, MPI_INT, (rank + size - 1) % size, 3,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (pause.tv_nsec)
            nanosleep(&pause, NULL);
    }
    if (victim >= 0) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == victim)
            raise(SIGKILL);
        for (;;)
            MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
END

killed() {
    local via before left name
    for via in batch slots files; do
        turn || continue
        rm -rf run.mm
        before=$(ls /dev/shm)
        ranks bad 2 mastermind record --messages P-0.5-FREQ,via=$via -o run.mm -- ./ring 500 0 1
        python3 - <<'END' || fail "$flavour, $via"
import struct
for rank in range(2):
    data = open(f"run.mm/rank-{rank:04}/messages", "rb").read()
    assert data[:8] == b"MMMSGS\0\1" and data[8:16] == b"MSGSLIVE", (rank, data[:16])
    at, counts = 4096, {}
    while at + 64 <= len(data):
        kind, size, _, count, length = struct.unpack_from("<4IQ", data, at)
        if not kind:
            break
        for i in range(count if kind == 4 else 0):
            _, peer, tag, side, _, _, n, sent, *_ = struct.unpack_from("<Q2i2I5Q", data, at + 64 + i * size)
            if tag == 3:
                counts[peer, side] = n, sent
        at += length
    assert counts == {(1 - rank, 0): (500, 2000), (1 - rank, 1): (500, 0)}, (rank, counts)
END
        # Open MPI leaves its own. What others have there at the moment goes within seconds.
        left=$(ls /dev/shm | grep -v vader | grep -vxF "$before")
        for name in $left; do
            timeout 30 sh -c 'while [ -e "$1" ]; do sleep .1; done' - "/dev/shm/$name" ||
                fail "$flavour, $via: left in /dev/shm: $name"
        done
    done
}

# The other clock's drift is found, and no latency contradicts the bounds.
clocks() {
    rm -rf run.mm
    ranks 0 2 "$dir/each" "[ \$RANK = 0 ] || export MM_CLOCK_SHIFT=123000000,80
        exec mastermind record --messages P-1-FREQ -o run.mm -- ./ring 300 1000"
    [ "$(sum JOINED SUSPECT)" = "600 0" ] || fail "$flavour: joined, suspect: $(sum JOINED SUSPECT), expected 600 0"
    python3 - <<'END' || fail "$flavour: clocks"
import struct
heads = [open(f"run.mm/rank-{r:04}/messages", "rb").read(4096) for r in range(2)]
scale = [struct.unpack_from("<d", h, 432)[0] for h in heads]
points = []
for h in heads:
    count, = struct.unpack_from("<I", h, 348)
    assert count == 2, count
    points.append([struct.unpack_from("<Qdd", h, 728 + 24 * i) for i in range(count)])
assert all(p[1] == p[2] == 0 for p in points[0]), points[0]
a, b = points[1]
length = (b[0] - a[0]) * scale[1]
drift = (b[1] - a[1]) / length
bound = (a[2] + b[2]) / length + 5e-6  # two scales, each found in some ms before MPI_Init
assert abs(drift + 80e-6) <= bound, (drift, bound)
assert a[2] < 1e8 and 0.2e9 < length < 60e9, (a, length)
END
}

# A budget that nothing can keep: senders lower the threshold, and what they still send joins.
budget() {
    record 2 P-1-FREQ,budget=0.001 ./ring 30000 0
    python3 - <<'END' || fail "$flavour: budget"
import struct
for rank in range(2):
    head = open(f"run.mm/rank-{rank:04}/messages", "rb").read(4096)
    p, = struct.unpack_from("<d", head, 464)
    counts = struct.unpack_from("<32Q", head, 472)
    assert p < 1 and counts[0] == 30000 and 0 < counts[2] < 30000, (rank, p, counts)
END
    [ "$(sum SAMPLED HALF)" = "$(sum JOINED) 0" ] || fail "$flavour, budget: $(sum SAMPLED JOINED HALF)"
}

in_flavour() {
    "mpicc.$flavour" -O1 -o ring "$dir/ring.c" 2>log || fail "$flavour: $(cat log)"
    communicators
    drained
    budget
    disagreed
    killed
    clocks
}
under_each in_flavour "communicators, the end, disagreement, kills and clocks of sampled messages"
