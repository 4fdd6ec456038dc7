#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The programs whose messages are measured, and those that know the truth of theirs, plain: results are
# right, own counts are those that arithmetic gives, truth files agree with each other. Where a
# byte of their messages is changed on the way, each notices.
# lane: waits, for launchers
. "$(dirname "$0")/../lib/mpi.sh"
check=$root/tests/messages/check_records.py

# From the tenth on, messages have a byte changed.
cat >"$dir/changed.c" <<'END'
#include <mpi.h>
#include <stdlib.h>

static char *changed(const void *data, int count, MPI_Datatype type, MPI_Comm comm, int *size)
{
    static int calls;
    char *copy;
    int used = 0;

    PMPI_Pack_size(count, type, comm, size);
    copy = malloc(*size + 1);
    PMPI_Pack(data, count, type, copy, *size, &used, comm);
    *size = used;
    if (++calls >= 10 && used > 1)
        copy[used - 2] ^= 0x55;
    return copy; /* as long as the run */
}

int MPI_Send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    int size;
    char *copy;

    if (to == MPI_PROC_NULL)
        return MPI_SUCCESS;
    copy = changed(data, count, type, comm, &size);
    return PMPI_Send(copy, size, MPI_PACKED, to, tag, comm);
}

int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    int size;
    char *copy;

    if (to == MPI_PROC_NULL)
        return PMPI_Isend(data, count, type, to, tag, comm, request);
    copy = changed(data, count, type, comm, &size);
    return PMPI_Isend(copy, size, MPI_PACKED, to, tag, comm, request);
}
END

# own NAME MESSAGES BYTES: what the last program has counted, MESSAGES and BYTES being expressions
own() {
    python3 - "$1" "$2" "$3" <<'END' || fail "$flavour: counts of $1"
import sys
name, messages, size = sys.argv[1], *map(eval, sys.argv[2:])
pairs, sizes, total = {}, 0, None
for line in open("out"):
    words = line.split()
    if words[0] == "pair":
        pairs[int(words[1]), int(words[2])] = (int(words[4]), int(words[6]))
    elif words[0] == "size":
        sizes += int(words[4])
    elif words[0] == "total":
        total = int(words[2]), int(words[4])
assert f"{name}: verified" in open("out").read()
assert total == (sum(m for m, _ in pairs.values()), sum(b for _, b in pairs.values())), (total, pairs)
assert sizes == total[0]
assert total == (messages, size), (total, messages, size)
END
}

# A multigrid of 4 x 4 x 2 cells on 2 ranks. Exchanges of one V-cycle of a plane: 4 (two sweeps of two colours)
# and 1 (residual) of 4 cells, 6 (three sweeps) and 1 (interpolation) of 2. A cycle has 2 zebras over 2
# planes, 2 residuals, 2 zebras over the one plane below; a norm is 2 residuals: one before all
# cycles and one after each.
measured_multigrid() {
    local cycles
    ranks 0 2 "$bin/multigrid" --n 4 --nz 2 --count
    cycles=$(sed -n 's/^cycles //p' out)
    own multigrid "2 * ($cycles * (6 * 12 + 2) + 2 * ($cycles + 1))" \
        "2 * 8 * ($cycles * (6 * (5 * 4 + 7 * 2) + 2 * 4) + 2 * 4 * ($cycles + 1))"
    turn && ranks 0 2 "$bin/multigrid" --n 4 --nz 1 --testall
    turn && {
        ranks 2 2 "$bin/multigrid" --n 7
        holds err "multigrid: found --n 7, expected a multiple of 2 and 1"
    }
}

measured() {
    ranks 0 2 "$bin/ghost" --n 20 --steps 5 --count
    own ghost 10 "10 * 20 * 20 * 8"
    ranks 0 2 "$bin/wavefront" --n 12 --nz 10 --block 4 --angles 3 --sweeps 2 --count
    own wavefront "2 * 8 * 3" "2 * 8 * 10 * 12 * 3 * 8"
    ranks 0 2 "$bin/relax" --sweeps 40 --columns 5 --late 1 --count
    own relax 80 "80 * 5 * 8"
    turn && {
        ranks 2 2 "$bin/relax" --late x
        holds err "found 'x', expected --late with a number from 0 to 10000"
    }
    measured_multigrid
}

# truth PROGRAM WORDS...: on 2 ranks, storm on 3 where waiting does not take a core
truth() {
    local n=2
    [ "$flavour" = mpich ] || [ "${1##*/}" != storm ] || n=3
    rm -f truth.*
    ranks 0 $n "$@" --truth truth
    run 0 python3 "$check" truth
}

oracles() {
    truth "$bin/storm" "$seed"
    records
    turn && truth "$bin/storm" "$seed" --no-cancel --rounds 30
    turn && truth "$bin/storm" "$seed" --threads 2 --rounds 10
    turn && truth "$bin/storm" "$seed" --threads 2 --own-tags --rounds 10
    truth "$bin/storm" "$seed" --threads 2 --shared --rounds 10 --messages 20
    says "$((2 * 200 * $([ "$flavour" = mpich ] && echo 2 || echo 3))) messages, each sent and received once"
    turn && {
        ranks 2 2 "$bin/storm" "$seed" --colour
        holds err "found '--colour', expected storm SEED"
    }
    turn && truth "$bin/pairs_latency" --messages 500
    turn && truth "$bin/pairs_latency" --messages 500 --stream --size 2000
    truth "$bin/sleeps" "$seed" --messages 40 --most-us 300
    waits
}

