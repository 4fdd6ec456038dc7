#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Check the rows of stages: rank 1 waited 40 ms in one class, and the classes make up the time inside MPI.

    check_split.py ROWS.csv STAGES"""
import csv
import sys

CLASSES = ["RECV"] * 4 + ["SEND"] * 2 + ["SYNC"] * 2 + ["COLL"] * 2 + ["CTL", None] + ["RECV"] * 2
NAMES = ("RECV", "SEND", "SYNC", "COLL", "CTL")
rows = [r for r in csv.DictReader(open(sys.argv[1])) if r["method"] == "stage"]
faults = []
for rank in (0, 1):
    own = sorted((r for r in rows if int(r["rank"]) == rank), key=lambda r: int(r["start_ns"]))
    if len(own) != int(sys.argv[2]):
        sys.exit(f"rank {rank}: {len(own)} rows")
    for which, row in enumerate(own):
        times = {n: int(row[f"c.MPI_{n}_TIME"]) for n in NAMES}
        mpi, rest = int(row["mpi_ns"]), int(row["mpi_ns"]) - sum(times.values())
        expected = CLASSES[which]
        if rest < 0 or (expected and rest):
            faults.append(f"stage {which}, rank {rank}: {times} of {mpi} ns in MPI")
        if rank == 1:
            waited = times[expected] if expected else rest
            # Open MPI opens a file on a communicator of its own, which it makes inside MPI_File_open.
            if waited < 35e6 or mpi - waited > 4e6:
                faults.append(f"stage {which}: {waited / 1e6:.1f} ms in {expected or 'I/O'} of {mpi / 1e6:.1f} ms: {times}")
print("\n".join(faults) or f"{len(rows)} rows")
sys.exit(bool(faults))
