#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The outcome of a run on ranks: the time of the rank that took longest, and its parts, as forecasts count them.
. "$(dirname "$0")/../lib/mpi.sh"
flavour=$(echo $flavours | sed 's/ .*//')
launcher="$root/tests/lib/mpirun.sh $flavour %n"
# As many patches on each rank, so that it is the same which takes longest.
fixed=(-D NY=8 -D PATCH=8 -D T_END=.02 -D PICTURE=p.png -D FLUX=EFMFlux)
run 0 mastermind sweep -D NX=16,32 --ranks 2 --launcher "$launcher" --repeat 1 -o s -- \
    ccafe "${fixed[@]}" --metrics=MPI_TIME "$root/scripts/shock-demo.rc"
run 0 mastermind predict s --set NX=32 --ranks 2 --ledger L
ranks 0 2 ccafe --measure --metrics=MPI_TIME --experiment run.mm -D NX=32 "${fixed[@]}" "$root/scripts/shock-demo.rc"
run 0 mastermind predict s --against run.mm --ledger L --json
fits predict out
python3 - <<'END_PYTHON' || fail "what the run took by the ledger and by predict --against"
import json
against = json.load(open("out"))["against"]
statement, outcome = [json.loads(line) for line in open("L")][:2]
found = {q["name"]: q["value"] for q in outcome["quantities"]}
asked = {q["name"]: q["value"] for q in statement["quantities"]}
assert statement["total"] == outcome["total"] == "longest rank"
assert abs(outcome["value"] / 1e9 / against["measured_s"] - 1) < 1e-9
for part in "transfer", "waiting":
    assert abs(found[part] / 1e9 - against[part + "_s"]) < 1e-9
assert abs(sum(found[part] for part in ("compute", "transfer", "waiting")) / outcome["value"] - 1) < 1e-9
for name in asked: # the size was measured: its counts are exact, and of one rank
    if name.startswith("calls of "):
        assert found[name] == asked[name], name
END_PYTHON
run 0 mastermind ledger L
holds out "calls right (1)"
finish
