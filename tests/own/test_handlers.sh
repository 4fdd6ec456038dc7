#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A first call may come from a signal handler that has interrupted malloc, on a stack of 16 KiB: the
# recorder then allocates nothing, takes no lock of the program, and needs little of the stack. Each
# call of a handler has a row or is in the printed count of dropped calls, also where the handler has
# interrupted the recorder.
# FAULT_RUNS: runs of the program.
. "$(dirname "$0")/../lib/lib.sh"
skip_sanitized "no sanitizer bears what stands in front of it"
[ "$(uname -m)" = x86_64 ] || skip "this is no x86-64"
[ -e /usr/include/Zydis/Zydis.h ] || skip "this build is without Zydis"
export XDG_CACHE_HOME=$dir/cache
runs=${FAULT_RUNS:-${SOAK:+200}}

python3 - > first.c <<'P'
count = 300
print(r'''#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#define OWN __attribute__((noinline))
static volatile long x;''')
for i in range(count):
    print(f"OWN static void f{i}(int n) {{ x = x + n + {i}; }}")
print("static void (*const all[])(int) = {" + ", ".join(f"f{i}" for i in range(count)) + "};")
print(r'''enum { COUNT = sizeof all / sizeof *all };
static volatile int at, handled, calls; /* of both threads */
#define next(count) __atomic_fetch_add(count, 1, __ATOMIC_SEQ_CST)
static void on_signal(int number)
{
    (void)number;
    next(&handled);
    for (int k = 0, i; k < 3 && (i = next(&at)) < COUNT; k++) {
        next(&calls);
        all[i](k);
    }
    next(&calls);
    all[0](1);
}
static void *churn(void *seed)
{
    char *kept[64] = {NULL};
    unsigned r = (unsigned)(size_t)seed;
    stack_t stack = {.ss_sp = malloc(16384), .ss_size = 16384};
    sigaltstack(&stack, NULL);
    while (at < COUNT) {
        r = r * 1103515245 + 12345;
        free(kept[r >> 26]);
        kept[r >> 26] = malloc(r >> 8 & 4095);
    }
    for (int i = 0; i < 64; i++)
        free(kept[i]);
    stack.ss_flags = SS_DISABLE;
    sigaltstack(&stack, NULL);
    return NULL;
}
int main(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK | SA_RESTART};
    struct itimerval often = {{0, 100}, {0, 100}}, off = {{0, 0}, {0, 0}};
    pthread_t other;
    sigaction(SIGALRM, &action, NULL);
    sigaction(SIGPROF, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    setitimer(ITIMER_PROF, &often, NULL);
    pthread_create(&other, NULL, churn, (void *)7);
    churn((void *)1);
    pthread_join(other, NULL);
    setitimer(ITIMER_REAL, &off, NULL);
    setitimer(ITIMER_PROF, &off, NULL);
    printf("%d %d %d %d\n", at >= COUNT, handled >= COUNT / 4, calls, handled);
    return 3;
}''')
P
gcc -O2 -fno-ipa-icf -pthread -o first first.c || exit 1
for ((i = 0; i < ${runs:-8}; i++)); do
    for option in '*' 'f[0-9]*'; do # the second: a handler makes the thread's first recorded call
        rm -rf first.mm
        run 3 timeout 60 mastermind record --functions "$option" --storage rows --no-report -o first.mm -- ./first
        grep -q "^1 1 " out || fail "$option: $(cat out)"
        mastermind records first.mm | tail -n +2 | wc -l > rows
        python3 - "$option" <<'P' || fail "$option: rows and dropped calls"
import re, sys
_, _, calls, handled = map(int, open("out").read().split())
# with the wildcard alone, on_signal, main and two calls of churn are recorded, too
truth = calls + (handled + 3 if sys.argv[1] == "*" else 0)
found = re.search(r"([0-9,]+) rows, ([0-9,]+) dropped", open("err").read())
rows, dropped = (int(word.replace(",", "")) for word in found.groups())
print(sys.argv[1], "calls", truth, "rows", rows, "dropped", dropped, file=sys.stderr)
assert rows == int(open("rows").read()) and rows + dropped == truth, (truth, rows, dropped)
# a signal that comes while the recorder works on its own stack is handled after that: few calls have no row
assert dropped <= truth / 10, (truth, dropped)
P
    done
done

# --- A process that is killed leaves the methods that were called, and no others
cat > killed.c <<'C'
#include <signal.h>
#define OWN __attribute__((noinline))
static volatile long x;
OWN static void early(int n) { x = x + n; }
OWN static void late(int n) { x = x - n; }
OWN static void never(int n) { x = 2 * x - n; }
int main(int count, char **words) { (void)words; for (int k = 0; k < 5; k++) early(k); late(1); if (count < 2) raise(SIGKILL); never(2); return 0; }
C
gcc -O1 -g -o killed killed.c || exit 1
run 137 mastermind record --functions '*' --storage rows --no-report -o killed.mm -- ./killed
mastermind records killed.mm | cut -d, -f7 | sort | uniq -c > found
python3 - <<'P' || fail "rows of a killed process: $(cat found)"
found = {w[1]: int(w[0]) for w in (line.split() for line in open("found"))}
assert found["early"] == 5 and found["late"] == 1 and "never" not in found, found
P
# A damaged file of methods is refused, whichever byte it is
called=killed.mm/rank-0000/methods.called
[ -s $called ] || fail "no $called"
cp $called whole
for at in 9 20 40 70 200; do
    cp whole $called
    printf '\377' | dd of=$called bs=1 seek=$at conv=notrunc 2> /dev/null
    mastermind records killed.mm > out 2> err && fail "byte $at of $called may be anything"
    grep -q "methods.called" err || fail "byte $at: no word of the file"
done
run 0 mastermind record --functions '*' --storage rows --no-report -o lived.mm -- ./killed on
[ ! -e lived.mm/rank-0000/methods.called ] || fail "methods.called is left"
equal "methods" 4 "$(grep -c '"id"' lived.mm/rank-0000/methods.json)"

# --- Functions of which none is called leave no experiment
run 0 mastermind record --functions 'never' --no-report -o none.mm -- sh -c 'exit 0'
[ ! -e none.mm ] || fail "an experiment of a program without such functions"
run 137 mastermind record --functions 'never' --no-report -o none.mm -- ./killed
sed 's/raise(SIGKILL)/return 5/' killed.c > returns.c && gcc -O1 -g -o returns returns.c || exit 1
rm -rf none.mm
run 5 mastermind record --functions 'never' --no-report -o none.mm -- ./returns
[ ! -e none.mm ] || fail "an experiment without calls: $(ls -R none.mm)"
finish
