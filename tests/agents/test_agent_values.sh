#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Agents of a run: whole and lost steps are all steps; a stopped program can be read; a stopped agent leaves no name
# in /dev/shm, and takes the rest when it goes on; segments that were not ready are reaped; strangers are refused.
# lane: agents, it looks at all of /dev/shm
. "$(dirname "$0")/../lib/lib.sh"
needs_preload
skip_sanitized "the recorder is preloaded"
unset MASTERMIND_RECORD_CELLS MM_MESH_SESSION MM_MESH_SLOTS OMPI_COMM_WORLD_RANK PMI_RANK PMIX_RANK
# A soak has four times as many cells.
export told_rows=24
[ -n "${SOAK-}" ] || told_rows=6
$CC -Wall -Wextra -O1 -DROWS=$told_rows -I"$root" "$root/tests/agents/told.c" "$O/lib/libmm_mesh.a" -lm -pthread -o told ||
    fail "the program does not compile"
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
both_serve() { [ -n "$(agents global)" ] && [ -n "$(agents local)" ] && [ -e "$1/mesh/told.cells" ]; }
has_step() { bash "$root/tests/agents/told.sh" "$1" 1 1 >said 2>&1; }

# begin NAME STEPS PAUSE_US [CELLS]: a run in the background, $program, which both agents serve, and of which a step is
# in the file; the recorder becomes the program
begin() {
    mastermind record --cells "${4:-work}" -o "$dir/$1.mm" -- ./told "$2" "$3" >"$1.told" 2>"$1.err" </dev/null &
    program=$!
    until_true 60 both_serve "$1.mm" || fail "$1: no agents"
    tr '\0' '\n' <"/proc/$program/environ" | sed -n 's/^MM_MESH_SESSION=//p' >>sessions
    until_true 60 has_step "$1.mm" || fail "$1: no step: $(tail -1 said)"
}
# over NAME STATUS: the run ends with it, soon; nothing is left
over() {
    wait $program 2>/dev/null
    local status=$?
    [ "$2" = any ] || [ $status = "$2" ] || fail "$1: status $status, expected $2: $(cat "$1.err")"
    until_true 60 none_left || fail "$1: left in /dev/shm: $(left)"
}
gone() { until_true 60 no_agents || fail "$1: agents stay: $(agents '')"; }

# whole NAME STEPS LEAST [all]: values are right, $there steps are whole; `all`: those that are not there are told as lost
whole() {
    local lost
    there=$(bash "$root/tests/agents/told.sh" "$1.mm" "$2" "$3" 2>said) || fail "$1: $(tail -1 said)"
    [ $# = 4 ] || return 0
    lost=$(mastermind mesh "$1.mm" --json | python3 -c 'import json, sys
print(sum(e["steps"] for e in json.load(sys.stdin)["lost"]))')
    equal "$1: whole steps, and $lost lost" "$2" $((there + lost))
}

# --- Every step is there or told as lost, at full speed, too
begin slow 200 4000
over slow 0
whole slow 200 20 all
gone slow
lost=$([ "$there" = 200 ] && echo nothing || echo "$((200 - there)) steps")
run 0 mastermind report slow.mm
says "mesh profile told: $there steps whole, ${lost/#1 steps/1 step} lost"
equal "files of a profile" "told.cells" "$(ls -A slow.mm/mesh)"
quick=${SOAK:+1000}
begin quick "${quick:=400}" 300
over quick 0
whole quick "$quick" 20 all

# --- The program is stopped: what it told can be read; it goes on
begin stopped 400 4000
kill -STOP "$program"
sleep .2
whole stopped 400 1
kill -CONT "$program"
over stopped 0
whole stopped 400 20 all

# --- The local agent is stopped until the program has gone: no name is left; then it goes on
begin sleeping 400 4000
agent=$(agents local)
kill -STOP "$agent"
over sleeping 0
whole sleeping 400 1
before=$(bash "$root/tests/agents/told.sh" sleeping.mm 400 1)
kill -CONT "$agent"
gone sleeping
whole sleeping 400 $((before + 1))

# --- The global agent is killed: the log says so
begin global 400 4000
kill -KILL "$(agents global)"
over global 0
gone global
whole global 400 1
grep -q "^mesh-agent: the global agent: " global.mm/mesh/agent.log || fail "global: $(cat global.mm/mesh/agent.log)"
expect 0 "mesh-agent: the global agent: " mastermind report global.mm

# --- All are killed at once, one segment is not yet ready: the next start removes all
begin all 1000 4000
{ kill -KILL "$program" $(agents '') && wait $program; } 2>/dev/null
until_true 60 no_agents
touch "/dev/shm/.mm_mesh-$(id -u)-$(tail -1 sessions)-$program-1-0-7"
whole all 1000 1
# (another run on this machine may have begun and removed them already)
begin after 200 4000
over after 0
gone after

# --- Strangers: each is refused with one line; the run does not notice
begin called 500 4000
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
whole called 500 20 all
equal "lines about ten strangers" 10 "$(grep -c '^mesh-agent: found ' called.log)"

equal "misuse" 2 "$(mesh-agent local 2>err; echo $?)"
expect 2 "letters and digits" mesh-agent local x.mm 'a/b'
expect 2 "expected local" mesh-agent both
finish
