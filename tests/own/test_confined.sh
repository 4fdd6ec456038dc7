#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Programs that confine themselves (seccomp) end as they do alone: recording ends before the filter comes, as any
# system call of the recorder would be the program's end.
. "$(dirname "$0")/../lib/lib.sh"
skip_sanitized "no sanitizer bears what stands in front of it"
[ "$(uname -m)" = x86_64 ] || skip "this is no x86-64"
[ -e /usr/include/Zydis/Zydis.h ] || skip "this build is without Zydis"
export XDG_CACHE_HOME=$dir/cache

cat > confined.c <<'C'
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>
#include "mm_region.h"
static volatile long x;
__attribute__((noinline)) long first(int n) { mm_region_begin("part", mm_param(n)); x += n; mm_region_end(); return x; }
__attribute__((noinline)) long later(int n) { mm_region_begin("rest", mm_param(n)); x += n; mm_region_end(); return x; }
static void confine(int by_number)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 4, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_futex, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog program = {sizeof code / sizeof *code, code};
    long failed = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);

    failed |= by_number ? syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program)
                        : prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
    if (failed) exit(77);
}
static void work(void)
{
    for (int i = 0; i < 10000; i++) later(i);
    x += (long)crc32(0, (const unsigned char *)"abc", 3) & 0;
}
int main(int count, char **words)
{
    const char *how = count > 1 ? words[1] : "";
    char said[] = "ends\n";
    first(1);
    x += (long)crc32(0, (const unsigned char *)"abc", 3) & 0;
    if (!strcmp(how, "strict")) {
        if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT)) return 77;
        work();
        syscall(SYS_write, 1, said, 5);
        syscall(SYS_exit, 5);
    }
    if (!strcmp(how, "child")) { /* a fork confines itself, the program goes on */
        int status;
        pid_t child = fork();
        if (!child) { first(2); confine(0); work(); syscall(SYS_write, 1, said, 5); syscall(SYS_exit_group, 6); }
        waitpid(child, &status, 0);
        later(3);
        printf("%x\n", (unsigned)status);
        return 7;
    }
    if (!strcmp(how, "questions")) { /* these confine nothing */
        long answer = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, NULL);
        printf("%ld %d ", answer, errno);
        answer = syscall(100000, 1, 2, 3, 4, 5, 6);
        printf("%ld %d %ld ", answer, errno, syscall(SYS_getpid) - getpid());
        printf("%d %d\n", prctl(PR_GET_DUMPABLE, 0, 0, 0, 0), prctl(PR_SET_SECCOMP, 9, 0, 0, 0));
        later(4);
        return 8;
    }
    confine(!strcmp(how, "number"));
    work();
    syscall(SYS_write, 1, said, 5);
    exit(4);
}
C
gcc -O1 -g -I"$root/mastermind/preload" -o confined confined.c -lz -pthread || exit 1
gcc -O1 -g -fpatchable-function-entry=5 -I"$root/mastermind/preload" -o patchable confined.c -lz -pthread || exit 1
./confined filter > /dev/null
[ $? = 77 ] && skip "no filters of system calls here"
for program in confined patchable; do
    for how in strict filter number child questions; do
        ./$program $how > alone 2> alone.err
        status=$?
        for options in "--functions *" "--functions first,later --storage rows" "" "--library z"; do
            [ $program = confined ] || [ "${options#--f}" != "$options" ] || continue
            set -f
            # shellcheck disable=SC2086
            run $status mastermind record $options --no-report -o k.mm -- ./$program $how
            set +f
            cmp -s alone out || fail "$program $how $options: another output"
            calls=$(mastermind report k.mm --json | python3 -c 'import json, sys
methods = json.load(sys.stdin)["methods"]
print(*(sum(m["calls"] for m in methods if m["method"] == name) for name in ("first", "later", "part", "rest", "crc32")))')
            case $how in child | questions) later=1 ;; *) later=0 ;; esac
            case $options in
            --f*) equal "$program $how $options: calls" "1 $later 1 $later 0" "$calls" ;;
            --l*) equal "$program $how $options: calls" "0 0 1 $later 1" "$calls" ;;
            *) equal "$program $how $options: calls" "0 0 1 $later 0" "$calls" ;;
            esac
            case $how in
            child | questions) ! grep -q seccomp err || fail "$how: a filter is reported" ;;
            *) mastermind report k.mm 2>&1 | tr -s ' \n' '  ' | grep -q "(seccomp): what comes after that is not recorded" || fail "$how: no reason" ;;
            esac
            rm -rf k.mm
        done
    done
done
finish
