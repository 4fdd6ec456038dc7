#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# `mastermind ./prog`: the program does what it does alone, and the table adds up to its CPU time, with the
# shares that the program itself measures.
. "$(dirname "$0")/../lib/lib.sh"
skip_sanitized "sanitizers change where the time goes"
few=${SOAK:+250} many=${SOAK:+1000}
: "${few:=100}" "${many:=500}"

# --- A program that measures how its CPU time divides among its functions
cat > shares.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static volatile double sink;
#define WORK(name, step)                                                               \
    static __attribute__((noinline)) void name(int n)                                  \
    {                                                                                  \
        double s = 1;                                                                  \
        for (int i = 0; i < n; i++)                                                    \
            s = s * step + 1. / (s + i);                                               \
        sink = s;                                                                      \
    }
WORK(most, .999) WORK(some, .998) WORK(little, .997)
int main(int argc, char **argv)
{
    double spent[3] = {0}, begin;
    char *memory = malloc(100 << 20), *rounds = getenv("ROUNDS");
    memset(memory, 1, 100 << 20);
    for (int i = 0; i < (rounds ? atoi(rounds) : 1000); i++) {
        begin = now(); most(60000); spent[0] += now() - begin;
        begin = now(); some(30000); spent[1] += now() - begin;
        begin = now(); little(10000); spent[2] += now() - begin;
    }
    printf("most %g\nsome %g\nlittle %g\n", spent[0], spent[1], spent[2]);
    { char line[200]; FILE *f = fopen("/proc/self/status", "r");
      while (f && fgets(line, sizeof line, f)) if (!strncmp(line, "VmHWM", 5)) fputs(line, stdout); }
    if (argc > 1 && !strcmp(argv[1], "abort"))
        abort();
    return argc > 1 ? atoi(argv[1]) : memory[5] - 1;
}
C
$CC -O2 -g -o shares shares.c || fail "cannot compile"
cat > check.py <<'P'
import re, sys
alone = dict(line.split()[:2] for line in open("out"))
text = open("err").read()
lines = text.splitlines()
first = next(i for i, line in enumerate(lines) if line.endswith("where"))
ends = [0] + [m.end() for m in re.finditer(r"%CPU|\+-|CPU ms|%incl", lines[first])]
rows = []
for line in lines[first + 1:]:
    if not line:
        break
    cells = [line[a:b].strip().replace(",", "") for a, b in zip(ends, ends[1:])]
    name, place = re.fullmatch(r"((?:  )?.*?)(?:  +(.*))?", line[ends[-1] + 2:]).groups()
    rows.append((name, float(cells[0]), float(cells[1] or 0), float(cells[2]), place or ""))
    if len(cells) > 3 and cells[3]:
        assert float(cells[3]) >= float(cells[0]) - .11, line  # callees are in it
shares = {row[0].strip(): row[1:] for row in rows}
cpu = sum(float(alone[name]) for name in ("most", "some", "little"))
for name in ("most", "some", "little"):
    share, half, ms, place = shares[name]
    true = 1000 * float(alone[name])
    # three half-widths are five standard deviations; the host's own work is in neither
    assert abs(ms - true) < 3 * half / share * true + .03 * true, (name, ms, true, half)
    assert re.fullmatch(r"shares\.c:\d+", place), place
# files and kinds add up to the total, functions to their file
total = shares["in all"][2]
files = [row for row in rows if not row[0].startswith(" ") and row[0] != "in all"]
assert abs(sum(row[3] for row in files) - total) < .01 * total, (rows, total)
assert abs(sum(row[1] for row in files) - 100) < .6, rows
first = [row[0] for row in rows].index("shares")
last = next(i for i in range(first + 1, len(rows)) if not rows[i][0].startswith(" "))
own = rows[first + 1:last]
assert abs(sum(row[3] for row in own) - shares["shares"][2]) < .01 * total, rows
assert "measuring" in shares and shares["measuring"][0] < 3, shares
peak = float(re.search(r"peak memory ([\d.]+) MiB", text)[1])
assert abs(peak - float(alone["VmHWM:"]) / 1024) < .01 * peak, (peak, alone)
assert max(map(len, text.splitlines())) <= 100, text
assert len(text.splitlines()) <= 30, text
P
for words in "./shares" "record -- ./shares"; do
    run 0 mastermind $words
    [ "$(wc -l <out)" = 4 ] || fail "$words: its output is not its own: $(cat out)"
    if grep -q '^no samples: ' err; then
        skip "no samples here: $(cat err)"
    fi
    python3 check.py || fail "$words: $(cat out err)"
