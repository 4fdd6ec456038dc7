/* SPDX-License-Identifier: BSD-3-Clause */
/* pmpi.c: libmeas_FLAVOUR.so, apart from the wrappers: threads, the clock's scale, and what is
 * told of it all. */
#include "tau_port/pmpi/pmpi.h"
#include "tau_port/pmpi/mpi_time.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

__thread struct pmpi_thread *pmpi_mine;
int pmpi_on, pmpi_tsc;
uint64_t pmpi_scale = UINT64_C(1) << 32;

static struct {
    struct mm_clock_origin origin;
    pthread_key_t key;           /* of struct pmpi_thread, to see threads end */
    int has_key, switched_off;   /* the latter __atomic */
    struct pmpi_thread *threads; /* all there ever were; __atomic */
} state;

/* The longer since the origin, the truer. */
static void calibrate(void)
{
    struct mm_clock clock;

    mm_clock_calibrate(&state.origin, &clock);
    __atomic_store_n(&pmpi_scale, (uint64_t)(clock.ns_per_tick * 4294967296.0 + 0.5),
                     __ATOMIC_RELAXED);
}

/* --- Threads ----------------------------------------------------------------------- */

/* The recorder may ask for this thread's time while it ends, too: the last to go. */
static void thread_ended(void *context)
{
    struct pmpi_thread *thread = context;

    if (__atomic_fetch_add(&thread->taken, 1, __ATOMIC_RELAXED) < PTHREAD_DESTRUCTOR_ITERATIONS) {
        pthread_setspecific(state.key, thread);
        return;
    }
    pmpi_mine = NULL;
    thread->inside = NULL;
    __atomic_store_n(&thread->taken, 0, __ATOMIC_RELEASE);
}

__attribute__((constructor)) static void begin(void)
{
    mm_clock_begin(&state.origin);
    pmpi_tsc = state.origin.tsc;
    calibrate();
    state.has_key = pthread_key_create(&state.key, thread_ended) == 0;
}

static struct pmpi_thread *find_free(void)
{
    struct pmpi_thread *t = __atomic_load_n(&state.threads, __ATOMIC_ACQUIRE);
    int nobody = 0;

    while (t && !__atomic_compare_exchange_n(&t->taken, &nobody, 1, 0, __ATOMIC_ACQUIRE,
                                             __ATOMIC_RELAXED)) {
        nobody = 0;
        t = t->next;
    }
    return t;
}

/* Not from the heap: who measures that would come back here. */
static struct pmpi_thread *make_one(void)
{
    struct pmpi_thread *t =
        mmap(NULL, sizeof *t + (size_t)pmpi_name_count * sizeof t->functions[0],
             PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (t == MAP_FAILED)
        return NULL;
    t->taken = 1;
    t->next = __atomic_load_n(&state.threads, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&state.threads, &t->next, t, 0, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED))
        continue;
    return t;
}

struct pmpi_thread *pmpi_thread_new(void)
{
    struct pmpi_thread *t = find_free();

    if (!t)
        t = make_one();
    pmpi_mine = t;
    if (t && state.has_key)
        pthread_setspecific(state.key, t);
    calibrate();
    return t;
}

/* --- Control ----------------------------------------------------------------------- */

static void enable(int on)
{
    int before;

    calibrate();
    before = __atomic_exchange_n(&pmpi_on, on != 0, __ATOMIC_RELAXED);
    if (before && !on)
        __atomic_store_n(&state.switched_off, 1, __ATOMIC_RELAXED);
}

/* Only where somebody measures: a program's MPI_Pcontrol(1) is no wish of its user. */
void pmpi_control(int level)
{
    if (level == 0 && __atomic_load_n(&pmpi_on, __ATOMIC_RELAXED))
        enable(0);
    else if (level == 1 && __atomic_load_n(&state.switched_off, __ATOMIC_RELAXED))
        enable(1);
}

static int was_off(void)
{
    return __atomic_load_n(&state.switched_off, __ATOMIC_RELAXED);
}

/* --- What is told ------------------------------------------------------------------ */

static const int64_t *thread_ns(void)
{
    struct pmpi_thread *mine = pmpi_mine ? pmpi_mine : pmpi_thread_new();

    return mine ? &mine->ns : NULL;
}

static const char *name(int function)
{
    return function >= 0 && function < pmpi_name_count ? pmpi_names[function] : NULL;
}

static void values(int function, int64_t *calls, int64_t *ns)
{
    *calls = *ns = 0;
    for (struct pmpi_thread *t = __atomic_load_n(&state.threads, __ATOMIC_ACQUIRE); t;
         t = t->next) {
        *calls += __atomic_load_n(&t->functions[function].calls, __ATOMIC_RELAXED);
        *ns += __atomic_load_n(&t->functions[function].ns, __ATOMIC_RELAXED);
    }
}

extern const struct meas_mpi meas_mpi_1;
__attribute__((visibility("default"))) const struct meas_mpi meas_mpi_1 = {
    .thread_ns = thread_ns,
    .enable = enable,
    .was_off = was_off,
    .name = name,
    .values = values,
};

/* --- Fortran ----------------------------------------------------------------------- */

pmpi_function pmpi_fortran(pmpi_function *function, const char *library, const char *symbol)
{
    pmpi_function found = __atomic_load_n(function, __ATOMIC_RELAXED);
    void *handle;

    if (found)
        return found;
    handle = dlopen(library, RTLD_LAZY);
    *(void **)&found = handle ? dlsym(handle, symbol) : NULL;
    if (!found) {
        fprintf(stderr, "mastermind: no function '%s' behind a call from Fortran: %s\n", symbol,
                dlerror());
        abort();
    }
    __atomic_store_n(function, found, __ATOMIC_RELAXED);
    return found;
}
