#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# `mastermind ./prog`: the program does what it does alone, and the table adds up to its CPU time, with the
# shares that the program itself measures.
. "$(dirname "$0")/../lib/lib.sh"
skip_sanitized "sanitizers change where the time goes"

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
    char *memory = malloc(100 << 20);
    memset(memory, 1, 100 << 20);
    for (int i = 0; i < 1000; i++) {
        begin = now(); most(60000); spent[0] += now() - begin;
        begin = now(); some(30000); spent[1] += now() - begin;
        begin = now(); little(10000); spent[2] += now() - begin;
    }
    printf("most %g\nsome %g\nlittle %g\n", spent[0], spent[1], spent[2]);
    { char line[200]; FILE *f = fopen("/proc/self/status", "r");
      while (fgets(line, sizeof line, f)) if (!strncmp(line, "VmHWM", 5)) fputs(line, stdout); }
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
rows = [(m[4], float(m[1]), float(m[2] or 0), float(m[3].replace(",", "")), m[5] or "") for m in re.finditer(
    r"^ +([\d.]+) +([\d.]+)? +([\d.,]+)  ((?:  )?.*?)(?:  +(.*))?$", text, re.M)]
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
    if grep -q '^functions were not sampled: ' err; then
        skip "no samples here: $(cat err)"
    fi
    python3 check.py || fail "$words: $(cat out err)"
done

# --- The command that the last line names records each call
[ "$(uname -m)" != x86_64 ] || [ ! -e /usr/include/Zydis/Zydis.h ] || {
    run 0 mastermind ./shares 0 'a b' '$c'
    next=$(sed -n 's/^next: //p' err)
    [ "$next" = "mastermind record --functions 'most' -- ./shares 0 'a b' '\$c'" ] || fail "next: $next"
    run 0 sh -c "$next"
    grep -q " 1,000 .*shares.function.most" err || fail "its calls: $(cat err)"
}

# --- It ends as it ends
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

# --- What a program starts counts, by the file that it is in
run 0 mastermind sh -c './shares >one & ./shares >two; wait'
python3 - <<'P' || fail "two programs: $(cat one two err)"
import re
text = open("err").read()
true = sum(float(line.split()[1]) for name in ("one", "two") for line in open(name) if line.startswith("most"))
ms = float(re.search(r"^ +[\d.]+ +[\d.]+ +([\d.,]+)    most +shares.c:", text, re.M)[1].replace(",", ""))
assert abs(ms - 1000 * true) < .15 * 1000 * true, (ms, true)
P

# --- A program that nothing can be loaded into
if $CC -O2 -g -static -o still shares.c 2>/dev/null; then
    run 0 mastermind ./still
    holds err "no calls of './still' are recorded: it is linked statically"
    grep -q " most  *shares.c:" err || fail "static: $(cat err)"
    run 3 mastermind record --library z -- ./still
fi

# --- Where the kernel takes no samples, by its own leave or by a filter of system calls
cat > denied.c <<'C'
#include <errno.h>
#include <stdarg.h>
#include <sys/syscall.h>
long syscall(long number, ...)
{
    long a[6];
    va_list list;
    va_start(list, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(list, long);
    va_end(list);
    if (number == SYS_perf_event_open) {
        errno = EACCES;
        return -1;
    }
    register long r10 __asm__("r10") = a[3], r8 __asm__("r8") = a[4], r9 __asm__("r9") = a[5];
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(r10), "r"(r8),
                     "r"(r9) : "rcx", "r11", "memory");
    if (result < 0 && result > -4096) {
        errno = (int)-result;
        return -1;
    }
    return result;
}
C
$CC -shared -fPIC -o denied.so denied.c || fail "cannot compile"
run 0 env LD_PRELOAD="$dir/denied.so" mastermind ./shares
holds err "functions were not sampled: perf_event_open: Permission denied"
grep -q "^shares: .* of CPU time in .*; peak memory 10" err || fail "totals alone: $(cat err)"
finish
