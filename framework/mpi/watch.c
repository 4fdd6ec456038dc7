/* SPDX-License-Identifier: BSD-3-Clause */
/* watch.c: notice that the process of another rank has ended early. */
#include "framework/mpi/parts.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LAUNCHER_MS = 3000, STATUS_LOST = 4 };

/* Machine of a rank. Ranks with the same `place` can see each other's process ids. */
struct home {
    char place[256];
    int64_t pid;
    int64_t sentinel; /* process id of the rank's sentinel; 0: none */
};

struct watch {
    struct cca_cohort *cohort;
    struct sentinel sentinel; /* sentinel of this rank; the first rank's sentinel
                               * serves all ranks on the machine */
    pid_t sentinel_here;
    /* number of `ends`: descriptors of which the first is a pipe that wakes the thread
     * when the watch is over
     */
    int count;
    struct pollfd *ends; /* [count] */
    pthread_t thread;
};

static void home_find(struct home *home, const struct sentinel *sentinel)
{
    size_t length;

    memset(home, 0, sizeof *home);
    gethostname(home->place, sizeof home->place / 2);
    length = strlen(home->place);
    if (readlink("/proc/self/ns/pid", home->place + length,
                 sizeof home->place - length - 1) < 0)
        home->place[length] = '\0';
    home->pid = getpid();
    home->sentinel = sentinel->pid;
}

static int same_place(const struct home *homes, int a, int b)
{
    return strcmp(homes[a].place, homes[b].place) == 0;
}

static void *keep_watch(void *context)
{
    struct watch *w = context;

    while (poll(w->ends, (nfds_t)w->count, -1) < 0)
        continue;
    if (w->ends[0].revents)
        return NULL;
    if (poll(w->ends, 1, LAUNCHER_MS) == 0)
        w->cohort->abort(w->cohort, STATUS_LOST);
    return NULL;
}

/* The thread blocks signals: they are for the application's threads. */
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

/* Free a watch whose thread is not running. */
static void watch_done(struct watch *w)
{
    sentinel_end(&w->sentinel);
    for (int i = 0; i < w->count; i++)
        close(w->ends[i].fd);
    free(w->ends);
    free(w);
}

static void watch_add(struct watch *w, int fd)
{
    if (fd >= 0)
        w->ends[w->count++] = (struct pollfd){.fd = fd, .events = POLLIN};
}

/* Choose the sentinel of the first rank on this machine for all its ranks. */
static int choose_sentinel(struct watch *w, const struct home *homes)
{
    int size = w->cohort->size, own = w->cohort->rank, first = 0, count = 0;
    int *ranks = calloc((size_t)size, sizeof *ranks);
    pid_t *pids = calloc((size_t)size, sizeof *pids);

    while (!same_place(homes, first, own))
        first++;
    w->sentinel_here = (pid_t)homes[first].sentinel;
    for (int rank = 0; rank < size && ranks && pids; rank++)
        if (same_place(homes, rank, own)) {
            ranks[count] = rank;
            pids[count++] = (pid_t)homes[rank].pid;
        }
    if (first == own && count > 1)
        sentinel_watch(&w->sentinel, ranks, pids, count);
    else
        sentinel_end(&w->sentinel);
    free(ranks);
    free(pids);
    return count;
}

/* Begin to watch the other ranks' processes. Returns 0: no rank to watch, or no way to
 * watch. */
static int watch_begin(struct watch *w, const struct home *homes)
{
    const struct cca_cohort *cohort = w->cohort;

    w->ends = calloc((size_t)cohort->size + 1, sizeof *w->ends);
    if (choose_sentinel(w, homes) < 2 || !w->ends)
        return 0;
    watch_add(w, eventfd(0, EFD_CLOEXEC));
    for (int rank = 0; rank < cohort->size && w->count; rank++)
        if (rank != cohort->rank && same_place(homes, rank, cohort->rank))
            /* closed on exec */
            watch_add(w, (int)syscall(SYS_pidfd_open, (pid_t)homes[rank].pid, 0));
    return w->count > 1 && start(w) == 0;
}

struct watch *watch_new(struct cca_cohort *cohort, struct sentinel *sentinel)
{
    struct home own, *homes = calloc((size_t)cohort->size, sizeof *homes);
    struct watch *w = calloc(1, sizeof *w);

    if (!homes || !w) {
        fputs("ccafe: out of memory\n", stderr);
        cohort->abort(cohort, 5);
        return NULL;
    }
    w->cohort = cohort;
    w->sentinel = *sentinel;
    home_find(&own, sentinel);
    if (cohort->gather(cohort, &own, sizeof own, homes, 0) || !watch_begin(w, homes)) {
        watch_done(w);
        w = NULL;
    }
    free(homes);
    return w;
}

void watch_silence(const struct watch *w)
{
    if (w)
        sentinel_silence(w->sentinel_here);
}

void watch_free(struct watch *w)
{
    if (!w)
        return;
    eventfd_write(w->ends[0].fd, 1);
    pthread_join(w->thread, NULL);
    watch_done(w);
}