done

# --- A kept run is reported as the run itself printed it; so is a run of grow
run 0 mastermind record --stacks -o kept.mm -- ./shares
mv err printed
run 0 mastermind report kept.mm
diff printed out >differ || fail "report differs from the run: $(cat differ)"
run 0 mastermind report --metric CPU_TIME kept.mm
grep -q shares.program.run out || fail "no row of the run: $(cat out)"
mv kept.mm/stacks.json stacks.json
sed 's/"nodes":.*/"nodes":[[7,0,1]]}/; s/"check": *"[0-9a-f]*", *//' stacks.json >kept.mm/stacks.json
run 3 mastermind report kept.mm
holds err "kept.mm/stacks.json: node 0 is damaged"
cat > rounds <<'S'
#!/bin/sh
ROUNDS=$1 exec ./shares
S
chmod +x rounds
run 0 mastermind grow -n 50,60,80 --repeat 1 -o grown -- ./rounds '{n}'
run 0 mastermind report grown/run-001.mm
grep -q '^ .* most  .*shares.c:' out && grep -q 'peak memory 10[01]' out || fail "run of grow: $(cat out)"

# --- The command that the last line names records each call
[ "$(uname -m)" != x86_64 ] || [ ! -e /usr/include/Zydis/Zydis.h ] || {
    ROUNDS=$few run 0 mastermind ./shares 0 'a b' '$c'
    next=$(sed -n 's/^next: //p' err)
    [ "$next" = "mastermind record --functions 'most' -- ./shares 0 'a b' '\$c'" ] || fail "next: $next"
    run 0 sh -c "$next"
    grep -q " 1,000 .*shares.function.most" err || fail "its calls: $(cat err)"
}

# --- It ends as it ends
export ROUNDS=$few
run 7 mastermind ./shares 7
grep -q "^ 100.0  .*in all$" err || fail "no total: $(cat err)"
(mastermind ./shares abort >out 2>err; exit $?) 2>/dev/null
[ $? = 134 ] || fail "abort: status $?"
grep -q "^ 100.0  .*in all$" err || fail "no total: $(cat err)"
run 127 mastermind ./nothing
holds err "mastermind: cannot run './nothing': No such file or directory"
run 2 mastermind nothing
run 0 mastermind true
echo words | mastermind cat >out 2>err && [ "$(cat out)" = words ] || fail "standard input: $(cat out err)"
run 0 mastermind record --no-report -- ./shares
if grep -q '%CPU' err; then fail "--no-report prints a table"; fi
unset ROUNDS

# --- The program has the environment, files, limits and signals that it has alone
cat > state <<'S'
env | grep -v '^_=' | sort
ls /proc/self/fd
cat /proc/self/limits
grep -E '^(Sig[BIC]|ShdP|NoNewPrivs|Umask)' /proc/self/status
S
(umask 027; trap '' USR1; exec 7</dev/null; sh state >alone; mastermind sh state >under 2>err)
diff alone under >out || fail "its surroundings differ: $(cat out)"
printf 'echo "$0 $1"; exit 5\n' > script
chmod +x script
run 5 mastermind ./script word
equal "a script without a first line" "./script word" "$(cat out)"
printf '#!/nonexistent\n' > lost
chmod +x lost
run 127 mastermind ./lost
holds err "cannot run './lost': No such file or directory"
mastermind sleep 60 >out 2>err &
recorder=$!
for _ in $(seq 100); do
    ps -o comm= --ppid $recorder | grep -q sleep && break
    sleep .1
done
kill -TERM $recorder
wait $recorder
equal "status after SIGTERM" 143 $?

