#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Programs that close descriptors, set limits on themselves, change root and user, trace and stop one another, make
# threads by clone and code at run time: each prints and ends the same, recorded and not.
. "$(dirname "$0")/../lib/lib.sh"
skip_sanitized "no sanitizer bears what stands in front of it"
[ "$(uname -m)" = x86_64 ] || skip "this is no x86-64"
[ -e /usr/include/Zydis/Zydis.h ] || skip "this build is without Zydis"
export XDG_CACHE_HOME=$dir/cache

cat > hostile.c <<'C'
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
#define OWN __attribute__((noinline))
static volatile long x;
OWN long work(int n) { for (int i = 0; i < n; i++) x += i; return x; }
OWN long other(int n) { return work(n) + 1; }
OWN long third(int n) { return other(n) + 1; }
static void limit(int what, rlim_t to) { struct rlimit l = {to, to}; if (setrlimit(what, &l)) perror("setrlimit"); }
static void on_prof(int s) { (void)s; x += work(2) & 0; }
static void *thread(void *p) { third(10); return p; }
static int cloned(void *p) { for (int i = 0; i < 3000; i++) third(3); return (int)(long)p; }
static void *many(void *p) { for (int i = 0; i < 2000; i++) third(3); return p; }
int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    other(1);
    if (!strcmp(how, "as")) { limit(RLIMIT_AS, 1 << 20); third(3); void *p = malloc(1 << 20); printf("%d\n", p == NULL); for (int i = 0; i < 20000; i++) third(1); return 3; }
    if (!strcmp(how, "data")) { limit(RLIMIT_DATA, 0); third(3); printf("%d\n", malloc(1 << 26) == NULL); return 3; }
    if (!strcmp(how, "nofile")) { limit(RLIMIT_NOFILE, 3); third(3); printf("%d\n", open("/dev/null", 0)); return 3; }
    if (!strcmp(how, "nproc")) { limit(RLIMIT_NPROC, 0); third(3); printf("%d\n", 1); return 3; }
    if (!strcmp(how, "fsize")) { limit(RLIMIT_FSIZE, 0); for (int i = 0; i < 100000; i++) third(1); printf("1\n"); return 3; }
    if (!strcmp(how, "memlock")) { limit(RLIMIT_MEMLOCK, 65536); printf("%d\n", mlockall(MCL_FUTURE)); for (int i = 0; i < 100000; i++) third(1); pthread_t t; printf("%d\n", pthread_create(&t, 0, thread, 0)); return 3; }
    if (!strcmp(how, "close")) { third(1); for (int i = 3; i < 1024; i++) close(i); for (int i = 0; i < 100000; i++) third(1); printf("%d\n", open("/dev/null", 0)); return 3; }
    if (!strcmp(how, "closefrom")) { third(1); syscall(SYS_close_range, 3, ~0u, 0); for (int i = 0; i < 100000; i++) third(1); printf("%d\n", open("/dev/null", 0)); return 3; }
    if (!strcmp(how, "reuse")) { third(1); closefrom(3); int fd[50]; for (int i = 0; i < 50; i++) fd[i] = open("reuse.file", O_CREAT | O_RDWR | O_TRUNC, 0600); for (int i = 0; i < 100000; i++) third(1); struct stat s; fstat(fd[0], &s); printf("%ld %d\n", (long)s.st_size, fd[49]); return 3; }
    if (!strcmp(how, "fd")) { int a = open("/dev/null", 0), b = dup(1); third(1); printf("%d %d %d\n", a, b, fcntl(100, F_GETFD)); system("ls /proc/self/fd | tr '\\n' ' '"); return 3; }
    if (!strcmp(how, "chroot")) { third(1); mkdir("empty", 0755); if (chroot("empty")) return 9; chdir("/"); third(2); printf("x\n"); return 3; }
    if (!strcmp(how, "setuid")) { third(1); if (setgid(65534) || setuid(65534)) return 9; for (int i = 0; i < 100000; i++) third(1); printf("x\n"); return 3; }
    if (!strcmp(how, "clearrefs")) { FILE *f = fopen("/proc/self/clear_refs", "w"); fputs("5", f); fclose(f); prctl(PR_SET_NAME, "renamed"); third(2); return 3; }
    if (!strcmp(how, "dumpable")) { prctl(PR_SET_DUMPABLE, 0); third(2); puts("x"); return 3; }
    if (!strcmp(how, "daemon")) { third(1); fflush(stdout); if (fork()) { third(3); _exit(0); } setsid(); if (fork()) _exit(0); third(4); FILE *f = fopen("daemon.file", "w"); fprintf(f, "daemon\n"); fclose(f); return 0; }
    if (!strcmp(how, "daemon2")) { if (daemon(1, 0)) return 9; third(4); FILE *f = fopen("daemon2.file", "w"); fprintf(f, "daemon\n"); fclose(f); return 5; }
    if (!strcmp(how, "traceme")) {
        pid_t child = fork();
        int status;
        if (!child) { ptrace(PTRACE_TRACEME, 0, 0, 0); third(1); raise(SIGSTOP); third(2); raise(SIGUSR1); third(3); _exit(7); }
        while (waitpid(child, &status, 0) == child) { printf("%x\n", status); if (WIFEXITED(status) || WIFSIGNALED(status)) break; ptrace(PTRACE_CONT, child, 0, WSTOPSIG(status) == SIGSTOP ? 0 : 0); }
        return 3;
    }
    if (!strcmp(how, "antidebug")) { printf("%ld %ld\n", ptrace(PTRACE_TRACEME, 0, 0, 0), third(3)); return 3; }
    if (!strcmp(how, "stop")) { pid_t me = getpid(), child = fork(); if (!child) { int status; (void)status; usleep(100000); kill(me, SIGCONT); _exit(0); } third(1); raise(SIGSTOP); third(2); wait(NULL); puts("on"); return 3; }
    if (!strcmp(how, "prof")) { signal(SIGPROF, on_prof); struct itimerval i = {{0, 1000}, {0, 1000}}; setitimer(ITIMER_PROF, &i, 0); for (int k = 0; k < 100000; k++) third(300); puts("x"); return 3; }
    if (!strcmp(how, "rawclone")) {
        static char stack[4][1 << 16]; int pids[4];
        for (int i = 0; i < 4; i++) pids[i] = clone(cloned, stack[i] + sizeof stack[i], CLONE_VM | CLONE_FS | CLONE_FILES | SIGCHLD, (void *)(long)i);
        for (int i = 0; i < 3000; i++) third(2);
        for (int i = 0; i < 4; i++) { int s; waitpid(pids[i], &s, 0); printf("%x\n", s); }
        return 3;
    }
    if (!strcmp(how, "forkthreads")) {
        pthread_t t[4]; for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, many, 0);
        for (int i = 0; i < 50; i++) { pid_t c = fork(); if (!c) { third(3); pthread_t u; pthread_create(&u, 0, thread, 0); pthread_join(u, 0); exit(i); } int s; waitpid(c, &s, 0); printf("%d ", WEXITSTATUS(s)); }
        for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
        puts("");
        return 3;
    }
    if (!strcmp(how, "quickexit")) { third(2); puts("x"); fflush(stdout); quick_exit(4); }
    if (!strcmp(how, "mainthread")) { pthread_t t; pthread_create(&t, 0, many, 0); third(1); pthread_exit(0); }
    if (!strcmp(how, "mdwe")) { printf("%d\n", prctl(65, 1, 0, 0, 0)); third(2); return 3; }
    if (!strcmp(how, "exit0")) { close(0); close(1); close(2); third(3); return 3; }
    puts("nothing");
    return 3;
}
C
cat > made.cc <<'C'
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <pthread.h>
#include <stdexcept>
#include <sys/mman.h>
#include <ucontext.h>
extern "C" void __register_frame(void *);
static volatile long x;
#define OWN __attribute__((noinline))
extern "C" OWN int thrower(int n) { x += n; if (n % 3 == 0) throw std::runtime_error("t"); return n; }
extern "C" OWN int deep(int n) { return n ? deep(n - 1) + 1 : thrower((int)x % 7); }
typedef int (*fn)(int);
static fn jit(fn target)
{
    unsigned char *p = (unsigned char *)mmap(0, 4096, 7, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *q = p;
    *q++ = 0x48; *q++ = 0x83; *q++ = 0xec; *q++ = 8; *q++ = 0x48; *q++ = 0xb8; memcpy(q, &target, 8); q += 8; *q++ = 0xff; *q++ = 0xd0; *q++ = 0x48; *q++ = 0x83; *q++ = 0xc4; *q++ = 8; *q++ = 0xc3;
    // .eh_frame: CIE, FDE
    unsigned char *e = p + 256, *c = e;
    auto u4 = [&](unsigned v) { memcpy(c, &v, 4); c += 4; };
    auto u8 = [&](unsigned long v) { memcpy(c, &v, 8); c += 8; };
    unsigned char cie[] = {1, 0, 1, 0x78, 16, 0x0c, 7, 8, 0x90, 1, 0, 0};
    u4(4 + sizeof cie); u4(0); memcpy(c, cie, sizeof cie); c += sizeof cie;
    unsigned char *fde = c; u4(4 + 16 + 4); u4((unsigned)(c - e)); u8((unsigned long)p); u8((unsigned long)(q - p)); *c++ = 0x44; *c++ = 0x0e; *c++ = 16; *c++ = 0; u4(0); (void)fde;
    __register_frame(e);
    return (fn)p;
}
static ucontext_t home, co; static char st[1 << 16]; static pthread_barrier_t bar;
extern "C" OWN void yields(int n) { for (int i = 0; i < n; i++) { deep(0 * i + 1 - 1); } }
extern "C" OWN int step(int n) { swapcontext(&co, &home); return n; }
static void body() { for (int i = 0; i < 100; i++) { x += step(i); } }
static void *other(void *) { for (int i = 0; i < 50; i++) swapcontext(&home, &co); return 0; }
int main()
{
    fn f = jit(thrower), g = jit(deep); int caught = 0;
    for (int i = 0; i < 3000; i++) try { x += f(i); } catch (std::exception &e) { caught++; }
    for (int i = 0; i < 300; i++) try { x += g(i % 50); } catch (std::exception &e) { caught++; }
    for (int i = 0; i < 200; i++) { void *h = dlopen("libz.so.1", RTLD_NOW); auto z = (unsigned long (*)(unsigned long, const char *, unsigned))dlsym(h, "crc32"); x += z(0, "abc", 3) & 1; dlclose(h); }
    getcontext(&co); co.uc_stack.ss_sp = st; co.uc_stack.ss_size = sizeof st; co.uc_link = &home; makecontext(&co, body, 0);
    for (int i = 0; i < 20; i++) swapcontext(&home, &co);
    pthread_t t; pthread_create(&t, 0, other, 0); pthread_join(t, 0);
    for (int i = 0; i < 31; i++) swapcontext(&home, &co);
    printf("%d %ld\n", caught, (long)x);
    return 9;
}
C
# last COMMAND...: the command, until the last of its processes has ended: also daemons, which become children of `last`
cat > last.c <<'C'
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    pid_t command, child;
    int status = 0, first = 0;
    if (argc < 2 || prctl(PR_SET_CHILD_SUBREAPER, 1) || (command = fork()) < 0) return 125;
    if (!command) { execvp(argv[1], argv + 1); _exit(127); }
    alarm(100); /* a daemon that hangs is a failure */
    while ((child = wait(&status)) > 0) if (child == command) first = status;
    return WIFSIGNALED(first) ? 128 + WTERMSIG(first) : WEXITSTATUS(first);
}
C
gcc -O1 -o last last.c || exit 1
gcc -O1 -g -w -pthread -o hostile hostile.c || exit 1
g++ -O2 -g -w -pthread -o made made.cc -ldl || exit 1

