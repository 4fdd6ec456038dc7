#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Functions that do not return, in libraries, tables and ports: their calls are recorded, and left
# as those that longjmp skips, that a thread ends in, or that were open when the process ended.
optimize=yes # a call that does not return changes optimized code
. "$(dirname "$0")/../headers/headers.sh"
strict="-std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Wpedantic -Werror -fPIC -fexceptions -I$root -I."

cat > die.h << 'END'
#include <setjmp.h>
#include <stdarg.h>
int work(int n);
_Noreturn void die(int how, int n);
void jump(jmp_buf env, int n) __attribute__((noreturn));
void gone(const char *format, ...) __attribute__((noreturn));
void vgone(const char *format, va_list list) __attribute__((noreturn));
typedef void (*last)(int) __attribute__((noreturn));
void onward(last to, int n);
struct die_ops {
    int (*work)(int n);
    void (*die)(int how, int n) __attribute__((noreturn));
    void (*jump)(struct die_ops *self, jmp_buf env, int n) __attribute__((__noreturn__));
};
END
cat > die.c << 'END'
#include "die.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int work(int n) { return n + 1; }
void die(int how, int n)
{
    work(n);
    if (how == 0)
        exit(n);
    if (how == 1)
        _exit(n);
    if (how == 2)
        pthread_exit(NULL);
    abort();
}
void jump(jmp_buf env, int n) { longjmp(env, n); }
void vgone(const char *format, va_list list)
{
    vprintf(format, list);
    exit(3);
}
void gone(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vgone(format, list);
}
void onward(last to, int n) { to(n); }
END
cat > main.c << 'END'
#include "die.h"
#include <pthread.h>
#include <stdlib.h>
static void late(void) { work(100); }
static void *thread(void *x)
{
    (void)x;
    work(7);
    die(2, 5);
}
static jmp_buf place;
static _Noreturn void back(int n) { longjmp(place, n); }
int main(int argc, char **argv)
{
    int how = argc > 1 ? atoi(argv[1]) : 0;
    pthread_t other;
    atexit(late);
    for (volatile int i = 0; i < 3; i++) {
        if (!setjmp(place))
            jump(place, 1 + i);
        work(i);
    }
    if (!setjmp(place))
        onward(back, 4);
    work(3); /* from an older place: proves that call dead */
    if (pthread_create(&other, NULL, thread, NULL) || pthread_join(other, NULL))
        return 1;
    if (how == 4)
        gone("%d %s\n", 5, "words");
    die(how, 9);
}
END
# shellcheck disable=SC2086
$CC $strict -shared -pthread -o libdie.so die.c && $CC $strict -pthread -o main main.c -L. -ldie -Wl,-rpath,"$dir" || exit 1
proxygen --interpose die.h --functions work,die,jump,gone,onward -o proxy 2> said || fail "$(cat said)"
proxygen --table die_ops die.h 2> said || fail "$(cat said)"
cat > end_port.h << 'END'
#include "ports/cca_port.h"
#define END_PORT_TYPE "test.EndPort/1"
typedef void (*end_last)(int) __attribute__((noreturn));
struct end_port {
    struct cca_port base;
    void (*stop)(struct end_port *self, CCA_PARAM int n) __attribute__((noreturn));
    void (*leave)(struct end_port *self) __attribute__((noreturn)) CCA_UNMEASURED;
    int (*call)(struct end_port *self, end_last out);
};
END
proxygen -I "$root" -I . end_port.h 2> said || fail "$(cat said)"
for compiler in gcc "clang -fsyntax-only"; do
    for file in proxy/die_interpose.c die_tables.c end_port_proxy.c; do
        # shellcheck disable=SC2086
        $compiler $strict -O2 -Wno-pedantic -c -o object.o $file || fail "$compiler $file"
    done
done

# The same through a table: what it forwards to does not return either.
cat > table.c << 'END'
#include "die_tables.h"
#include <stdlib.h>
static void hop(struct die_ops *self, jmp_buf env, int n) __attribute__((noreturn));
static void hop(struct die_ops *self, jmp_buf env, int n)
{
    (void)self;
    jump(env, n);
}
int main(void)
{
    struct die_ops own = {work, die, hop}, *outer = die_ops_wrap(&own, "ops");
    jmp_buf env;
    int n = setjmp(env);
    if (!n)
        outer->jump(outer, env, 6);
    outer->work(n);
    outer->die(0, 11);
}
END
# shellcheck disable=SC2086
$CC $strict -o table table.c die_tables.c -L. -ldie -Wl,-rpath,"$dir" || exit 1
./table
[ $? = 11 ] || fail "the table unrecorded"
needs_preload

rows() { # EXPERIMENT: thread:method(n):status, in the order in which calls began
    mastermind records "$1" 2> /dev/null | python3 -c 'import csv, sys
rows = sorted(csv.DictReader(sys.stdin), key=lambda r: (int(r["thread"]), int(r["invocation"])))
print(*["%s:%s(%s):%s" % (r["thread"], r["method"], r["p.n"], r["status"]) for r in rows])'
}
first="0:jump(1):longjmp 0:work(0):done 0:jump(2):longjmp 0:work(1):done 0:jump(3):longjmp 0:work(2):done 0:onward(4):longjmp 0:work(3):done"
thread="1:work(7):done 1:die(5):unwound 1:work(5):done"
last[0]="0:die(9):open 0:work(9):done 0:work(100):done"
last[1]="0:die(9):open 0:work(9):done"
last[3]=${last[1]}
last[4]="0:gone():open 0:work(100):done"
status[0]=9 status[1]=9 status[3]=134 status[4]=3
for how in 0 1 3 4; do
    (timeout 60 mastermind record --proxy proxy -o die$how.mm -- ./main $how > told 2> said)
    got=$?
    [ $got = "${status[$how]}" ] || fail "how $how: status $got: $(cat said)"
    [ "$(rows die$how.mm)" = "$first ${last[$how]} $thread" ] || fail "how $how: $(rows die$how.mm)"
done
grep -q '^5 words$' told || fail "what a variadic function printed: $(cat told)"
mastermind report die0.mm | grep -q 'running at the end, rank 0 thread 0: libdie.c.die' || fail "$(mastermind report die0.mm)"
timeout 60 mastermind record -o table.mm -- ./table > told 2> said
[ $? = 11 ] || fail "the table: $(cat said)"
[ "$(rows table.mm)" = "0:jump(6):longjmp 0:work(6):done 0:die(11):open" ] || fail "$(rows table.mm)"

# The C library's own
printf '%s\n' '#include <setjmp.h>' '#include <stdlib.h>' 'int main(void) { jmp_buf env; if (!setjmp(env)) longjmp(env, 1); exit(5); }' > own.c
$CC -O0 -o own own.c || fail own.c
proxygen --interpose /usr/include/stdlib.h --functions exit -o own.proxy 2> said || fail "$(cat said)"
proxygen --interpose /usr/include/setjmp.h --functions longjmp -o own.proxy 2> said || fail "$(cat said)"
timeout 60 mastermind record --proxy own.proxy -o own.mm -- ./own 2> said
[ $? = 5 ] || fail "exit and longjmp: $(cat said)"
own=$(mastermind records own.mm | python3 -c 'import csv, sys
print(*sorted(r["method"] + ":" + r["status"] for r in csv.DictReader(sys.stdin)))')
[ "$own" = "exit:open longjmp:longjmp" ] || fail "$own"
finish
