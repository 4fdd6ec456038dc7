/* SPDX-License-Identifier: BSD-3-Clause */
/* probe.c: a child process loads a library before this process does. A library that kills
 * the child, exits, or does not return in time is refused.
 *
 * The child runs this program again by exec, it is not a plain fork: a fork of a process
 * with threads can wait for ever for a lock that another thread held, and a fork of an
 * MPI rank has its connections. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"
#include "framework/crash/crash.h"
#include "framework/crash/probe.h"

enum { DEADLINE_S = 10 };
enum {
    LOADED = 77,
    NOT_LOADED = 76
}; /* exit statuses of the child process that loads
    * the library */

/* --- The child ------------------------------------------------------------ */

_Noreturn void ccafe_probe_child(const char *file)
{
    const struct rlimit none = {0, 0};
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

    setrlimit(RLIMIT_CORE, &none);
    for (int fd = 0; fd < 3; fd++)
        dup2(nothing, fd);
    _exit(dlopen(file, RTLD_NOW | RTLD_LOCAL) ? LOADED : NOT_LOADED);
}

/* --- The parent ----------------------------------------------------------- */

/* True for signals of faults. Other signals come from outside and prove nothing about the
 * library. */
static int is_fault(int number)
{
    static const int faults[] = {SIGSEGV, SIGBUS,  SIGFPE, SIGILL,
                                 SIGABRT, SIGTRAP, SIGSYS};

    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (faults[i] == number)
            return 1;
    return 0;
}

/* Wait for the child. Returns 1 if it ended, with `status`; 0 if it took too long and was
 * killed; -1 if its end is unknown. */
static int wait_for_child(pid_t child, int *status)
{
    struct timespec pause = {.tv_nsec = 100000};
    double until = cca_clock_s(CLOCK_MONOTONIC) + DEADLINE_S;
    pid_t ended;

    while ((ended = waitpid(child, status, WNOHANG)) == 0) {
        if (cca_clock_s(CLOCK_MONOTONIC) > until)
            break;
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < 10000000)
            pause.tv_nsec += pause.tv_nsec / 4;
    }
    if (ended != 0)
        return ended == child ? 1 : -1;
    kill(child, SIGKILL);
    while (waitpid(child, status, 0) < 0 && errno == EINTR)
        continue;
    return 0;
}

/* Load a library in a child process. Returns 0, also if no child can be made; -ELIBBAD
 * with `err`. */
static int probe_library(void *context, const struct cca_class_info *info,
                         struct cca_error *err)
{
    char *const words[] = {(char *)"ccafe", (char *)CCAFE_PROBE, (char *)info->file,
                           NULL};
    const char *own = context;
    size_t length = own ? strlen(own) : 0;
    char reason[80];
    int status = 0, ended;
    pid_t child;

    if (length && strncmp(info->file, own, length) == 0 && info->file[length] == '/')
        return 0;
    if (posix_spawn(&child, "/proc/self/exe", NULL, NULL, words, environ) != 0)
        return 0;
    ended = wait_for_child(child, &status);
    if (ended == 0)
        snprintf(reason, sizeof reason, "took more than %d s", DEADLINE_S);
    else if (ended > 0 && WIFSIGNALED(status) && is_fault(WTERMSIG(status)))
        snprintf(reason, sizeof reason, "ended in signal %d", WTERMSIG(status));
    else if (ended > 0 && WIFEXITED(status) && WEXITSTATUS(status) != LOADED &&
             WEXITSTATUS(status) != NOT_LOADED)
        snprintf(reason, sizeof reason, "exited with status %d", WEXITSTATUS(status));
    else
        return 0;
    return cca_error_set(err, -ELIBBAD,
                         "class '%s' is refused: a child process that loaded it %s: '%s'",
                         info->cls.name, reason, info->file);
}

/* Make the repository probe libraries. Also unset LD_PRELOAD, which is meant for this
 * process alone. */
void ccafe_probe_begin(struct cca_repository *repository, const char *own)
{
    if (!CCAFE_SANITIZED && !getenv("LD_PRELOAD"))
        cca_repository_ask_first(repository, probe_library, (void *)own);
}