# What sleeps has summed up is what its lines say.
waits() {
    cat truth.[0-9]* >lines
    cat truth.waits.* >sums
    python3 - <<'END' || fail "$flavour: sums of waits"
import collections
sent, sums = {}, collections.defaultdict(lambda: [0, 0, 0])
lines = [line.split() for line in open("lines")]
for w in lines:
    if w[0] == "S":
        sent[tuple(w[1:6])] = int(w[8])
for w in lines:
    if w[0] == "R":
        start, (post, enter, end) = sent[tuple(w[1:6])], map(int, w[8:11])
        s = sums[tuple(w[1:5])]
        s[0] += 1
        s[1] += max(0, min(start, end) - enter)
        s[2] += max(0, post - start) if int(w[6]) > 100000 else 0
found = {tuple(w[1:5]): list(map(int, w[5:8])) for w in map(str.split, open("sums"))}
assert found == sums, (found, dict(sums))
# Senders slept: somebody has waited.
assert sum(s[1] for s in sums.values()) > 0
END
}

# Records as the truth has them are right; each kind of mistake is found.
make_records() {
    cat truth.[0-9]* >lines
    python3 - <<'END' || fail "$flavour: making records"
import json
sent, rows = {}, []
lines = [line.split() for line in open("lines")]
for w in lines:
    if w[0] == "S":
        sent[tuple(w[1:6])] = (int(w[8]), w[10])
for w in lines:
    if w[0] == "R":
        start, site = sent[tuple(w[1:6])]
        label, src, dst, tag, k = map(int, w[1:6])
        rows.append({"comm": f"c{label // 100}", "from": src, "to": dst, "tag": tag, "k": k, "bytes": int(w[6]),
                     "latency_ns": int(w[10]) - start, "late_sender_ns": max(0, min(start, int(w[10])) - int(w[9])),
                     "send_ns": start - 10**12, "end_ns": int(w[10]) - 10**12,
                     "from_site": "f storm.c:1, " + site, "to_site": w[12]})
def write(name, changed):
    with open(name, "w") as file:
        for row in changed:
            print(json.dumps(row), file=file)
def change(name, **new):
    write(name, rows[:5] + [{**rows[5], **new}] + rows[6:])
write("right", rows)
write("few", rows[::7])
write("lost", rows[1:])
change("mispaired", latency_ns=rows[5]["latency_ns"] + 10**10)
change("early", latency_ns=-(10**9))
change("sent_early", send_ns=rows[5]["send_ns"] - 10**6)
change("received_late", end_ns=rows[5]["end_ns"] + 10**9)
change("extra", k=10**6)
change("wrong_size", bytes=rows[5]["bytes"] + 1)
change("wrong_site", from_site="f storm.c:1")
write("twice", rows + rows[:1])
write("wrong_comm", [{**r, "comm": r["comm"] + str(i % 2)} for i, r in enumerate(rows)])
with open("csv", "w") as file:
    print(",".join(rows[0]), file=file)
    for row in rows:
        print(",".join(f'"{value}"' for value in row.values()), file=file)
END
}

records() {
    local file kind
    make_records
    for file in right csv; do
        expect 0 "lost 0" python3 "$check" truth --records $file --all --within 0
        holds out "within 1.0"
    done
    run 0 python3 "$check" truth --records few
    for kind in lost mispaired extra wrong_size wrong_site wrong_comm; do
        turn || continue
        run 1 python3 "$check" truth --records $kind --all --json
        python3 -c "import json, sys; sys.exit(not json.load(open('out'))['$kind'])" || fail "$flavour: $kind is not found"
    done
    for kind in early sent_early received_late; do
        turn || continue
        expect 1 "mispaired" python3 "$check" truth --records $kind
    done
    expect 1 "extra 1" python3 "$check" truth --records twice
    sed -i 1d truth.0.0
    run 3 python3 "$check" truth
}

changed() {
    OMPI_CC=$CC MPICH_CC=$CC "mpicc.$flavour" -shared -fPIC -w -o changed.so "$dir/changed.c" >log 2>&1 || fail "$flavour: $(cat log)"
    for program in "ghost --n 20" "wavefront --n 12 --nz 24" "relax --sweeps 40" "multigrid --n 4 --nz 2 --cycles 8" \
        "storm $seed" "sleeps $seed --messages 40" "pairs_latency --messages 100 --size 100"; do
        turn || continue
        ranks 1 2 env LD_PRELOAD="$PWD/changed.so" $bin/$program
    done
}

fortran() {
    for program in storm_f storm_77; do
        [ -e "$bin/$program" ] || continue
        ranks 0 2 "$bin/$program"
        says "$program: verified"
    done
    equal "pairs of storm_77" "pair 0 1 messages 180 bytes 4560 pair 1 0 messages 360 bytes 6000 " "$(grep pair out | tr '\n' ' ')"
}

programs() {
    bin=$O/programs/$flavour
    seed=${FAULT_SEEDS:-1}
    measured
    oracles
    changed
    fortran
}
under_each programs "programs that send messages"
