#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# `mastermind pack`: what is packed reads as it was and unpacks to the same bytes; zstd's own program
# reads it; damaged files are refused with their names.
. "$(dirname "$0")/../lib/lib.sh"
grep -q 'without zstd' <(strings "$O/bin/mastermind" 2>/dev/null) && skip "this build is without zstd"

for mode in rows aggregates sample:10; do
    run 0 ccafe --measure --storage $mode --experiment ${mode%:*}.mm -D FLUX=EFMFlux -D NX=64 -D NY=16 -D PATCH=16 \
        -D T_END=1 -D PICTURE=x.png "$root/scripts/shock-demo.rc"
done
for name in rows aggregates sample; do
    cp -r $name.mm kept-$name.mm
    for verb in report model records "graph --json"; do
        mastermind $verb $name.mm >"before-${verb%% *}" 2>/dev/null
    done
    run 0 mastermind pack $name.mm
    [ -z "$(find $name.mm -name '*.seg' -o -name '*.agg')" ] || fail "$name: files were left"
    for verb in report model records "graph --json"; do
        mastermind $verb $name.mm 2>/dev/null | cmp - "before-${verb%% *}" || fail "$verb of packed $name"
    done
    run 0 mastermind pack $name.mm # nothing is left to do
    holds out '0 files'
    run 0 mastermind pack --unpack $name.mm
    diff -r $name.mm kept-$name.mm || fail "$name: unpacked is not what was packed"
done

# --- Bytes a row; zstd's own program
# A row that the host interrupted has words of its own; how many there are depends on the host.
run 0 mastermind pack rows.mm -o small.mm
mastermind records rows.mm >rows.csv
python3 - <<'P' ||
import csv, re
rows = list(csv.DictReader(open("rows.csv")))
share = sum(1 for r in rows if int(r["host_ns"] or 0) > 0) / len(rows)
found = float(re.search(r"([\d.]+) bytes a row", open("out").read()).group(1))
assert found <= 4.5 + 60 * share, (found, share)
P
    fail "bytes a row"
diff -r rows.mm kept-rows.mm || fail "-o changed the experiment"
packed=$(find small.mm -name '*.seg.zst')
if command -v zstd >/dev/null; then
    zstd -qdc "$packed" | cmp - rows.mm/rank-0000/thread-000.seg || fail "zstd -d"
    # what zstd packs is read, too
    cp -r rows.mm by-zstd.mm
    zstd -q --rm by-zstd.mm/rank-0000/thread-000.seg || fail "zstd"
    mastermind records by-zstd.mm | cmp - <(mastermind records rows.mm) || fail "packed by zstd"
fi

# --- Damage: nothing is read wrong
mastermind records rows.mm >truth
python3 - "$packed" <<'END' || fail "damaged files"
import os, random, subprocess, sys
random.seed(4)
path = sys.argv[1]
whole = open(path, "rb").read()
truth = open("truth", "rb").read()
cases = [whole[:n] for n in (0, 1, 4, 10, len(whole) // 2, len(whole) - 1)]
cases += [whole + b"x", whole + whole, b"\x28\xb5\x2f\xfd" + b"\xff" * 20]
# a frame that claims 2^50 bytes
cases += [b"\x28\xb5\x2f\xfd\xe4" + (1 << 50).to_bytes(8, "little") + whole[13:]]
for _ in range(60):
    flipped = bytearray(whole)
    flipped[random.randrange(len(whole))] ^= 1 << random.randrange(8)
    cases.append(bytes(flipped))
refused = 0
for case in cases:
    open(path, "wb").write(case)
    done = subprocess.run(["mastermind", "records", "small.mm"], capture_output=True)
    if done.returncode == 0:
        assert done.stdout == truth, "read wrong"
    else:
        assert done.returncode in (3, 5) and b"thread-000.seg" in done.stderr and done.stderr.count(b"\n") == 1, (done.returncode, done.stderr)
        refused += 1
assert refused >= len(cases) - 3, (refused, len(cases))
open(path, "wb").write(whole)
END
mastermind records small.mm | cmp - truth || fail "mended"

# --- A file that is there in both forms, a run that has not ended, wrong words
cp rows.mm/rank-0000/thread-000.seg small.mm/rank-0000/
echo broken >"$packed"
mastermind records small.mm | cmp - truth || fail "the plain file comes first"
cp -r rows.mm open.mm
sed -i 's/"finished": true/"finished": false/; s/^{"check": "[0-9a-f]*",/{/' open.mm/experiment.json
run 3 mastermind pack open.mm
holds err 'has not ended'
run 2 mastermind pack
run 2 mastermind pack --compression 20 rows.mm
run 2 mastermind pack rows.mm -o small.mm
run 2 mastermind pack rows.mm sample.mm -o other.mm
run 3 mastermind pack nothing.mm
finish
