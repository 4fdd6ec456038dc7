#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A setting of a library that is chosen in each call of an unmodified program: by rules, at random, by rules made from
# that; where the setting is the process's and where it is the thread's; mistakes. The library here has the functions
# of OpenBLAS that read and set its threads, and shows the number that each call has found.
. "$(dirname "$0")/../lib/lib.sh"
skip_sanitized "what is preloaded is built without the sanitizer"

cat >blas.h <<'END'
int product(int n, int depth);
END
cat >blas.c <<'END'
#include "blas.h"
#include <errno.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
SCOPE int count = 4;
int openblas_get_num_threads(void) { errno = 97; return count; }
void openblas_set_num_threads(int n) { errno = 98; count = n; }
jmp_buf out;
void (*inside)(void); /* called in the next call */
int (*volatile again)(int, int) = product; /* as the linker binds it */
/* returns the number of threads; a call with depth makes another one inside; costs less with two threads if n > 1000 */
int product(int n, int depth)
{
    int before = count;
    volatile int x = 0;
    void (*call)(void) = inside;
    static int wrong;
    if ((errno == 97 || errno == 98) && !wrong++)
        printf("errno is changed before the call ");
    if (call) {
        inside = NULL;
        call();
    }
    if (depth > 0)
        before = 10 * before + again(n + 100, depth - 1);
    if (depth < 0)
        longjmp(out, 1);
    for (int i = 0; getenv("SPIN") && i < (count == 1 ? 100 * n : 90000 + 10 * n); i++)
        x++;
    return before;
}
END
cat >calls.c <<'END'
#include "blas.h"
#include <errno.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
extern jmp_buf out;
extern int openblas_get_num_threads(void);
int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        char *end;
        int n = (int)strtol(argv[i], &end, 10), depth = *end ? atoi(end + 1) : 0;
        if (depth >= 0 || !setjmp(out))
            printf("%d ", product(n, depth));
        if (errno == 97 || errno == 98)
            printf("errno is changed by the call ");
    }
    for (int i = 0; argc == 1 && i < 2000; i++)
        product(10 + rand() % 1500, 0);
    printf("after %d\n", openblas_get_num_threads());
    return 0;
}
END
library() { # library SCOPE FILE
    $CC -O1 -shared -fPIC -DSCOPE="$1" -Wl,-soname,libours.so.1 -o "$2" blas.c || exit 1
}
library "" libours.so.1
$CC -O1 -o calls calls.c libours.so.1 -Wl,-rpath,"$dir" || exit 1
printf '%s\n' 'header blas.h' 'function product' '  param n' >blas.perf
expect 0 "" proxygen --interpose blas.h -I . --functions product --sidecar blas.perf -o proxy

# --- Each call has the setting of the first rule that holds, and the program its own behind it ------------
rules() { printf '%s\n' 'dispatch blas.h/1' "$@" >blas.dispatch; }
rules 'product: threads=1 when n <= 100   # few' 'product: threads=2 when n < 300' 'product: libours.so.1:threads=3 when n = 400'
run 0 mastermind record --proxy proxy --dispatch blas.dispatch -o rules.mm -- ./calls 100 101 299 300 400 99
says '1 2 2 4 3 1 after 4'
equal 'rows' '1 libours 1 libours_threads=1 2 libours_threads=2 2 libours_threads=3 1' "$(mastermind report rules.mm --json | python3 -c '
import json, sys
m = sorted((m["name"].split(".")[0], m["calls"]) for m in json.load(sys.stdin)["methods"] if m["calls"])
print(len(m) - 3, *(w for pair in m for w in pair))')"
run 0 mastermind record --proxy proxy --dispatch blas.dispatch --no-rows -- ./calls 100 101 299 300 400 99
says '1 2 2 4 3 1 after 4'
quiet
[ -z "$(ls -d calls-*.mm 2>/dev/null)" ] || fail "--no-rows: an experiment"
# calls inside calls (both digits), and calls that longjmp leaves
run 0 mastermind record --proxy proxy --dispatch blas.dispatch --no-rows -- ./calls 100,1 250,1 10,-1 350 101
says '12 22 4 2 after 4'
run 0 mastermind record --proxy proxy --dispatch blas.dispatch -o longjmp.mm -- ./calls 100,1 250,1 10,-1 350 101
says '12 22 4 2 after 4'

