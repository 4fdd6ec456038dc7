#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Own functions of programs that were built without the recorder in mind: the program does the same
# with and without it, in whatever way calls end.
. "$(dirname "$0")/../lib/lib.sh"
skip_sanitized "no sanitizer bears what stands in front of it"
[ "$(uname -m)" = x86_64 ] || skip "this is no x86-64"
[ -e /usr/include/Zydis/Zydis.h ] || skip "this build is without Zydis"
export XDG_CACHE_HOME=$dir/cache

# same NAME PROGRAM...: equal output and status, recorded and not; the experiment is NAME.mm
same() {
    local name=$1 status
    shift
    "$@" > plain 2> plain.err
    status=$?
    rm -rf "$name.mm"
    # shellcheck disable=SC2086
    run $status mastermind record --functions '*' ${options-} --no-report -o "$name.mm" -- "$@"
    cmp -s plain out || fail "$name: another result"
}

# calls NAME METHOD: its calls in NAME.mm, by rows and aggregates
calls() {
    mastermind report "$1.mm" --json | python3 -c 'import json, sys
print(sum(m["calls"] for m in json.load(sys.stdin)["methods"] if m["method"] == sys.argv[1]))' "$2"
}

# --- Deep recursion, long chains of tail calls: no frame of the recorder stays on the stack
cat > deep.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#define OWN __attribute__((noinline))
long sum(long n) { long r = n ? sum(n - 1) + n : 0; __asm__ volatile("" : "+r"(r)); return r; }
OWN int odd(long n);
OWN int even(long n) { return n ? odd(n - 1) : 1; }
OWN int odd(long n) { return n ? even(n - 1) : 0; }
OWN long nest(int n) { return n ? nest(n - 1) + 1 : 0; }
int main(int count, char **words)
{
    (void)count;
    printf("%ld\n", sum(atol(words[1])));
    printf("%d\n", even(atol(words[2])));
    printf("%ld\n", nest(atoi(words[3])));
    return 7;
}
C
for how in "-O2 -fno-ipa-icf" "-O2 -fno-ipa-icf -g -fpatchable-function-entry=5"; do
    # shellcheck disable=SC2086
    gcc $how -fno-inline -o deep deep.c || exit 1
    limit=$(ulimit -s)
    ulimit -S -s 262144 || ulimit -S -s "$(ulimit -H -s)"
    same deep ./deep 1000000 10000000 20001
    # with each call to be recorded, whatever it costs; the slots do not suffice for all
    run 7 mastermind record --functions sum,even,odd --no-report -o each.mm -- ./deep 50000 200000 3
    ulimit -S -s "$limit"
    found=$(calls each sum)
    { [ "$found" -gt 20000 ] && [ "$found" -lt 50001 ]; } || fail "$how: $found calls of sum"
    grep -q "$((50001 - found)) dropped" err || python3 - "$found" <<'P' || fail "$how: calls without a row are not counted"
import re, sys
assert int(re.search(r"([0-9,]+) dropped", open("err").read())[1].replace(",", "")) == 50001 - int(sys.argv[1])
P
    equal "$how: bounces" 200001 "$(($(calls each even) + $(calls each odd)))"
    rm -rf each.mm
done

