/* SPDX-License-Identifier: BSD-3-Clause */
/* threads.c: the states of threads, and their times as metrics. */
#include "tau_port/openmp/openmp.h"

#include "common/thread_times.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"

__thread struct omp_thread *omp_mine;
int omp_on;

static struct {
    pthread_key_t key; /* key of each thread's struct omp_thread; its destructor runs at a
                          thread's end */
    int has_key;
    /* list of all threads ever made; accessed with __atomic */
    struct omp_thread *threads;
} state;

/* --- Creation and end ----------------------------------------------------- */

/* Destructor of `key`. It defers its work to the last round of destructors: the recorder
 * may read this thread's times while the thread ends. */
static void thread_ended(void *context)
{
    struct omp_thread *thread = context;

    if (__atomic_fetch_add(&thread->taken, 1, __ATOMIC_RELAXED) <
        PTHREAD_DESTRUCTOR_ITERATIONS) {
        pthread_setspecific(state.key, thread);
        return;
    }
    omp_mine = NULL;
    __atomic_store_n(&thread->taken, 0, __ATOMIC_RELEASE);
}

/* Whether to measure this process. `mastermind record` names the process in a variable;
 * children inherit this library, but are measured only with --children. */
static int is_wanted(void)
{
    const char *process = getenv("MASTERMIND_RECORD"),
               *children = getenv("MASTERMIND_RECORD_CHILDREN");

    return !process || strtol(process, NULL, 10) == getpid() ||
           (children && strcmp(children, "1") == 0);
}

__attribute__((constructor)) static void begin(void)
{
    state.has_key = pthread_key_create(&state.key, thread_ended) == 0;
    omp_on = is_wanted();
}

static struct omp_thread *find_free(void)
{
    struct omp_thread *t = __atomic_load_n(&state.threads, __ATOMIC_ACQUIRE);
    int nobody = 0;

    while (t && !__atomic_compare_exchange_n(&t->taken, &nobody, 1, 0, __ATOMIC_ACQUIRE,
                                             __ATOMIC_RELAXED)) {
        nobody = 0;
        t = t->next;
    }
    return t;
}

/* Make a struct omp_thread. Its memory comes from mmap: a measured malloc would call this
 * library again. */
static struct omp_thread *make_one(void)
{
    struct omp_thread *t =
        mmap(NULL, sizeof *t, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (t == MAP_FAILED)
        return NULL;
    t->taken = 1;
    t->next = __atomic_load_n(&state.threads, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&state.threads, &t->next, t, 0, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED))
        continue;
    return t;
}

/* Make the state of the calling thread. Loss of parallelism counts for the process's
 * first thread from its start, for other threads from their first region on. */
struct omp_thread *omp_thread_new(void)
{
    struct omp_thread *t = find_free();

    if (!t)
        t = make_one();
    omp_mine = t;
    if (!t)
        return NULL;
    t->state = OMP_BUSY;
    t->since = cca_clock_ns(CLOCK_MONOTONIC);
    t->depth = t->could = t->idle = t->largest = 0;
    t->slot = NULL;
    t->open = NULL;
    t->skipped = 0;
    if (state.has_key)
        pthread_setspecific(state.key, t);
    if (gettid() == getpid())
        omp_loss_first(t, omp_could());
    return t;
}

/* --- Cost -----------------------------------------------------------------*/

/* Add one to a number that other threads may read. */
static void count(int64_t *number)
{
    __atomic_store_n(number, *number + 1, __ATOMIC_RELAXED);
}

void omp_cost_region(struct omp_thread *mine, int64_t ns)
{
    count(&mine->regions);
    if (!mine->least_ns || ns < mine->least_ns)
        __atomic_store_n(&mine->least_ns, ns > 0 ? ns : 1, __ATOMIC_RELAXED);
}

/* The cost of a switch, including its reading of the clock. */
static double switch_ns(void)
{
    enum { SWITCHES = 4000 };
    struct omp_thread scratch = {.since = 0};
    int64_t start = cca_clock_ns(CLOCK_MONOTONIC);

    for (int i = 0; i < SWITCHES; i++)
        omp_switch(&scratch, i & 1, cca_clock_ns(CLOCK_MONOTONIC));
    return (double)(cca_clock_ns(CLOCK_MONOTONIC) - start) / SWITCHES;
}

int64_t omp_cost_threads(void)
{
    int64_t switches = 0, ns = 0;

    for (const struct omp_thread *t = __atomic_load_n(&state.threads, __ATOMIC_ACQUIRE);
         t; t = t->next) {
        switches += __atomic_load_n(&t->switches, __ATOMIC_RELAXED);
        ns += __atomic_load_n(&t->regions, __ATOMIC_RELAXED) *
              __atomic_load_n(&t->least_ns, __ATOMIC_RELAXED);
    }
    return ns + (switches ? (int64_t)((double)switches * switch_ns()) : 0);
}

/* --- States --------------------------------------------------------------- */

/* Store the thread's times so far in its slot, in case the region ends now. */
static void note_slot(struct omp_thread *mine, int64_t now)
{
    struct omp_slot *slot = mine->slot;

    for (int i = 0; i < OMP_STATES; i++)
        slot->ns[i] = mine->ns[i] - slot->before[i];
    slot->end = now;
}

int omp_switch(struct omp_thread *mine, int state_now, int64_t now)
{
    int before = mine->state;

    mine->ns[before] += now - mine->since;
    mine->since = now;
    mine->state = state_now;
    count(&mine->switches);
    if (state_now == OMP_BARRIER && mine->slot)
        note_slot(mine, now);
    return before;
}

void omp_push(struct omp_thread *mine, int state_now)
{
    int before = omp_switch(mine, state_now, cca_clock_ns(CLOCK_MONOTONIC));

    if (mine->depth < OMP_NESTED_MOST)
        mine->stack[mine->depth] = (unsigned char)before;
    mine->depth++;
}

void omp_pop(struct omp_thread *mine)
{
    if (mine->depth == 0)
        return;
    mine->depth--;
    omp_switch(mine, mine->depth < OMP_NESTED_MOST ? mine->stack[mine->depth] : OMP_BUSY,
               cca_clock_ns(CLOCK_MONOTONIC));
}

/* --- Metrics -------------------------------------------------------------- */

enum { SYNC, CONTROL, LOSS, TIMES };

/* Read the calling thread's times by state; its current state counts up to now. */
static void read_times(int64_t *values)
{
    int error = errno;
    struct omp_thread *mine = omp_on ? omp_thread() : NULL;
    int64_t ns[OMP_STATES], now;

    if (mine) {
        now = cca_clock_ns(CLOCK_MONOTONIC);
        memcpy(ns, mine->ns, sizeof ns);
        ns[mine->state] += now - mine->since;
        values[SYNC] = ns[OMP_BARRIER] + ns[OMP_MUTEX];
        values[CONTROL] = ns[OMP_CONTROL];
        values[LOSS] = omp_loss(mine, now);
    } else {
        values[SYNC] = values[CONTROL] = values[LOSS] = INT64_MIN;
    }
    errno = error;
}

static const char *const names[TIMES] = {
    [SYNC] = "OMP_SYNC_TIME", [CONTROL] = "OMP_CONTROL_TIME", [LOSS] = "OMP_LOSS_TIME"};

extern const struct meas_times meas_openmp_times_1;
__attribute__((visibility("default"))) const struct meas_times meas_openmp_times_1 = {
    .count = TIMES,
    .names = names,
    .read = read_times,
};
