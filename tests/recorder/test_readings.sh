#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Evidence of the host: experiments recorded before there were readings read as they did, and calls under
# mastermind record tell whether they have waited.
. "$(dirname "$0")/../lib/lib.sh"

# --- Experiments of the recorder without readings: one finished, one killed, and what was read then
tar xzf "$root/tests/data/experiments/format-1.tar.gz" || fail "no old experiments"
for name in finished killed; do
    run 0 mastermind records format-1/$name.mm
    sed '1s/$/,lost_ns,waited,host_ns,host_exclusive_ns,wait_ns,wait_exclusive_ns/; 1!s/$/,,,,,,/' format-1/$name.csv | diff - out || fail "$name: other rows than before"
    diff format-1/$name.err err || fail "$name: other notes than before"
    mastermind records format-1/$name.mm --jsonl | grep -q lost_ns && fail "$name: evidence from nowhere"
    expect 0 "i.p.m" mastermind report format-1/$name.mm
done
# A flipped bit in them is found as it was.
printf '\377' | dd of=format-1/finished.mm/rank-0000/thread-000.seg bs=1 seek=700 conv=notrunc 2> dd.err
expect 3 "found a block that does not fit its check" mastermind records format-1/finished.mm

# --- Under mastermind record: its own readings call the very functions that are recorded here
cat > waits.c << 'END'
#include <poll.h>
#include <sys/resource.h>
#include <time.h>

int main(void)
{
    struct rusage use;
    struct timespec t;

    for (int i = 0; i < 5; i++) {
        poll(0, 0, 3);
        nanosleep(&(struct timespec){0, 3000000}, 0);
        getrusage(RUSAGE_SELF, &use);
        clock_gettime(CLOCK_MONOTONIC, &t);
    }
    return 0;
}
END
if [ "$BUILD" != asan ] && [ "$BUILD" != tsan ]; then
    $CC -O1 -o waits waits.c || fail "no program"
    proxies=()
    for pair in time.h:nanosleep,clock_gettime poll.h:poll sys/resource.h:getrusage; do
        header=$(echo "#include <${pair%%:*}>" | $CC -E - | sed -n 's/^# 1 "\(\/[^"]*\/'"$(basename "${pair%%:*}")"'\)".*/\1/p' | head -n 1)
        proxygen --interpose "$header" --functions "${pair##*:}" -o "$(basename "$header" .h).proxy" 2> said ||
            fail "$pair: $(cat said)"
        proxies+=(--proxy "$(basename "$header" .h).proxy")
    done
    expect 0 " 20 rows, 0 dropped" mastermind record "${proxies[@]}" -o waits.mm -- ./waits
    mastermind records waits.mm > rows.csv
    python3 - << 'END' || fail "rows of waits"
import csv
rows = list(csv.DictReader(open("rows.csv")))
for row in rows:
    wall, lost, waits = int(row["wall_ns"]), int(row["lost_ns"]), row["method"] in ("poll", "nanosleep")
    assert 0 <= lost <= wall, row
    assert not waits or (row["waited"] == "1" and lost > .6 * wall), row
    assert waits or wall >= 1000000 or (row["waited"], lost) == ("0", 0), row
assert len(rows) == 20
END
fi
finish