# --- Ends of calls: exceptions, longjmp, also out of a handler, threads, coroutines, contexts
cat > ends.cc <<'C'
#include <csetjmp>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <pthread.h>
#include <semaphore.h>
#include <stdexcept>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#define OWN __attribute__((noinline))
static volatile long x;
struct Clean { OWN ~Clean() { x = x + 1; } };
OWN int thrower(int n) { Clean c; if (n == 0) throw std::runtime_error("x"); x = x + 1; return thrower(n - 1) + 1; }
OWN int catcher(int n) { try { return thrower(n); } catch (const std::logic_error &) { return 1; } }
OWN int outer(int n) { try { return catcher(n); } catch (const std::exception &) { return n; } }
OWN int direct() { try { throw 5; } catch (int e) { return e; } }
static jmp_buf back;
static sigjmp_buf out;
OWN static void leap(int n) { if (n) leap(n - 1); else longjmp(back, 1); x = x + 1; }
OWN static void quit(int n) { Clean c; if (n) quit(n - 1); else pthread_exit(nullptr); x = x + 1; }
static sem_t there;
OWN static void wait(int n) { Clean c; if (n) wait(n - 1); else for (;;) { sem_post(&there); pause(); } x = x + 1; }
static void *exits(void *) { quit(3); return nullptr; }
static void *waits(void *) { wait(3); return nullptr; }
static ucontext_t home, other[3];
OWN static void yield(int k) { swapcontext(&other[k], &home); x = x + 1; }
OWN static void co(int k, int depth) { if (depth) co(k, depth - 1); else for (int i = 0; i < 50; i++) { x = x + k; yield(k); } x = x + 1; }
static void run(int k) { co(k, 3); }
static volatile int armed, alarms;
OWN static void in_handler() { x = x + 0; }
static void on_alarm(int) { in_handler(); alarms = alarms + 1; if (armed) { armed = 0; siglongjmp(out, 1); } }
OWN static long spin(int n) { long s = 0; for (int i = 0; i < n; i++) { s += i * n; __asm__ volatile("" : "+r"(s)); } return s; }
OWN static int variadic(const char *format, ...)
{
    char text[100];
    va_list a;
    va_start(a, format);
    int n = vsnprintf(text, sizeof text, format, a);
    va_end(a);
    return n;
}
struct Large { long v[10]; };
OWN static Large large(Large l, double d, _Complex double z) { l.v[0] += (long)(d + __real__ z); return l; }
int main()
{
    long sum = 0;
    for (int k = 0; k < 50; k++) sum += outer(k % 7) + direct();
    for (volatile int k = 0; k < 50; k = k + 1) if (!setjmp(back)) leap(5);
    for (int k = 0; k < 20; k++) {
        pthread_t a, b;
        pthread_create(&a, nullptr, exits, nullptr);
        pthread_join(a, nullptr);
        sem_init(&there, 0, 0);
        pthread_create(&b, nullptr, waits, nullptr);
        sem_wait(&there);
        pthread_cancel(b);
        pthread_join(b, nullptr);
    }
    static char stacks[3][1 << 16];
    for (int k = 0; k < 3; k++) {
        getcontext(&other[k]);
        other[k].uc_stack.ss_sp = stacks[k];
        other[k].uc_stack.ss_size = sizeof stacks[k];
        other[k].uc_link = &home;
        makecontext(&other[k], (void (*)())run, 1, k);
    }
    for (int i = 0; i < 51; i++) for (int k = 0; k < 3; k++) swapcontext(&home, &other[k]);
    Large l = {};
    l = large(l, 2.5, 3.5);
    sum += variadic("%d %s %g %d %d %d %d %d", 1, "two", 3., 4, 5, 6, 7, 8) + l.v[0];
    long quiet = x;
    for (int k = 0; k < 5; k++) {
        pid_t child = fork();
        if (!child) { sum += spin(100); _exit((int)(sum & 127)); }
        int status;
        waitpid(child, &status, 0);
        sum += WEXITSTATUS(status);
        child = vfork();
        if (!child) { execl("/bin/true", "true", (char *)nullptr); _exit(1); }
        waitpid(child, &status, 0);
        sum += status;
    }
    signal(SIGALRM, on_alarm);
    struct itimerval often = {{0, 500}, {0, 500}}, off = {};
    setitimer(ITIMER_REAL, &often, nullptr);
    for (volatile int k = 0; k < 100; k = k + 1) {
        if (!sigsetjmp(out, 1)) armed = k % 2;
        for (int i = 0; i < 100; i++) x = x + (spin(2000) & 0);
    }
    armed = 0;
    setitimer(ITIMER_REAL, &off, nullptr);
    std::printf("%ld %ld\n", sum, quiet);
    return 5;
}
C
turn=0 # a level is by one of the compilers, in a soak by both
for compiler in g++ clang++; do
    command -v $compiler > /dev/null || continue
    for level in -O0 -O2 "-O3 -fno-pie -no-pie" "-O2 -fcf-protection -fno-omit-frame-pointer" "-O2 -fpatchable-function-entry=5"; do
        [ $((turn++ % 2)) = 0 ] || [ -n "${SOAK-}" ] || continue
        # shellcheck disable=SC2086
        $compiler $level -g -w -pthread -o ends ends.cc || exit 1
        options="--storage rows" same ends ./ends
        mastermind records ends.mm > rows.csv
        python3 - <<'P' || fail "rows of calls that end otherwise, $compiler $level"
import collections, csv
count = collections.Counter((r["method"], r["status"]) for r in csv.DictReader(open("rows.csv")))
assert sum(n for (m, s), n in count.items() if m == "thrower") == sum(k % 7 + 1 for k in range(50)), count
assert count["outer", "done"] == 50 and not [k for k in count if k[0] == "outer" and k[1] != "done"], count
assert sum(n for (m, s), n in count.items() if m == "quit" and s != "done") == 80, count
assert count["large", "done"] == 1 and count["variadic", "done"] == 1, count
assert sum(n for (m, s), n in count.items() if m == "spin") > 3000, count
P
    done
done
unset options

