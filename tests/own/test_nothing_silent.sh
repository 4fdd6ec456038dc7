#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Whatever is not recorded is reported: calls without a row, processes that the program starts, ends
# by signals, a full disk, a directory that cannot be written. The program does not notice.
. "$(dirname "$0")/../lib/lib.sh"
skip_sanitized "no sanitizer bears what stands in front of it"
[ "$(uname -m)" = x86_64 ] || skip "this is no x86-64"
[ -e /usr/include/Zydis/Zydis.h ] || skip "this build is without Zydis"
export XDG_CACHE_HOME=$dir/cache

cleanup() { umount "$dir"/full "$dir"/fixed 2>/dev/null; }

# --- Rows and dropped calls add up, for each kind of entry
cat > nest.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include "mm_region.h"
__attribute__((noinline, no_instrument_function)) static long in_region(int n)
{
    mm_region_begin("region", mm_param(n));
    long depth = n ? in_region(n - 1) + 1 : 0;
    mm_region_end();
    return depth;
}
__attribute__((noinline)) long nest(int n) { return n ? nest(n - 1) + 1 : 0; }
int main(int count, char **words)
{
    int n = atoi(words[1]);
    printf("%ld\n", count > 2 ? in_region(n) : nest(n));
    return 0;
}
C
sum_is() {
    python3 - "$1" "$2" <<'P' || fail "$2: rows and dropped calls"
import re, sys
found = re.search(r"([0-9,]+) rows, ([0-9,]+) dropped", open("err").read())
assert found, "no line of the experiment"
assert sum(int(word.replace(",", "")) for word in found.groups()) == int(sys.argv[1]), found.groups()
P
}
gcc -O1 -fno-optimize-sibling-calls -I"$root/mastermind/preload" -o nest nest.c || exit 1
gcc -O1 -fno-optimize-sibling-calls -finstrument-functions -I"$root/mastermind/preload" -o hooked nest.c || exit 1
for depth in 20000 40000; do
    run 0 mastermind record --functions nest --no-report -o n.mm -- ./nest $depth
    sum_is $((depth + 1)) "own functions, $depth"
    run 0 mastermind record --functions nest --no-report -o h.mm -- ./hooked $depth
    sum_is $((depth + 1)) "instrumented functions, $depth"
    run 0 mastermind record --no-report -o r.mm -- ./nest $depth region
    sum_is $((depth + 1)) "regions, $depth"
    rm -rf n.mm h.mm r.mm
done

