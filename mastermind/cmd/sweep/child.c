/* SPDX-License-Identifier: BSD-3-Clause */
/* child.c: start the process of a run and wait for it. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "mastermind/cmd/sweep/sweep.h"
#include "mastermind/library/launch/launch.h"

enum {
    PATIENCE_S = 5,  /* seconds between SIGTERM and SIGKILL */
    TURN_NS = 300000 /* time after which pinned processes take turns */
};

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

/* In the new process: stay on one core, and take turns there after a short time, so that
 * all processes on it are disturbed alike. Kernels before 6.12 have no such time. */
static void stay_on(int core, int long_turns)
{
    /* struct sched_attr of sched_setattr(2), which libraries before glibc 2.41 lack */
    struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime, deadline, period;
    } attributes = {.size = sizeof attributes};
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET((size_t)core, &set);
    sched_setaffinity(0, sizeof set, &set);
    if (!long_turns &&
        syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) == 0 &&
        attributes.policy == SCHED_OTHER) {
        attributes.runtime = TURN_NS;
        syscall(SYS_sched_setattr, 0, &attributes, 0);
    }
}

/* In the new process: take the files, folder and core of a child. */
static void take_place(void *context)
{
    enum { WRITE = O_WRONLY | O_CREAT | O_TRUNC };
    const struct sweep_child *child = context;

    if (redirect(child->err, WRITE, 2))
        _exit(127);
    if (redirect("/dev/null", O_RDONLY, 0) || redirect(child->out, WRITE, 1) ||
        chdir(child->cwd)) {
        fprintf(stderr, "mastermind: cannot run in '%s': %s\n", child->cwd,
                strerror(errno));
        _exit(127);
    }
    if (child->is_pinned)
        stay_on(child->core, child->long_turns);
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (child->prepare)
        child->prepare(child->watch->context);
}

/* Report in the standard error of a child that its program cannot be run. */
static void refuse_program(struct sweep_child *child, int error)
{
    int file = open(child->err, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);

    if (file >= 0) {
        dprintf(file, "mastermind: cannot run '%s': %s\n", child->words[0],
                strerror(error));
        close(file);
    }
    child->status = W_EXITCODE(127, 0);
    child->pid = 0;
}

/* Make the process of a child, which waits. Returns 0 or a negative errno. */
static int prepare_child(struct sweep_child *child, struct mm_launch *launch)
{
    struct cca_error error = {0};
    int result = mm_launch_begin(launch, take_place, child, &error);

    child->pid = launch->pid;
    if (result == -EPIPE) { /* take_place has failed, and reported it in the file */
        child->status = W_EXITCODE(127, 0);
        return 0;
    }
    if (result)
        return result;
    setpgid(child->pid, child->pid); /* signals of the terminal go to the sweep alone */
    if (child->watch->begin)
        child->watch->begin(child->watch->context, child->pid);
    return 0;
}

/* Collect the children that have ended. Returns the number of others, or a negative
 * errno. */
static int collect(struct sweep_child *children, size_t count, double start)
{
    int running = 0;

    for (size_t i = 0; i < count; i++) {
        struct sweep_child *child = &children[i];
        pid_t found;

        if (child->pid <= 0)
            continue;
        found = wait4(child->pid, &child->status, WNOHANG, child->watch->usage);
        if (found < 0)
            return -errno;
        if (found == child->pid) {
            child->elapsed_s = now() - start;
            child->pid = 0;
        } else {
            running++;
        }
    }
    return running;
}

static void kill_children(const struct sweep_child *children, size_t count, int number)
{
    for (size_t i = 0; i < count; i++)
        if (children[i].pid > 0)
            kill(-children[i].pid, number);
}

/* Wait for the children to end, or for a signal, which ends them, too. 0 or a negative
 * errno. */
static int wait_children(struct sweep_child *children, size_t count, double start,
                         int *signal_number)
{
    double killed_at = 0;

    for (;;) {
        struct timespec second = {.tv_sec = 1};
        int running = collect(children, count, start), number;

        if (running <= 0)
            return running;
        number = sigtimedwait(&held, NULL, &second);
        if (number > 0 && number != SIGCHLD) {
            kill_children(children, count, *signal_number ? SIGKILL : SIGTERM);
            *signal_number = number;
            killed_at = now();
        } else if (*signal_number && now() - killed_at > PATIENCE_S) {
            kill_children(children, count, SIGKILL);
        } else if (number < 0) {
            for (size_t i = 0; i < count; i++)
                if (children[i].pid > 0 && children[i].watch->tick)
                    children[i].watch->tick(children[i].watch->context, now() - start);
        }
    }
}

int sweep_children_run(struct sweep_child *children, size_t count, int *signal_number)
{
    struct mm_launch *launches = calloc(count, sizeof *launches);
    size_t prepared = 0;
    double start;
    int result = launches ? 0 : -ENOMEM;

    *signal_number = 0;
    while (prepared < count && !result) {
        result = prepare_child(&children[prepared], &launches[prepared]);
        prepared++;
    }
    start = now();
    for (size_t i = 0; i < prepared; i++) {
        int error = 0;

        if (result)
            mm_launch_end(&launches[i]);
        else if (children[i].pid > 0)
            error = mm_launch_program(&launches[i], children[i].words[0],
                                      children[i].words, SIGTERM);
        if (error)
            refuse_program(&children[i], -error);
    }
    free(launches);
    return result ? result : wait_children(children, count, start, signal_number);
}

int sweep_pause(int seconds)
{
    double end = now() + seconds;

    for (double left; (left = end - now()) > 0;) {
        struct timespec rest = {.tv_sec = (time_t)left,
                                .tv_nsec = (long)(1e9 * (left - floor(left)))};
        int number = sigtimedwait(&held, NULL, &rest);

        if (number > 0 && number != SIGCHLD)
            return number;
    }
    return 0;
}

int sweep_child_run(char *const *words, const char *cwd, const char *out, const char *err,
                    const struct sweep_watch *watch, double *elapsed_s,
                    int *signal_number)
{
    struct sweep_child child = {
        .words = words, .cwd = cwd, .out = out, .err = err, .watch = watch};
    int status = sweep_children_run(&child, 1, signal_number);

    *elapsed_s = child.elapsed_s;
    return status ? status : child.status;
}
