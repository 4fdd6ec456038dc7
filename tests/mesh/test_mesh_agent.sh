#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# mesh-agent local and global under `mastermind record --cells`: profiles are what a program told; each of the
# program, the local and the global agent is killed and stopped, strangers call: whole steps stay readable and
# right, losses are told, the program goes on, and nothing is left in /dev/shm.
. "$(dirname "$0")/../lib/lib.sh"
needs_preload
unset MASTERMIND_RECORD_CELLS MM_MESH_SESSION MM_MESH_SLOTS OMPI_COMM_WORLD_RANK PMI_RANK PMIX_RANK
sanitize=
case $BUILD in asan) sanitize=-fsanitize=address,undefined ;; tsan) skip_sanitized "the recorder is preloaded" ;; esac
$CC -Wall -Wextra $sanitize -O1 -I"$root" "$root/tests/mesh/mesh_teller.c" "$O/lib/libmm_mesh.a" -lm -pthread \
    -o teller || fail "the program does not compile"
cleanup() {
    local pid
    for pid in $(agents ''); do kill -CONT "$pid" && kill -KILL "$pid"; done 2>/dev/null
    for name in $(left); do rm -f "/dev/shm/$name"; done
}
# agents WHAT: process ids of the agents of this test
agents() { pgrep -f "mesh-agent $1.*$dir/" | grep -vx $$; }
# left: names in shared memory of sessions that this test began
left() { for s in $(cat sessions 2>/dev/null); do ls -A /dev/shm | grep -e "mm_mesh-$(id -u)-$s-"; done; }
# until SECONDS COMMAND: it comes true
until_true() {
    local tries=$(($1 * 50))
    shift
    while ! "$@"; do
        [ $((tries -= 1)) -gt 0 ] || return 1
        sleep .02
    done
}
no_agents() { [ -z "$(agents '')" ]; }
none_left() { [ -z "$(left)" ]; }
both_serve() { [ -n "$(agents global)" ] && [ -n "$(agents local)" ] && [ -e "$1/mesh/field.cells" ]; }
told() { [ "$(cat "$1" 2>/dev/null | wc -l)" -ge "$2" ]; }

# begin NAME STEPS PAUSE_US [CELLS]: a run in the background, $program, told until its 20th step; the recorder becomes
# the program
begin() {
    mastermind record --cells "${4:-work}" -o "$dir/$1.mm" -- ./teller field "$2" "$3" >"$1.told" 2>"$1.err" </dev/null &
    program=$!
    until_true 20 told "$1.told" 20 || fail "$1: the program does not run"
    until_true 20 both_serve "$1.mm" || fail "$1: no agents"
    tr '\0' '\n' <"/proc/$program/environ" | sed -n 's/^MM_MESH_SESSION=//p' >>sessions
}
# over NAME STATUS: the run ends with it, soon; nothing is left
over() {
    wait $program 2>/dev/null
    local status=$?
    [ "$2" = any ] || [ $status = "$2" ] || fail "$1: status $status, expected $2: $(cat "$1.err")"
    until_true 10 none_left || fail "$1: left in /dev/shm: $(left)"
}
gone() { until_true 15 no_agents || fail "$1: agents stay: $(agents '')"; }

# holds_truth NAME LEAST [all]: the profile has at least so many whole steps, with values by the formula; `all`:
# those that are not there are told as lost
cat >truth.py <<'PY'
import csv, io, json, subprocess, sys
experiment, least, eps = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
def mesh(*words):
    return subprocess.run(["mastermind", "mesh", experiment, *words], capture_output=True, text=True, check=True).stdout
steps = {}
for row in csv.DictReader(io.StringIO(mesh("--probe", "work", "--csv"))):
    steps.setdefault(int(row["step"]), {})[int(row["i"]), int(row["j"]), int(row["k"])] = float(row["work"])
assert len(steps) >= least, (len(steps), least)
for step, cells in steps.items():
    assert len(cells) == 240, (step, len(cells))
    for (i, j, k), value in cells.items():
        told = (step * 31 + ((i * 6 + j) * 5 + k) * 7) % 1009 + .25
        assert abs(value - told) <= eps, (step, i, j, k, value, told)
if len(sys.argv) > 4:
    lost = sum(e["count"] for e in json.loads(mesh("--json"))["lost"])
    assert len(steps) + lost == int(sys.argv[4]), (len(steps), lost, sys.argv[4])
