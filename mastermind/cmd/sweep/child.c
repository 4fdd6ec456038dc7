/* SPDX-License-Identifier: BSD-3-Clause */
/* child.c: start the process of a run and wait for it. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "mastermind/cmd/sweep/sweep.h"

enum { PATIENCE_S = 5 }; /* seconds between SIGTERM and SIGKILL */

static sigset_t held, before;

/* Add a signal to `held`, unless it was ignored when this process began (nohup). */
static void hold_signal(int number)
{
    struct sigaction action;

    if (sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_IGN)
        sigaddset(&held, number);
}

void sweep_hold_signals(void)
{
    sigemptyset(&held);
    hold_signal(SIGINT);
    hold_signal(SIGTERM);
    hold_signal(SIGHUP);
    signal(SIGCHLD, SIG_DFL);
    sigaddset(&held, SIGCHLD);
    sigprocmask(SIG_BLOCK, &held, &before);
}

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Open or create `path` as file descriptor `number`. */
static int redirect(const char *path, int flags, int number)
{
    int file = open(path, flags, 0666);

    if (file < 0 || (file != number && (dup2(file, number) < 0 || close(file))))
        return -1;
    return 0;
}

/* In the new process: wait until the parent has closed its end of the pipe. */
static void wait_for_parent(const int ends[2])
{
    char byte;

    close(ends[1]);
    while (read(ends[0], &byte, 1) < 0 && errno == EINTR)
        ;
    close(ends[0]);
}

/* In the new process: run the command. */
static void become(char *const *words, const char *cwd, const char *out, const char *err,
                   pid_t parent, const int ends[2])
{
    enum { WRITE = O_WRONLY | O_CREAT | O_TRUNC };

    setpgid(0, 0);                    /* signals of the terminal go to the sweep alone */
    prctl(PR_SET_PDEATHSIG, SIGTERM); /* the run dies with the sweep */
    if (getppid() != parent)
        _exit(127);
    wait_for_parent(ends);
    if (redirect(err, WRITE, 2))
        _exit(127);
    if (redirect("/dev/null", O_RDONLY, 0) || redirect(out, WRITE, 1) || chdir(cwd)) {
        fprintf(stderr, "mastermind: cannot run in '%s': %s\n", cwd, strerror(errno));
        _exit(127);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    execvp(words[0], words);
    fprintf(stderr, "mastermind: cannot run '%s': %s\n", words[0], strerror(errno));
    _exit(127);
}

/* Wait for the child to end, or for a signal, which ends it, too. */
static int wait_child(pid_t child, double start, const struct sweep_watch *watch,
                      int *signal_number)
{
    double killed_at = 0;
    int status;

    for (;;) {
        struct timespec second = {.tv_sec = 1};
        pid_t found = wait4(child, &status, WNOHANG, watch->usage);
        int number;

        if (found == child)
            return status;
        if (found < 0)
            return -errno;
        number = sigtimedwait(&held, NULL, &second);
        if (number > 0 && number != SIGCHLD) {
            kill(-child, *signal_number ? SIGKILL : SIGTERM);
            *signal_number = number;
            killed_at = now();
        } else if (*signal_number && now() - killed_at > PATIENCE_S) {
            kill(-child, SIGKILL);
        } else if (number < 0 && watch->tick) {
            watch->tick(watch->context, now() - start);
        }
    }
}

int sweep_child_run(char *const *words, const char *cwd, const char *out, const char *err,
                    const struct sweep_watch *watch, double *elapsed_s,
                    int *signal_number)
{
    pid_t parent = getpid(), child;
    double start;
    int status, ends[2];

    *signal_number = 0;
    if (pipe2(ends, O_CLOEXEC))
        return -errno;
    fflush(NULL);
    child = fork();
    if (child == 0)
        become(words, cwd, out, err, parent, ends);
    status = child < 0 ? -errno : 0;
    close(ends[0]);
    if (child > 0) {
        setpgid(child, child); /* parent and child both do: either may run first */
        if (watch->begin)
            watch->begin(watch->context, child);
    }
    start = now();
    close(ends[1]);
    if (status)
        return status;
    status = wait_child(child, start, watch, signal_number);
    *elapsed_s = now() - start;
    return status;
}