# --- Values that a caller keeps in registers which other functions may change
cat > kept.c <<'C'
#include <stdio.h>
__attribute__((noinline, used)) void leaf(void) { __asm__ volatile("nop; nop; nop; nop; nop; nop"); }
int main(void)
{
    unsigned long bad = 0;
    for (unsigned long i = 1; i < 3000; i++) {
        unsigned long in[9] = {i, i + 1, i + 2, i + 3, i + 4, i + 5, i + 6, i + 7, i + 8}, out[10], xmm[3];
        unsigned long *from = in, *to = out, *wide = xmm;
        __asm__ volatile("push %%rbx; push %%r12; push %%r13; mov %%rdi, %%rbx; mov %%rsi, %%r12; mov %%rdx, %%r13\n"
                         "mov (%%rbx), %%rax; mov 8(%%rbx), %%rcx; mov 16(%%rbx), %%rdx; mov 24(%%rbx), %%rsi; mov 32(%%rbx), %%rdi\n"
                         "mov 40(%%rbx), %%r8; mov 48(%%rbx), %%r9; mov 56(%%rbx), %%r10; mov 64(%%rbx), %%r11\n"
                         "movq (%%rbx), %%xmm0; movq 8(%%rbx), %%xmm8; movq 16(%%rbx), %%xmm15\n"
                         "cmp %%rax, %%rax; stc\n"
                         "call leaf\n"
                         "pushf; pop 72(%%r12)\n"
                         "mov %%rax, (%%r12); mov %%rcx, 8(%%r12); mov %%rdx, 16(%%r12); mov %%rsi, 24(%%r12); mov %%rdi, 32(%%r12)\n"
                         "mov %%r8, 40(%%r12); mov %%r9, 48(%%r12); mov %%r10, 56(%%r12); mov %%r11, 64(%%r12)\n"
                         "movq %%xmm0, (%%r13); movq %%xmm8, 8(%%r13); movq %%xmm15, 16(%%r13)\n"
                         "pop %%r13; pop %%r12; pop %%rbx\n"
                         : "+D"(from), "+S"(to), "+d"(wide)
                         :
                         : "rax", "rcx", "r8", "r9", "r10", "r11", "xmm0", "xmm8", "xmm15", "memory", "cc");
        for (int k = 0; k < 9; k++)
            bad += out[k] != in[k];
        for (int k = 0; k < 3; k++)
            bad += xmm[k] != in[k];
        bad += (out[9] & 0x41) != 0x41; /* zero and carry */
    }
    printf("%lu\n", bad);
    return 0;
}
C
gcc -O1 -mno-red-zone -o kept kept.c || exit 1
./kept > alone
equal "registers without the recorder" 0 "$(cat alone)"
options="--storage rows" same kept ./kept
says 0
equal "calls of leaf" 2999 "$(calls kept leaf)"
cat > wide.c <<'C'
#include <stdio.h>
#include <immintrin.h>
__attribute__((noinline)) static int leaf(int n) { return n * 3 + 1; }
__attribute__((target("avx"), noinline)) static double work(int n)
{
    __m256d a = _mm256_set1_pd(1.5), b = _mm256_set1_pd(.25);
    double out[4];
    for (int i = 0; i < n; i++)
        a = _mm256_add_pd(a, _mm256_mul_pd(b, _mm256_set1_pd(leaf(i))));
    _mm256_storeu_pd(out, a);
    return out[0] + out[3];
}
int main(void)
{
    if (__builtin_cpu_supports("avx"))
        printf("%g\n", work(100000));
    return 0;
}
C
gcc -O3 -o wide wide.c && same wide ./wide

# --- Patterns, libraries, stripped programs
cat > part.c <<'C'
int part_twice(int n) { volatile int m = n; return 2 * m; }
C
cat > whole.c <<'C'
int part_twice(int n);
__attribute__((noinline)) static int mine(int n) { volatile int m = n; return part_twice(m) + 1; }
int main(void) { int s = 0; for (int k = 0; k < 10; k++) s += mine(k); return s & 63; }
C
gcc -O1 -g -shared -fPIC -o libpart.so part.c && gcc -O1 -g -o whole whole.c -L. -lpart -Wl,-rpath,"$dir" || exit 1
./whole
plain=$?
methods() { mastermind records "$1" | tail -n +2 | cut -d, -f7 | sort -u | tr '\n' ' '; }
run $plain mastermind record --functions '*' --no-report -o whole.mm -- ./whole
equal "functions of the program" "main mine " "$(methods whole.mm)"
run $plain mastermind record --functions 'mine,libpart.so/part*' --no-report -o library.mm -- ./whole
equal "functions of a library" "mine part_twice " "$(methods library.mm)"
mastermind records library.mm > rows.csv
python3 - <<'P' || fail "arguments of a library's function"
import csv
assert [int(r["p.n"]) for r in csv.DictReader(open("rows.csv")) if r["method"] == "part_twice"] == list(range(10))
P
strip -o stripped whole
same stripped ./stripped
equal "rows of a stripped program" 11 "$(mastermind records stripped.mm | grep -c ',0x')"
finish