# --- What a program starts counts, by the file that it is in
run 0 mastermind sh -c './shares >one & ./shares >two; wait'
python3 - <<'P' || fail "two programs: $(cat one two err)"
import re
text = open("err").read()
true = sum(float(line.split()[1]) for name in ("one", "two") for line in open(name) if line.startswith("most"))
ms = float(re.search(r"^ +[\d.]+ +[\d.]+ +([\d.,]+) +[\d.]+    most +shares.c:", text, re.M)[1].replace(",", ""))
assert abs(ms - 1000 * true) < .15 * 1000 * true, (ms, true)
P

# --- An interpreter's functions are not those of its script
run 0 mastermind python3 -c 'sum(i * i for i in range(1000000))'
grep -q '^[a-z]*python3.* runs a script: functions of the script are not seen, those of the interpreter are$' err ||
    fail "an interpreter: $(cat err)"
! grep -q '^next:' err || fail "an interpreter has advice for a program"

# --- Processes too short for a sample have a line; they add nothing to those that were sampled
printf 'i=0; while [ $i -lt 150 ]; do /bin/true; i=$((i + 1)); done; ./shares >one\n' >many.sh
ROUNDS=60 run 0 mastermind sh many.sh
python3 - <<'P' || fail "many short processes: $(cat one err)"
import re
text = open("err").read()
true = 1000 * sum(float(line.split()[1]) for line in open("one") if line[:4] in ("most", "some"))
ms = sum(float(m.replace(",", "")) for m in re.findall(
    r"^ +[\d.]+ +[\d.]+ +([\d.,]+)(?: +[\d.]+)?    (?:most|some) +shares.c:", text, re.M))
assert abs(ms - true) < .1 * true + 8, (ms, true)
assert re.search(r"  not sampled: ends of 15\d processes and threads$", text, re.M), text
P

# --- What the host took: no more than a thread can have waited, and of children, too
python3 - <<'P' || fail "the host: $(cat host)"
import os, re, subprocess
unit = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}
def seconds(text):
    return float(text.split()[0]) * unit[text.split()[1]]
