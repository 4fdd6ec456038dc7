/* SPDX-License-Identifier: BSD-3-Clause */
/* deadline.c: report a call of a Go port that does not return, and end the process.
 *
 * The application may be stuck anywhere, with any lock held: the watching thread takes
 * only its own lock, allocates nothing and does not use stdio. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "framework/crash/crash.h"

enum { GRACE_S = 2 };

struct ccafe_deadline {
    struct cca_framework *framework;
    struct builder_port *builder;
    double seconds;
    pthread_t thread;
    pthread_mutex_t lock; /* lock of the members below */
    pthread_cond_t changed;
    int depth; /* number of nested calls of Go ports */
    int over;  /* true if the thread must end */
    int passed;
    struct timespec due;
    char place[256], instance[128], port[128];
};

static struct timespec after(double seconds)
{
    struct timespec when;

    clock_gettime(CLOCK_MONOTONIC, &when);
    when.tv_sec += (time_t)seconds;
    when.tv_nsec += (long)((seconds - (double)(time_t)seconds) * 1e9);
    if (when.tv_nsec >= 1000000000) {
        when.tv_sec++;
        when.tv_nsec -= 1000000000;
    }
    return when;
}

static void write_overdue(const struct ccafe_deadline *deadline)
{
    char line[640];
    int length =
        snprintf(line, sizeof line,
                 "%s: '%s' of '%s' has not returned within its deadline of %g s\n",
                 deadline->place, deadline->port, deadline->instance, deadline->seconds);

    if (length > 0 && write(STDERR_FILENO, line, (size_t)length) < 0)
        return; /* standard error is closed */
}

/* End the process, as a call of a Go port has passed its deadline. Call this function
 * with the lock held. */
static void end(struct ccafe_deadline *deadline)
{
    const struct timespec grace = after(GRACE_S);

    deadline->passed = 1;
    write_overdue(deadline);
    pthread_mutex_unlock(&deadline->lock);
    cca_framework_overdue(deadline->framework, deadline->instance, deadline->port);
    pthread_mutex_lock(&deadline->lock);
    /* a program that handles SIGTERM can save its data */
    ccafe_signals_allow_exit();
    if (ccafe_signals_handled(SIGTERM) && kill(getpid(), SIGTERM) == 0)
        while (!deadline->over &&
               pthread_cond_timedwait(&deadline->changed, &deadline->lock, &grace) == 0)
            continue;
    if (!deadline->over)
        _exit(CCA_EXIT_COMPONENT);
}

static void *watch(void *context)
{
    struct ccafe_deadline *deadline = context;

    pthread_mutex_lock(&deadline->lock);
    while (!deadline->over && !deadline->passed) {
        if (!deadline->depth)
            pthread_cond_wait(&deadline->changed, &deadline->lock);
        else if (pthread_cond_timedwait(&deadline->changed, &deadline->lock,
                                        &deadline->due) == ETIMEDOUT &&
                 deadline->depth)
            end(deadline);
    }
    pthread_mutex_unlock(&deadline->lock);
    return NULL;
}

static void on_builder_event(void *context, const struct builder_event *event)
{
    struct ccafe_deadline *deadline = context;

    if (event->type != BUILDER_GO_PENDING && event->type != BUILDER_GO_DONE)
        return;
    pthread_mutex_lock(&deadline->lock);
    if (event->type == BUILDER_GO_DONE) {
        deadline->depth--;
    } else if (deadline->depth++ == 0) {
        deadline->due = after(deadline->seconds);
        ccafe_signals_place(deadline->place, sizeof deadline->place);
        snprintf(deadline->instance, sizeof deadline->instance, "%s", event->instance);
        snprintf(deadline->port, sizeof deadline->port, "%s", event->port);
    }
    pthread_cond_signal(&deadline->changed);
    pthread_mutex_unlock(&deadline->lock);
}

/* The thread blocks signals: they are for the application's threads. */
static int start(struct ccafe_deadline *deadline)
{
    sigset_t all, before;
    int status;

    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    status = pthread_create(&deadline->thread, NULL, watch, deadline);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}

struct ccafe_deadline *ccafe_deadline_new(struct cca_framework *framework, double seconds)
{
    struct ccafe_deadline *deadline = calloc(1, sizeof *deadline);
    pthread_condattr_t monotonic;

    if (!deadline)
        return NULL;
    deadline->framework = framework;
    deadline->builder = cca_framework_builder(framework);
    deadline->seconds = seconds;
    pthread_mutex_init(&deadline->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&deadline->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    if (deadline->builder->add_listener(deadline->builder, on_builder_event, deadline))
        goto fail;
    if (start(deadline) == 0)
        return deadline;
    deadline->builder->remove_listener(deadline->builder, on_builder_event, deadline);
fail:
    pthread_cond_destroy(&deadline->changed);
    pthread_mutex_destroy(&deadline->lock);
    free(deadline);
    return NULL;
}

int ccafe_deadline_free(struct ccafe_deadline *deadline)
{
    int passed;

    if (!deadline)
        return 0;
    pthread_mutex_lock(&deadline->lock);
    deadline->over = 1;
    pthread_cond_signal(&deadline->changed);
    pthread_mutex_unlock(&deadline->lock);
    pthread_join(deadline->thread, NULL);
    passed = deadline->passed;
    deadline->builder->remove_listener(deadline->builder, on_builder_event, deadline);
    pthread_cond_destroy(&deadline->changed);
    pthread_mutex_destroy(&deadline->lock);
    free(deadline);
    return passed;
}
