#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# activity calibrate writes a machine file that is read back: what is in it is positive and adds up to the round trip that
# was measured; what cannot be measured is said.
. "$(dirname "$0")/../lib/lib.sh"
cat >trip.act <<'END'
model trip
activity Main {
  if pid == 0 {
    send A to 1 bytes 1
    recv B from 1
  } else {
    recv C from 0
    send D to 0 bytes 1
  }
}
END
flavour=
for f in openmpi mpich; do
    [ -x "$O/libexec/mastermind/activity-ping_$f" ] && command -v "mpirun.$f" >/dev/null && flavour=$f
done
if [ -n "$flavour" ] && [ "$BUILD" = release ]; then
    run 0 activity calibrate --mpi "$flavour" -o here.ini
    run 0 activity run trip.act --machine here.ini --config N1P2 --json
    python3 - "$(nproc)" <<'END' || { cat here.ini; fail "the machine file"; }
import json, re, sys
text = open("here.ini").read()
measured = {m[1]: [float(x) for x in m[2:]] for m in (re.match(r"# (\w+) +(\S+) \(half of the rounds (\S+) to (\S+)\)", l) for l in text.split("\n")) if m for m in [[m[0], m[1], m[2], m[3], m[4]]]}
values, section = {}, None
for line in text.split("\n"):
    if line.startswith("["): section = line[1:-1]
    elif "=" in line and not line.startswith("#"):
        key, value = line.split(" = ")
        values[section, key] = value
assert values["node", "cores"] == sys.argv[1]
assert 1e8 < float(values["node", "memory"]) < 1e13
for key in ("send", "receive", "byte"):
    assert 0 < float(values["inside", key]) < 1, key
assert 256 <= int(values["inside", "eager"]) <= 1 << 22
half = measured["half"][0]
trip = json.load(open("out"))["runs"][0]["total_s"]
assert abs(trip - 2 * half) <= 1e-3 * half, (trip, half)
for name, (value, low, high) in measured.items():
    assert low <= value <= high or name == "memory", name
END
    holds here.ini "# between nodes: not measured, this is one node"
fi

# --- Without MPI: usual values, and why
mkdir bin
for tool in sh; do ln -s "$(command -v $tool)" bin/; done
run 0 env PATH="$dir/bin" "$O/bin/activity" calibrate -o without.ini
holds err "activity: note: messages were not measured: no MPI that this program was built for, with its mpirun"
holds without.ini "# network: not measured: no MPI"
run 0 activity run trip.act --machine without.ini --config N1P2
holds out "trip   N1P2   0 s"
run 2 activity calibrate --mpi lam
run 2 activity calibrate more
run 5 env PATH="$dir/bin" "$O/bin/activity" calibrate -o no/such/folder.ini
finish
