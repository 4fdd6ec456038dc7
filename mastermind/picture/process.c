/* SPDX-License-Identifier: BSD-3-Clause */
/* process.c: run Graphviz as a child process that reads and writes files. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mastermind/picture/inside.h"

enum { NOT_FOUND = 127, NOT_STARTED = 126, PATIENCE = 10 };

/* In the child process: replace it by Graphviz. */
static void become_dot(int input, int output, unsigned seconds)
{
    const struct rlimit time = {seconds, seconds + 1}, no_core = {0, 0};
    int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setrlimit(RLIMIT_CPU, &time);
    setrlimit(RLIMIT_CORE, &no_core);
    alarm(PATIENCE * seconds); /* a limit on elapsed time, which ends a child that waits
                                  without using CPU time */
    if (nothing < 0 || dup2(input, 0) < 0 || dup2(output, 1) < 0 || dup2(nothing, 2) < 0)
        _exit(NOT_STARTED);
    execlp("dot", "dot", "-Tplain-ext", (char *)NULL);
    _exit(errno == ENOENT ? NOT_FOUND : NOT_STARTED);
}

int mm_dot_run(FILE *input, FILE *output, unsigned seconds)
{
    int status;
    pid_t child, found;

    if (fflush(input) || fseek(input, 0, SEEK_SET))
        return -EIO;
    fflush(NULL);
    child = fork();
    if (child < 0)
        return -errno;
    if (child == 0)
        become_dot(fileno(input), fileno(output), seconds);
    do
        found = waitpid(child, &status, 0);
    while (found < 0 && errno == EINTR);
    if (found < 0)
        return -errno;
    if (WIFSIGNALED(status))
        return WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGALRM ? -ETIMEDOUT
                                                                          : -EIO;
    if (WEXITSTATUS(status) == NOT_FOUND)
        return -ENOENT;
    rewind(output);
    return WEXITSTATUS(status) ? -EIO : 0;
}
