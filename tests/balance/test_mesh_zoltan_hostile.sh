#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# mesh-zoltan and a parent that writes nonsense, or goes: it ends with its exit code, and never by a signal.
# lane: waits
. "$(dirname "$0")/../lib/lib.sh"
[ -x "$O/libexec/mastermind/mesh-zoltan" ] || skip "without Zoltan"
cat >parent.py <<'END'
import os, random, socket, struct, subprocess, sys
MAGIC = 0x314f5a4d

def hello(magic=MAGIC, method=0, planes=0, dims=3, elements=0, n=(4, 4, 4)):
    return struct.pack("<IiiiiI3q", magic, method, planes, dims, elements, 0, *n)

def cut(magic=MAGIC, parts=2):
    return struct.pack("<Ii", magic, parts)

def tried(name, messages, expected, replies=0):
    """Write the messages; a reply after each but the last where it must answer. Then close."""
    server = socket.socket(socket.AF_UNIX)
    server.bind(b"\0mm-test-%d-%s" % (os.getpid(), name.encode()))
    server.listen(1)
    server.settimeout(60)
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", HWLOC_COMPONENTS="-gl",
                       ASAN_OPTIONS="detect_leaks=0")
    child = subprocess.Popen([os.environ["O"] + "/libexec/mastermind/mesh-zoltan", server.getsockname()[1:].decode()], env=environment,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    peer, _ = server.accept()
    peer.settimeout(60)
    for i, message in enumerate(messages):
        try:
            peer.sendall(message)
        except OSError:
            break # it has refused already
        if i < replies:
            reply = peer.recv(256, socket.MSG_WAITALL)
            assert struct.unpack("<Ii", reply[:8]) == (MAGIC, 0), (name, reply[:32])
    peer.close()
    code = child.wait(60)
    assert code == expected, f"{name}: exit code {code}, expected {expected}"

weights = struct.pack("<64f", *range(1, 65))
random.seed(int(sys.argv[1]))
for k in range(int(sys.argv[2])):
    tried(f"random{k}", [bytes(random.randrange(256) for _ in range(48))], 3)
tried("closed", [], 0)
tried("torn", [hello()[:20]], 0)
tried("method", [hello(method=7)], 3)
tried("dims", [hello(dims=4)], 3)
tried("empty", [hello(n=(4, 0, 4))], 3)
tried("huge", [hello(n=(1 << 40, 1 << 40, 4))], 3)
tried("negative", [hello(n=(-4, -4, 4))], 3)
tried("parts", [hello(), cut(parts=0)], 3, 1)
tried("many", [hello(), cut(parts=1 << 20)], 3, 1)
tried("magic", [hello(), cut(magic=1)], 3, 1)
tried("torn-weights", [hello(), cut() + weights[:100]], 0, 1)
tried("torn-centres", [hello(elements=1, n=(64, 1, 1)) + weights], 0)
tried("gone", [hello(), cut() + weights], 0, 1) # before it has the answer, or just then
END
count=${FAULT_DAMAGE:-${SOAK:+200}} # FAULT_DAMAGE: random greetings
run 0 python3 parent.py 1 "${count:-2}"
finish
