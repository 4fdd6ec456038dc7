#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Functions that a wildcard matches and that are too short and called too often rest: their calls are
# counted, and if even that costs too much, their own first bytes are put back. What they compute stays.
. "$(dirname "$0")/../lib/lib.sh"
skip_sanitized "no sanitizer bears what stands in front of it"
[ "$(uname -m)" = x86_64 ] || skip "this is no x86-64"
[ -e /usr/include/Zydis/Zydis.h ] || skip "this build is without Zydis"
export XDG_CACHE_HOME=$dir/cache

cat > short.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define OWN __attribute__((noinline))
OWN static unsigned step(unsigned x) { x = x * 1103515245 + 12345; return x ^ x >> 7; }
OWN static unsigned even(unsigned x) { return step(x) & ~1u; }
OWN static unsigned odd(unsigned x) { return even(x) | 1; }
OWN static unsigned slow(unsigned x) { for (int i = 0; i < 200000; i++) x = x * 3 + 1; return x; }
OWN static unsigned long fib(int n) { return n < 2 ? (unsigned long)n : fib(n - 1) + fib(n - 2); }
OWN static unsigned many(int n) { unsigned x = 1; for (int i = 0; i < n; i++) x = i & 1 ? odd(x) : even(x); return x; }
static void *work(void *n) { return (void *)(size_t)many(*(int *)n); }
int main(int count, char **words)
{
    int n = count > 1 ? atoi(words[1]) : 1000000;
    unsigned x = 0;
    for (int k = 0; k < 40; k++) x += slow((unsigned)k);
    printf("%u %u %lu\n", x, many(n), fib(25));
    if (count > 2) {
        pthread_t threads[2];
        void *found[2];
        for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, work, &n);
        for (int i = 0; i < 2; i++) pthread_join(threads[i], &found[i]);
        printf("%d %d\n", found[0] == found[1], (unsigned)(size_t)found[0] == many(n));
    }
    return 3;
}
C
for how in "-O2 -fno-ipa-icf" "-O2 -fno-ipa-icf -fcf-protection" "-O1 -g -fpatchable-function-entry=5"; do
    # shellcheck disable=SC2086
    gcc $how -pthread -o short short.c || exit 1
    for words in 3000000 "300000 threads"; do
        # shellcheck disable=SC2086
        ./short $words > alone
        rm -rf short.mm
        # shellcheck disable=SC2086
        run 3 mastermind record --functions '*' -o short.mm -- ./short $words
        cmp -s out alone || fail "$how, $words: another result"
        tr '\n' ' ' < err | tr -s ' ' > flat
        grep -q "too short, and called too often" flat || fail "$how, $words: no function rests"
        for name in step even fib; do
            grep -qE "[:,] $name [0-9]+" flat || fail "$how, $words: $name does not rest"
        done
        # where counting alone costs too much, it ends at the first checks: after 512 calls, 1,024 more, and so on
        [ "$words" != 3000000 ] || python3 - <<'P' || fail "$how: counting goes on"
import re
named = dict(re.findall(r"([a-z]+) (\d+)", re.search(r"ended at: (.*)", open("flat").read())[1]))
assert named and all(512 <= int(calls) < 4096 for calls in named.values()), named
P
        mastermind report short.mm | grep -qE '>[0-9.,]+ .*function.step' || fail "$how, $words: no mark in the row of step"
        mastermind report short.mm --json | python3 -c 'import json, sys
methods = json.load(sys.stdin)["methods"]
calls = {m["method"]: m["calls"] for m in methods}
# the row of a suspended function has its whole count, or a mark
rested = [m for m in methods if "all_calls_least" in m]
assert {"step", "even"} <= {m["method"] for m in rested}, rested
assert all(m["all_calls"] == m["calls"] for m in methods if m not in rested), methods
assert all(m["all_calls"] >= m["calls"] for m in rested), rested
assert calls["slow"] == next(m["all_calls"] for m in methods if m["method"] == "slow") == 40
assert calls["slow"] == 40 and calls["main"] == 1 and calls["many"] >= 1, calls
assert 16 <= calls["step"] < 100000, calls' || fail "$how, $words: rows"
    done
done

# --- Threads run: the bytes stay, so all calls are counted or have a row
cat > both.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <semaphore.h>
#define OWN __attribute__((noinline))
enum { N = 3000000 };
static sem_t go;
OWN static unsigned step(unsigned x) { x = x * 1103515245 + 12345; return x ^ x >> 7; }
static void *other(void *none) { (void)none; while (sem_wait(&go)) ; return NULL; }
int main(void)
{
    pthread_t thread;
    unsigned x = 0;
    pthread_create(&thread, NULL, other, NULL);
    for (int i = 0; i < N; i++) x = step(x);
    sem_post(&go);
    pthread_join(thread, NULL);
    printf("%u\n", x);
    return 0;
}
C
gcc -O2 -pthread -o both both.c || exit 1
run 0 mastermind record --functions '*' -o both.mm -- ./both
tr '\n' ' ' < err | tr -s ' ' > flat
python3 - <<'P' || fail "calls of a function that rests while threads run"
import json, re, subprocess
text = open("flat").read()
counted = int(re.search(r"counted alone: step (\d+)", text)[1])
methods = json.loads(subprocess.run(["mastermind", "report", "both.mm", "--json"], stdout=subprocess.PIPE).stdout)["methods"]
rows = sum(m["calls"] for m in methods if m["method"] == "step")
assert rows + counted == 3000000, (rows, counted)
assert "even counting" not in text, text
P
# --- Named functions, and all with --storage rows, never rest
run 0 mastermind record --functions 'step' --no-report -o named.mm -- ./both
equal "calls of a named function" 3000000 "$(mastermind report named.mm --json | python3 -c 'import json, sys
print(sum(m["calls"] for m in json.load(sys.stdin)["methods"] if m["method"] == "step"))')"
finish
