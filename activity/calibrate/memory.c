/* SPDX-License-Identifier: BSD-3-Clause */
/* memory.c: memory bandwidth of all cores together, reads and writes. */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "activity/calibrate/calibrate.h"
#include "common/clock.h"
#include "common/sort.h"

enum { ROUNDS = 11, MOST_THREADS = 256 };

/* length of the arrays of all threads together, much larger than caches */
static const size_t doubles_in_all = (size_t)24 << 20;

struct part {
    double *a, *b, *c;
    size_t count;
    /* gate: lock that is held until all threads exist; barrier: all threads wait there
     * between rounds */
    pthread_mutex_t *gate;
    pthread_barrier_t *barrier;
    double *times; /* [ROUNDS] time of each round, set by the first thread only */
};

static void *work(void *context)
{
    struct part *p = context;

    pthread_mutex_lock(p->gate);
    pthread_mutex_unlock(p->gate);
    /* each thread is the first to touch its part of the arrays, so that the kernel places
     * the pages near its core */
    for (size_t i = 0; i < p->count; i++) {
        p->a[i] = 0;
        p->b[i] = 1;
        p->c[i] = 2;
    }
    for (int r = 0; r < ROUNDS; r++) {
        double begin;

        pthread_barrier_wait(p->barrier);
        begin = cca_clock_s(CLOCK_MONOTONIC);
        for (size_t i = 0; i < p->count; i++)
            p->a[i] = p->b[i] + (double)r * p->c[i];
        pthread_barrier_wait(p->barrier);
        if (p->times)
            p->times[r] = cca_clock_s(CLOCK_MONOTONIC) - begin;
    }
    return NULL;
}

/* Start up to `count` threads, as many as the system allows; returns their number. */
static int run_parts(struct part *parts, int count, pthread_mutex_t *gate,
                     pthread_barrier_t *barrier)
{
    pthread_t threads[MOST_THREADS];
    int begun = 1;

    pthread_mutex_lock(gate);
    while (begun < count &&
           pthread_create(&threads[begun], NULL, work, &parts[begun]) == 0)
        begun++;
    pthread_barrier_init(barrier, NULL, (unsigned)begun);
    pthread_mutex_unlock(gate);
    work(&parts[0]);
    for (int i = 1; i < begun; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(barrier);
    return begun;
}

int act_measure_memory(struct act_calibration *c, struct cca_error *err)
{
    int count = c->machine.cores < MOST_THREADS ? (int)c->machine.cores : MOST_THREADS;
    size_t each = doubles_in_all / (size_t)count;
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    double times[ROUNDS], bytes;
    struct part parts[MOST_THREADS];
    pthread_barrier_t barrier;
    double *memory = malloc(3 * each * (size_t)count * sizeof *memory);

    if (!memory)
        return cca_no_memory(err);
    for (int i = 0; i < count; i++) {
        double *own = memory + 3 * each * (size_t)i;

        parts[i] = (struct part){own,   own + each, own + 2 * each,  each,
                                 &gate, &barrier,   i ? NULL : times};
    }
    bytes = 24.0 * (double)each * run_parts(parts, count, &gate, &barrier);
    /* the median leaves out the first round, which fills caches and page tables */
    qsort(times + 1, ROUNDS - 1, sizeof *times, cca_order_double);
    c->memory = (struct act_measure){bytes / times[1 + (ROUNDS - 1) / 2],
                                     bytes / times[1 + 3 * (ROUNDS - 1) / 4],
                                     bytes / times[1 + (ROUNDS - 1) / 4], 1};
    c->machine.memory = c->memory.value;
    free(memory);
    return 0;
}