# --- Processes
cat > starts.c <<'C'
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
static volatile long x;
__attribute__((noinline)) int work(int n) { for (int i = 0; i < n * 1000; i++) x += i; return n; }
static int cloned(void *p) { (void)p; work(900); _exit(4); }
static void on_signal(int s) { (void)s; if (!fork()) { work(7); _exit(0); } wait(NULL); }
int main(int count, char **words)
{
    char *program[] = {words[0], "none", NULL};
    const char *how = words[1];
    static char stack[1 << 16];
    pid_t child = 0;
    (void)count;
    work(1);
    if (!strcmp(how, "fork") && !(child = fork())) { work(2); exit(3); }
    if (!strcmp(how, "fork+exec") && !(child = fork())) { execv(words[0], program); _exit(9); }
    if (!strcmp(how, "vfork+exec") && !(child = vfork())) { execv(words[0], program); _exit(9); }
    if (!strcmp(how, "spawn")) posix_spawn(&child, words[0], NULL, NULL, program, environ);
    if (!strcmp(how, "system") && system("./starts none; exit 3") < 0) return 1;
    if (!strcmp(how, "clone")) child = clone(cloned, stack + sizeof stack, SIGCHLD, NULL);
    if (!strcmp(how, "signal")) { signal(SIGUSR1, on_signal); raise(SIGUSR1); }
    if (!strcmp(how, "killed") && !(child = fork())) { work(2); raise(SIGKILL); }
    if (child > 0) { int status; waitpid(child, &status, 0); printf("%d\n", status); }
    if (!strcmp(how, "exec")) execv(words[0], program);
    if (!strcmp(how, "_exit")) _exit(5);
    if (!strncmp(how, "SIG", 3)) { if (!fork()) _exit(0); wait(NULL); raise(atoi(how + 3)); }
    work(1);
    printf("done %s\n", how);
    return 6;
}
C
gcc -O1 -g -o starts starts.c || exit 1
# starts HOW OPTIONS TEXT...: the same with and without the recorder, and each text is in the report
starts() {
    local how=$1 options=$2 text
    shift 2
    { ./starts "$how" > plain; } 2>/dev/null
    local status=$?
    rm -rf ./*.mm
    # shellcheck disable=SC2086
    run $status mastermind record $options --functions work -o s.mm -- ./starts "$how"
    cmp -s plain out || fail "$how: another output"
    for text in "$@"; do
        grep -qF -- "$text" err || fail "$how $options: no '$text'"
    done
    mastermind report s.mm > again 2>&1
    for text in "$@"; do
        case $text in experiment*) continue ;; esac
        grep -qF -- "$text" again || fail "$how $options: 'report' has no '$text'"
    done
}
starts none "" "experiment s.mm: 1 method, 2 rows, 0 dropped"
! grep -q "it started\|forked" err || fail "none: processes that there are not"
starts fork "" "1 forked process without exec is not recorded"
starts fork+exec "" "1 process that it started is not recorded: starts; --children records it"
starts vfork+exec "" "1 process that it started is not recorded: starts; --children records it"
starts spawn "" "1 process that it started is not recorded: starts; --children records it"
starts system "" "not recorded: sh, starts; --children records them"
starts clone "" "processes that cannot be followed (clone, static programs) used"
starts signal "" "1 forked process without exec is not recorded"
starts killed "" "1 forked process without exec is not recorded"
starts fork+exec --children "1 process that it started is recorded: starts-1.mm"
grep -q "experiment starts-1.mm: 1 method, 2 rows" err || fail "the child's experiment is not named"
starts system --children "1 process that it started called no recorded function: sh" \
    "1 process that it started is recorded: starts-1.mm"
starts fork --children "1 forked process without exec is not recorded"

# --- Ends: the rows stay, and the report names what ended the program
for signal in 9:KILL 15:TERM 11:SEGV 6:ABRT; do
    starts "SIG${signal%:*}" "" "this run did not end in order (SIG${signal#*:} ended it)" \
        "1 calls ended" "1 forked process without exec is not recorded"
done
starts _exit "" "(it called _exit, which leaves the recorder no time)" "1 calls ended"
starts exec "" "(it became another program by exec, whose experiment is starts-1.mm)"
mastermind report starts-1.mm > out 2>&1
grep -q "2  *0 .*starts.function.work" out || fail "exec: the second program's rows"

# --- No room: rows up to then are kept, and one reason is given. So many calls that their rows, of some 6 bytes each,
# are more than there is room for.
calls=${SOAK:+2000000}
calls=${calls:-800000}
cat > many.c <<'C'
#include <stdio.h>
__attribute__((noinline)) int work(int n) { __asm__ volatile("" : "+r"(n)); return n * 3 + 7; }
int main(void)
{
    long sum = 0;
    for (int i = 0; i < CALLS; i++) sum += work(i % 7919);
    printf("%ld\n", sum);
    return 5;
}
C
gcc -O1 -g -DCALLS=$calls -o many many.c || exit 1
./many > plain
# many WHERE REASON...: the program is as it is, and there is one line with a reason
many() {
    local where=$1
    shift
    run 5 mastermind record --functions work --storage rows -o "$where" -- ./many
    cmp -s plain out || fail "$where: another output"
    equal "$where: lines with a reason" 1 "$(grep -c "^mastermind:" err)"
    for text in "$@"; do
        grep -q -- "$text" err || fail "$where: no '$text'"
    done
}
kept() {
    sum_is $calls "$1"
    grep -q " 0 rows" err && [ "$2" = some ] && fail "$1: no row is kept"
}
mkdir -p full fixed
if mount -t tmpfs -o size=4m none full 2>/dev/null && mount -t tmpfs -o ro none fixed 2>/dev/null; then
    many full/x.mm "some measurements were not kept" "No space left on device"
    kept "a disk that gets full" some
    rm -rf full/x.mm
    head -c 3M /dev/zero > full/fill
    many full/x.mm "No space left on device"
    kept "a disk without room for a window" none
    rm -rf full/x.mm
    head -c 5M /dev/zero > full/fill 2>/dev/null
    many full/x.mm "no experiment full/x.mm was made:.*No space left on device"
    many fixed/x.mm "no experiment fixed/x.mm was made: .*Read-only file system"
    run 5 env XDG_CACHE_HOME="$dir/fixed" mastermind record --functions work --storage rows --no-report -o a.mm -- ./many
    sum_is $calls "a cache that cannot be written"
    run 5 env XDG_CACHE_HOME="$dir/full" mastermind record --functions work --storage rows --no-report -o b.mm -- ./many
    sum_is $calls "a cache without room"
    (cd fixed && exec mastermind ../many > ../out 2> ../err)
    equal "whole, in a read-only directory" 5 $?
    cmp -s plain out || fail "whole, in a read-only directory: another output"
elif [ "$(id -u)" != 0 ]; then
    chmod 555 fixed
    many fixed/x.mm "no experiment fixed/x.mm was made: .*Permission denied"
fi
for blocks in 1 2000 4000; do
    rm -rf q.mm
    [ $blocks = 2000 ] || rm -rf cache
    { bash -c "ulimit -f $blocks; exec mastermind record --functions work --storage rows -o q.mm -- ./many" \
        2>&1 >&3 | cat > err; } 3>&1 | cat > out
    cmp -s plain out || fail "ulimit -f $blocks: another output"
    grep -q "File too large" err || fail "ulimit -f $blocks: no reason"
    [ $blocks = 1 ] || equal "ulimit -f $blocks: lines with a reason" 1 "$(grep -c "^mastermind:" err)"
done
finish
