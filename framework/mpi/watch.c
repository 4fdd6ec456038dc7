/* SPDX-License-Identifier: BSD-3-Clause */
/* watch.c: see the process of another rank end before its time. */
#include "framework/mpi/watch.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LAUNCHER_MS = 3000, STATUS_LOST = 4 };

/* Where a rank lives. Two with the same `place` can see each other's process numbers. */
struct home {
    char place[256];
    int64_t pid;
};

struct watch {
    struct cca_cohort *cohort;
    int before;         /* the rank that this one speaks for */
    int count;          /* of `ends`: the first is written to when the watch is over */
    struct pollfd *ends; /* [count] */
    int *ranks;         /* [count], whose process it is */
    pthread_t thread;
};

static void home_find(struct home *home)
{
    size_t length;

    memset(home, 0, sizeof *home);
    gethostname(home->place, sizeof home->place / 2);
    length = strlen(home->place);
    if (readlink("/proc/self/ns/pid", home->place + length, sizeof home->place - length - 1) < 0)
        home->place[length] = '\0';
    home->pid = getpid();
}

static int same_place(const struct home *homes, int a, int b)
{
    return strcmp(homes[a].place, homes[b].place) == 0;
}

/* The rank before this one at the same place; this one, if it is alone there. */
static int rank_before(const struct home *homes, int rank, int size)
{
    int before = rank;

    do
        before = (before + size - 1) % size;
    while (before != rank && !same_place(homes, before, rank));
    return before;
}

/* Nobody may be able to take a lock any more. */
static void say_lost(int rank)
{
    char line[128];
    int length = snprintf(line, sizeof line,
                          "rank %d: its process has ended in the middle of the run\n", rank);

    if (length > 0 && write(STDERR_FILENO, line, (size_t)length) < 0)
        return; /* nobody listens */
}

/* Only the first to end is told of: what follows is the launcher's work. */
static void *keep_watch(void *context)
{
    struct watch *w = context;

    while (poll(w->ends, (nfds_t)w->count, -1) < 0)
        continue;
    if (w->ends[0].revents)
        return NULL;
    for (int i = 1; i < w->count; i++)
        if (w->ends[i].revents && w->ranks[i] == w->before)
            say_lost(w->before);
    if (poll(w->ends, 1, LAUNCHER_MS) == 0)
        w->cohort->abort(w->cohort, STATUS_LOST);
    return NULL;
}

/* Signals are for the application's threads. */
static int start(struct watch *w)
{
    sigset_t all, before;
    int status;

    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    status = pthread_create(&w->thread, NULL, keep_watch, w);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}

/* Without its thread. */
static void watch_done(struct watch *w)
{
    for (int i = 0; i < w->count; i++)
        close(w->ends[i].fd);
    free(w->ends);
    free(w->ranks);
    free(w);
}

static void watch_add(struct watch *w, int fd, int rank)
{
    if (fd < 0)
        return;
    w->ends[w->count] = (struct pollfd){.fd = fd, .events = POLLIN};
    w->ranks[w->count++] = rank;
}

static struct watch *watch_begin(struct cca_cohort *cohort, const struct home *homes)
{
    size_t room = (size_t)cohort->size + 1;
    struct watch *w = calloc(1, sizeof *w);

    if (!w)
        return NULL;
    w->cohort = cohort;
    w->before = rank_before(homes, cohort->rank, cohort->size);
    w->ends = calloc(room, sizeof *w->ends);
    w->ranks = calloc(room, sizeof *w->ranks);
    if (w->ends && w->ranks)
        watch_add(w, eventfd(0, EFD_CLOEXEC), -1);
    for (int rank = 0; rank < cohort->size && w->count; rank++)
        if (rank != cohort->rank && same_place(homes, rank, cohort->rank))
            /* closed on exec */
            watch_add(w, (int)syscall(SYS_pidfd_open, (pid_t)homes[rank].pid, 0), rank);
    if (w->count > 1 && start(w) == 0)
        return w;
    watch_done(w);
    return NULL;
}

struct watch *watch_new(struct cca_cohort *cohort)
{
    struct home own, *homes = calloc((size_t)cohort->size, sizeof *homes);
    struct watch *w = NULL;

    if (!homes) {
        fputs("ccafe: out of memory\n", stderr);
        cohort->abort(cohort, 5);
        return NULL;
    }
    home_find(&own);
    if (cohort->gather(cohort, &own, sizeof own, homes, 0) == 0)
        w = watch_begin(cohort, homes);
    free(homes);
    return w;
}

void watch_free(struct watch *w)
{
    if (!w)
        return;
    eventfd_write(w->ends[0].fd, 1);
    pthread_join(w->thread, NULL);
    watch_done(w);
}