print(len(steps), "steps")
PY
holds_truth() {
    local name=$1
    shift
    python3 truth.py "$name.mm" "$@" >said 2>&1 || fail "$name: $(cat said)"
}
notes() { mastermind mesh "$1.mm" | grep -q "$2" || fail "$1: no note of '$2': $(mastermind mesh "$1.mm" | grep -A3 ^notes)"; }

# --- Two programs at once on a node, one with a bound on errors; every step is there or told as lost
begin plain 300 2000
one=$program
begin bounded 300 2000 work:eps=.3
over bounded 0
wait $one || fail "plain: status $?"
holds_truth plain 10 0 300
holds_truth bounded 10 .3 300
gone plain
equal "files of a profile" "field.cells" "$(cd plain.mm/mesh && ls -A | tr '\n' ' ' | sed 's/ $//')"

# --- The program is killed
begin killed 3000 2000
kill -KILL "$program"
over killed any
gone killed
holds_truth killed 5 0
notes killed "rank 0 was killed"

# --- The program is stopped: what it told can be read; it goes on
begin stopped 150 2000
kill -STOP "$program"
sleep .2
holds_truth stopped 5 0
kill -CONT "$program"
over stopped 0
holds_truth stopped 20 0 150

# --- The local agent is killed: the program goes on to its end, and removes what it made
begin local 150 2000
kill -KILL "$(agents local)"
over local 0
gone local
holds_truth local 5 0
notes local "a local agent ended before the program"

# --- So when the local agent is stopped; when it goes on it takes what was there
begin sleeping 150 2000
agent=$(agents local)
kill -STOP "$agent"
over sleeping 0
holds_truth sleeping 5 0
kill -CONT "$agent"
gone sleeping
holds_truth sleeping 5 0

# --- The global agent is killed
begin global 150 2000
kill -KILL "$(agents global)"
over global 0
gone global
holds_truth global 5 0
grep -q "^mesh-agent: the global agent: " global.mm/mesh/agent.log || fail "global: $(cat global.mm/mesh/agent.log)"

# --- The global agent is stopped for the rest of the run, then goes on
begin paused 100 2000
agent=$(agents global)
kill -STOP "$agent"
over paused 0
kill -CONT "$agent"
gone paused
holds_truth paused 5 0

# --- All at once: the next start removes what is left, also what was not yet ready
begin all 3000 2000
{ kill -KILL "$program" $(agents '') && wait $program; } 2>/dev/null
until_true 10 no_agents
touch "/dev/shm/.mm_mesh-$(id -u)-$(tail -1 sessions)-$program-1-0-7"
holds_truth all 5 0
[ -n "$(left)" ] || fail "all: nothing was left, so nothing can be reaped"
begin after 200 2000
over after 0
gone after

# --- Strangers: each is refused with one line; the run does not notice
begin called 300 2000
python3 - called.mm/mesh/agent <<'PY' || fail "strangers"
import os, random, socket, struct, sys
words = dict(line.split(None, 1) for line in open(sys.argv[1]))
assert os.stat(sys.argv[1]).st_mode & 0o77 == 0
port = int(words["tcp"].split()[1])
def call(data, kind):
    if kind == "tcp":
        s = socket.create_connection(("127.0.0.1", port))
    else:
        s = socket.socket(socket.AF_UNIX)
        s.connect("\0" + words["unix"].strip())
    s.settimeout(5)
    try:
        s.sendall(data)
        assert s.recv(1) == b""
    except (ConnectionResetError, BrokenPipeError):
        pass
random.seed(5)
for kind in ("tcp", "unix"):
    call(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n" + 40 * b" ", kind)
    call(random.randbytes(5000), kind)
    call(struct.pack("<IIQQQ", 0x4857454d, 1, 1 << 60, 0, 0), kind)
    call(struct.pack("<IIQQQ", 0x4857454d, 1, 48, 0, 0) + struct.pack("<II40s", 2, 0x01020304, b"guess"), kind)
    call(struct.pack("<IIQQQ", 0x4857454d, 3, 1 << 20, 0, 0) + 4096 * b"\0", kind)
silent = socket.create_connection(("127.0.0.1", port)) # says nothing: the agent ends all the same
os.spawnlp(os.P_NOWAIT, "sleep", "sleep", "1")
PY
cp called.mm/mesh/agent.log called.log
over called 0
gone called
holds_truth called 20 0 300
equal "lines about ten strangers" 10 "$(grep -c '^mesh-agent: found ' called.log)"

equal "misuse" 2 "$(mesh-agent local 2>err; echo $?)"
expect 2 "letters and digits" mesh-agent local x.mm 'a/b'
expect 2 "expected local" mesh-agent both
finish