# --- Threads: a setting of the process is changed by one at a time, a setting of the thread by each --------
cat >threads.c <<'END'
#include "blas.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
extern int openblas_get_num_threads(void);
static int wrong, strict;
static void *work(void *argument)
{
    int n = *(int *)argument;
    for (int i = 0; i < 200000; i++)
        __atomic_fetch_or(&wrong, strict && product(n, 0) != n, __ATOMIC_RELAXED);
    return NULL;
}
int main(int argc, char **argv)
{
    pthread_t threads[4];
    int sizes[4] = {1, 2, 1, 2};
    strict = argc > 1;
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, work, &sizes[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    printf("wrong %d after %d\n", wrong, openblas_get_num_threads());
    return 0;
}
END
$CC -O1 -pthread -o threads threads.c libours.so.1 -Wl,-rpath,"$dir" || exit 1
rules 'product: threads=1 when n = 1' 'product: threads=2'
run 0 mastermind record --proxy proxy --dispatch blas.dispatch --no-rows -- ./threads
says 'wrong 0 after 4'
sed 's/openblas_get_num_threads/omp_get_max_threads/; s/openblas_set/omp_set/' blas.c >openmp.c
cp blas.c own.c && mv openmp.c blas.c && mkdir thread
library __thread thread/libours.so.1
mv own.c blas.c
sed -i 's/openblas_get_num_threads/omp_get_max_threads/' threads.c
$CC -O1 -pthread -o each threads.c thread/libours.so.1 -Wl,-rpath,"$dir/thread" || exit 1
run 0 mastermind record --proxy proxy --dispatch blas.dispatch --no-rows -- ./each strict
says 'wrong 0 after 4'

# A thread in whose process another one has changed the setting: the number is as it is; a child has the program's, and
# a trial is left out of the rows.
cat >apart.c <<'END'
#include "blas.h"
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
extern void (*inside)(void);
extern int openblas_get_num_threads(void);
static void *other(void *argument)
{
    pid_t child;
    printf("other %d ", product(500, 0));
    fflush(stdout);
    child = fork();
    if (!child) {
        printf("child %d ", product(500, 0));
        fflush(stdout);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    return argument;
}
static void meet(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    pthread_join(thread, NULL);
}
int main(void)
{
    inside = meet;
    printf("own %d ", product(1, 0));
    printf("after %d\n", openblas_get_num_threads());
    return 0;
}
END
$CC -O1 -pthread -o apart apart.c libours.so.1 -Wl,-rpath,"$dir" || exit 1
rules 'product: threads=1 when n = 1'
run 0 mastermind record --proxy proxy --dispatch blas.dispatch --no-rows -- ./apart
says 'other 1 child 4 own 1 after 4'
for tried in 2,3 4; do # 4: the number stands already
    run 0 mastermind record --proxy proxy --try threads=$tried -o apart.mm -- ./apart
    equal "rows of --try threads=$tried" 1 "$(mastermind records apart.mm --csv | python3 -c '
import csv, sys
print(*(r["p.n"] for r in csv.DictReader(sys.stdin)))')"
    rm -rf apart.mm
done

# A function that is called for the first time while another thread is in calls of the library
mkdir more
for f in a b c d e f g h; do echo "int $f(int n);"; done >more/more.h
for f in a b c d e f g h; do echo "int $f(int n) { return n; }"; done |
    cat - <(echo 'static int count = 4; int openblas_get_num_threads(void) { return count; }
        void openblas_set_num_threads(int n) { count = n; }') >more/more.c
$CC -O1 -shared -fPIC -Wl,-soname,libmore.so.1 -o more/libmore.so.1 more/more.c || exit 1
cat >more/first.c <<'END'
#include "more.h"
#include <pthread.h>
#include <stdio.h>
static int begun, done;
static void *work(void *argument)
{
    while (!__atomic_load_n(&done, __ATOMIC_RELAXED)) {
        a(1);
        __atomic_store_n(&begun, 1, __ATOMIC_RELEASE);
    }
    return argument;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    while (!__atomic_load_n(&begun, __ATOMIC_ACQUIRE))
        ;
    printf("%d", b(1) + c(1) + d(1) + e(1) + f(1) + g(1) + h(1));
    __atomic_store_n(&done, 1, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
    puts("");
    return 0;
}
END
$CC -O1 -pthread -o more/first more/first.c more/libmore.so.1 -Wl,-rpath,"$dir/more" || exit 1
expect 0 "" proxygen --interpose more/more.h -I more --functions a,b,c,d,e,f,g,h -o more/proxy
printf '%s\n' 'dispatch more.h/1' 'a: threads=1' >more.dispatch
run 0 mastermind record --proxy more/proxy --dispatch more.dispatch -o first.mm -- more/first
says 7

# --- Candidates are drawn, and rules are made from their costs -----------------------------------------------
run 0 mastermind record --proxy proxy --try threads=1,2 -o few.mm -- ./calls $(seq 40)
equal 'settings that were drawn' '1 2' "$(sed 's/ after.*//' out | tr ' ' '\n' | sort -u | tr '\n' ' ' | sed 's/ $//')"
made() {
    rm -rf tried.mm
    SPIN=1 run 0 mastermind record --proxy proxy --try threads=1,2 -o tried.mm -- ./calls
    run 0 mastermind choose tried.mm --dispatch made.dispatch --force --metric TIME # the threads here are none
    sed -n '/^product:/{s/ *#.*//;p}' made.dispatch | tr '\n' ';' >rules
    python3 - <<'END' || fail "other rules: $(cat made.dispatch)"
import re
found = re.fullmatch(r"product: threads=1 when n <= (\d+);product: threads=2;", open("rules").read())
assert found and 700 <= int(found[1]) <= 1300, found
END
}
at_best made
holds made.dispatch 'mastermind record --library libours.so.1 --dispatch FILE'
holds out 'threads=1 for all calls:'
cp made.dispatch own.dispatch
run 0 mastermind choose tried.mm --dispatch made.dispatch --force --json # by clock time
fits choose-dispatch-metric out
run 0 mastermind record --proxy proxy --dispatch own.dispatch --no-rows -- ./calls 30 1400
says '1 2 after 4'

# --- Mistakes: one line, and the program goes on as without rules; mistakes in the text end it before ---------
mistake() { # mistake LINE RULE...
    local line=$1
    shift
    rules "$@"
    run 0 mastermind record --proxy proxy --dispatch blas.dispatch --no-rows -- ./calls 10
    says '4 after 4'
    complains "mastermind: $dir/$line"
}
mistake "blas.dispatch:2: found 'produce', expected a function that is interposed; the rules are not used" 'produce: threads=1'
mistake "blas.dispatch:3: found 'm', expected an in-value of product, such as n; the rules are not used" 'product: threads=1 when n < 9' 'product: threads=2 when m = 1'
mistake "blas.dispatch: libours.so.1: found 'threads=0', expected a setting, as threads=2 or ksp=cg,pc=icc; the rules are not used" 'product: threads=0'
mistake "blas.dispatch: libours.so.1: found 'libz.so.1:threads=1', but this is libours.so.1; the rules are not used" 'product: libz.so.1:threads=1'
sed -i 's/blas.h/other.h/' blas.dispatch
run 0 mastermind record --proxy proxy --dispatch blas.dispatch --no-rows -- ./calls 10
complains "mastermind: $dir/blas.dispatch: no function of other.h/1 was called"
rules 'product: threads=1 if n < 3'
expect 3 "blas.dispatch:2: found 'if', expected 'when' or the end of the line" mastermind record --proxy proxy --dispatch blas.dispatch -- ./calls 10
expect 2 '--dispatch goes with --library or --proxy' mastermind record --dispatch blas.dispatch -- ./calls 10
expect 2 '--no-rows goes with --dispatch' mastermind record --proxy proxy --no-rows -- ./calls 10
# a library without such a call
sed 's/openblas_/other_/' blas.c >none.c && mkdir none
$CC -O1 -shared -fPIC -DSCOPE= -Wl,-soname,libours.so.1 -o none/libours.so.1 none.c || exit 1
sed -i 's/openblas_/other_/' calls.c
$CC -O1 -o without calls.c none/libours.so.1 -Wl,-rpath,"$dir/none" || exit 1
rules 'product: threads=1'
run 0 mastermind record --proxy proxy --dispatch blas.dispatch --no-rows -- ./without 10
complains "mastermind: $dir/blas.dispatch: libours.so.1: it has no call that sets threads: neither openblas_set_num_threads nor omp_set_num_threads; the rules are not used"
run 0 mastermind record --proxy proxy --try threads=1,2 -o none.mm -- ./without 10
complains 'mastermind: --try threads=1,2: libours.so.1: it has no call that sets threads: neither openblas_set_num_threads nor omp_set_num_threads'
finish
