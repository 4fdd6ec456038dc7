/* SPDX-License-Identifier: BSD-3-Clause */
/* guard.c: a child with limits reads the header. */
#include "tools/proxygen/guard.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { SANITIZED = 1 }; /* which reserves more address space than there is memory */
#elif defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif
#else
enum { SANITIZED = 0 };
#endif

static struct rlimit cpu_before, memory_before;

/* Lower a limit; what it was in `before`. */
static void limit(int resource, rlim_t value, struct rlimit *before)
{
    struct rlimit lower;

    if (getrlimit(resource, before) < 0 || before->rlim_cur <= value)
        return;
    lower = *before;
    lower.rlim_cur = value;
    setrlimit(resource, &lower);
}

void pg_guard_lift(void)
{
    alarm(0);
    setrlimit(RLIMIT_CPU, &cpu_before);
    if (!SANITIZED)
        setrlimit(RLIMIT_AS, &memory_before);
}

static int said_why(const char *header, int signal)
{
    if (signal == SIGXCPU)
        fprintf(stderr, "%.200s: error: clang has not read it in the %d s of computing that it may "
                        "take\n", header, PG_GUARD_CPU_S);
    else if (signal == SIGALRM)
        fprintf(stderr, "%.200s: error: clang has not read it in %d s\n", header,
                PG_GUARD_WALL_S);
    else
        fprintf(stderr, "%.200s: error: clang ended on it: %s\n", header, strsignal(signal));
    return BAD_INPUT;
}

int pg_guard_run(int (*work)(const struct command *command), const struct command *command)
{
    pid_t parent = getpid(), child;
    int status;

    fflush(NULL);
    child = fork();
    if (child < 0) {
        fprintf(stderr, "proxygen: cannot start a process: %s\n", strerror(errno));
        return IO_ERROR;
    }
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(IO_ERROR);
        signal(SIGALRM, SIG_DFL);
        alarm(PG_GUARD_WALL_S);
        limit(RLIMIT_CPU, PG_GUARD_CPU_S, &cpu_before);
        if (!SANITIZED)
            limit(RLIMIT_AS, (rlim_t)PG_GUARD_MEMORY_GIB << 30, &memory_before);
        exit(work(command));
    }
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return IO_ERROR;
    return WIFEXITED(status) ? WEXITSTATUS(status)
                             : said_why(command->options.header, WTERMSIG(status));
}