# same PROGRAM WORD: equal output, standard error, files and status, recorded in each way and not; of daemons, too
same() {
    local status options
    rm -rf empty ./*.file
    { ./last timeout 60 "$@" > alone 2> alone.err; } 2>/dev/null
    status=$?
    cat ./*.file > alone.files 2>/dev/null
    for options in "--functions *" "--functions work,other,third,thrower,deep,step --storage rows"; do
        rm -rf empty ./*.file
        set -f
        # shellcheck disable=SC2086
        run $status ./last timeout 60 mastermind record $options --no-report -o k.mm -- "$@"
        set +f
        cmp -s alone out || fail "$* $options: another output: $(diff alone out | head -n 5)"
        equal "$* $options: standard error" "$(cat alone.err)" "$(grep -v '^mastermind: \|^experiment ' err)"
        cat ./*.file > files 2>/dev/null
        cmp -s alone.files files || fail "$* $options: other files"
        rm -rf k.mm
    done
}
ways="${FAULT_WAYS:-as data nofile nproc fsize memlock close closefrom reuse fd chroot setuid clearrefs dumpable daemon daemon2 traceme antidebug stop prof rawclone forkthreads quickexit mainthread mdwe exit0}"
for how in $ways; do
    case $how in chroot | setuid) [ "$(id -u)" = 0 ] || continue ;; esac
    same ./hostile $how
done
same ./made
finish
