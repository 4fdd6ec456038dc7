/* SPDX-License-Identifier: BSD-3-Clause */
/* memory.c: bytes that all cores together get from memory and write to it, a second. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "activity/calibrate/calibrate.h"

enum { ROUNDS = 11, MOST_THREADS = 256 };

/* Much larger than caches, of all threads together. */
static const size_t doubles_in_all = (size_t)24 << 20;

struct part {
    double *a, *b, *c;
    size_t count;
    pthread_barrier_t *barrier;
    double *times; /* of the first thread: [ROUNDS] */
};

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *work(void *context)
{
    struct part *p = context;

    for (size_t i = 0; i < p->count; i++) { /* each thread touches its own pages first */
        p->a[i] = 0;
        p->b[i] = 1;
        p->c[i] = 2;
    }
    for (int r = 0; r < ROUNDS; r++) {
        double begin;

        pthread_barrier_wait(p->barrier);
        begin = now();
        for (size_t i = 0; i < p->count; i++)
            p->a[i] = p->b[i] + (double)r * p->c[i];
        pthread_barrier_wait(p->barrier);
        if (p->times)
            p->times[r] = now() - begin;
    }
    return NULL;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static int run_parts(struct part *parts, int count)
{
    pthread_t threads[MOST_THREADS];
    int begun = 1, rc = 0;

    for (; begun < count && !rc; begun++)
        rc = pthread_create(&threads[begun], NULL, work, &parts[begun]);
    if (rc) /* others wait at the barrier for ever: end the program's way */
        return -rc;
    work(&parts[0]);
    for (int i = 1; i < begun; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

int act_measure_memory(struct act_calibration *c, struct cca_error *err)
{
    int count = c->machine.cores < MOST_THREADS ? (int)c->machine.cores : MOST_THREADS;
    size_t each = doubles_in_all / (size_t)count;
    double times[ROUNDS], bytes = 24.0 * (double)(each * (size_t)count);
    struct part parts[MOST_THREADS];
    pthread_barrier_t barrier;
    double *memory = malloc(3 * each * (size_t)count * sizeof *memory);
    int rc;

    if (!memory)
        return cca_no_memory(err);
    pthread_barrier_init(&barrier, NULL, (unsigned)count);
    for (int i = 0; i < count; i++) {
        double *own = memory + 3 * each * (size_t)i;

        parts[i] = (struct part){own,  own + each, own + 2 * each,
                                 each, &barrier,   i ? NULL : times};
    }
    rc = run_parts(parts, count);
    if (!rc) {
        qsort(times + 1, ROUNDS - 1, sizeof *times, compare); /* not the first */
        c->memory = (struct act_measure){bytes / times[1 + (ROUNDS - 1) / 2],
                                         bytes / times[1 + 3 * (ROUNDS - 1) / 4],
                                         bytes / times[1 + (ROUNDS - 1) / 4], 1};
        c->machine.memory = c->memory.value;
        pthread_barrier_destroy(&barrier);
    }
    free(memory);
    return rc ? cca_error_set(err, rc, "no thread for the measure of memory") : 0;
}