def took(words, rounds):
    done = subprocess.run(["taskset", "-c", core, "mastermind", *words], env={**os.environ, "ROUNDS": rounds},
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    open("host", "w").write(done.stderr)
    found = re.search(r": (.*) of CPU time in (.*);.*\nthe host took at least ([^:;]*)", done.stderr)
    return map(seconds, found.groups())
core = str(min(os.sched_getaffinity(0)))
rival = subprocess.Popen(["taskset", "-c", core, "sh", "-c", "while :; do :; done"])
try:
    for rounds in "1", "20", "100":
        cpu, wall, host = took(["./shares"], rounds)
        # the line has three digits
        assert host <= wall - cpu + .002 + .004 * wall, (rounds, cpu, wall, host)
    for words in ["./shares"], ["sh", "-c", "./shares; true"]:
        cpu, wall, host = took(words, "400") # two share a core, so half of the time is the other's
        assert .6 * (wall - cpu) < host <= 1.05 * (wall - cpu), (words, cpu, wall, host)
finally:
    rival.kill()
P

# --- How it ended, where that was a signal
run 139 mastermind sh -c 'kill -SEGV $$'
holds err 'signal 11 ended it: '

# --- A program that nothing can be loaded into
if $CC -O2 -g -static -o still shares.c 2>/dev/null; then
    ROUNDS=$few run 0 mastermind ./still
    ! grep -q 'no calls of' err || fail "calls that nobody asked for are refused: $(cat err)"
    grep -q " most  *shares.c:" err || fail "static: $(cat err)"
    ROUNDS=$few run 0 mastermind record --functions '*' -- ./still
    holds err "no calls of './still' are recorded: it is linked statically"
    run 3 mastermind record --library z -- ./still
fi

# --- Where the kernel takes no samples, by a filter of system calls as containers have it
cat > denied.c <<'C'
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog program = {sizeof code / sizeof *code, code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
        return 77;
    (void)argc;
    execvp(argv[1], argv + 1);
    return 127;
}
C
$CC -o denied denied.c || fail "cannot compile"
./denied true
[ $? = 77 ] && skip "no filters of system calls here"
cat > timed.py <<'P'
import re
alone = dict(line.split()[:2] for line in open("out"))
text = open("err").read()
assert "no samples: perf_event_open: Operation not permitted" in text, text
cpu = sum(float(alone[name]) for name in ("most", "some", "little"))
total = float(re.search(r"^ 100.0 +([\d.,]+)  in all$", text, re.M)[1].replace(",", ""))
for name in ("most", "some", "little"):
    ms = float(re.search(rf"^ +[\d.]+ +([\d.,]+)    {name}$", text, re.M)[1].replace(",", ""))
    assert abs(ms - 1000 * float(alone[name])) < .05 * 1000 * cpu, (name, ms, alone)
files = [float(m.replace(",", "")) for m in re.findall(r"^ +[\d.]+ +([\d.,]+)  (?! |in all)", text, re.M)]
assert abs(sum(files) - total) < .01 * total, text
assert max(map(len, text.splitlines())) <= 100, text
P
if [ "$(uname -m)" != x86_64 ] || [ ! -e /usr/include/Zydis/Zydis.h ]; then
    run 0 ./denied mastermind ./shares
    holds err "no samples: perf_event_open: Operation not permitted"
    finish
fi
export TMPDIR=$dir/temporary XDG_CACHE_HOME=$dir/cache
mkdir temporary
before=$(ls -d ./*.mm 2>/dev/null)
ROUNDS=$many run 0 ./denied mastermind ./shares
[ "$(wc -l <out)" = 4 ] || fail "denied: its output is not its own: $(cat out)"
python3 timed.py || fail "denied: $(cat out err)"
export ROUNDS=$few
run 7 ./denied mastermind ./shares 7
(./denied mastermind ./shares abort >out 2>err; exit $?) 2>/dev/null
[ $? = 134 ] || fail "denied, abort: status $?"
grep -q '^ 100.0  .*in all$' err || fail "denied, abort: $(cat err)"
[ -z "$(ls temporary)" ] || fail "left behind: $(ls temporary)"
[ "$(ls -d ./*.mm 2>/dev/null)" = "$before" ] || fail "an experiment is left behind: $(ls -d ./*.mm)"
run 0 ./denied mastermind ./still
holds err "no samples: perf_event_open: Operation not permitted"

# --- As another user, who may write nowhere but to temporary folders, and in a root that is read-only
unset TMPDIR XDG_CACHE_HOME
if [ "$(id -u)" = 0 ] && setpriv --reuid=65534 --regid=65534 --clear-groups "$O/bin/mastermind" --version >/dev/null 2>&1; then
    chmod 755 . && chmod 711 temporary
    as_nobody() { env -u HOME setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
    run 0 as_nobody mastermind ./shares
    grep -q '^ 100.0  .*in all$' err || fail "another user: $(cat err)"
    ROUNDS=$many run 0 as_nobody ./denied mastermind ./shares
    python3 timed.py || fail "another user, denied: $(cat out err)"
fi
without_proc() {
    env LD_LIBRARY_PATH="$O/lib" unshare -m sh -c 'mount --make-rprivate / && umount -l /proc && exec "$@"' sh "$@"
}
if [ "$(id -u)" = 0 ] && without_proc true 2>/dev/null; then
    run 0 without_proc mastermind ./shares
    grep -q '^ 100.0  .*in all$' err || fail "without /proc: $(cat err)"
    run 0 without_proc mastermind record --functions 'most,some,little' --no-report -o bare.mm -- ./shares
    grep -q '^experiment bare.mm: 3 methods' err || fail "without /proc, record: $(cat err)"
fi
readonly_root() {
    unshare -m sh -c 'mount --make-rprivate / && mount --bind / / && mount -o remount,bind,ro / && cd "$0" && exec "$@"' "$dir" "$@"
}
if [ "$(id -u)" = 0 ] && readonly_root true 2>/dev/null; then
    run 0 readonly_root mastermind ./shares
    grep -q '^ 100.0  .*in all$' err || fail "read-only root: $(cat err)"
    run 0 readonly_root ./denied mastermind ./shares
    grep -q '^ 100.0  .*in all$' err || grep -q '^no times of functions: ' err || fail "read-only root, denied: $(cat err)"
fi
finish
