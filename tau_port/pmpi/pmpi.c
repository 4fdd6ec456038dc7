/* SPDX-License-Identifier: BSD-3-Clause */
/* pmpi.c: libmeas_FLAVOUR.so without the wrappers: threads, the clock's scale, and the
 * functions of struct meas_mpi. */
#include "tau_port/pmpi/pmpi.h"
#include "messages/words/words.h"
#include "tau_port/pmpi/messages.h"
#include "tau_port/pmpi/mpi_time.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "common/clock.h"

__thread struct pmpi_thread *pmpi_mine;
int pmpi_on = PMPI_EARLY, pmpi_tsc;
uint64_t pmpi_scale = UINT64_C(1) << 32;
struct mm_clock_origin pmpi_origin;

static struct {
    pthread_key_t key; /* key of each thread's struct pmpi_thread; its destructor runs at
                          a thread's end */
    int has_key, switched_off; /* has_key: the thread key exists; switched_off: by
                                * MPI_Pcontrol; accessed with __atomic */
    int untimed;               /* 1: calls of MPI are not to be timed */
    /* list of all threads ever made; accessed with __atomic */
    struct pmpi_thread *threads;
    void (*first_call)(void); /* pending callback, or NULL; accessed with __atomic */
    int kept;                 /* 1: a file keeps the counts; accessed with __atomic */
} state;

/* Calibrate the clock again: a longer time since the origin gives a better scale. */
static void calibrate(void)
{
    struct mm_clock clock;

    pmpi_clock_now(&clock);
    __atomic_store_n(&pmpi_scale, (uint64_t)(clock.ns_per_tick * 4294967296.0 + 0.5),
                     __ATOMIC_RELAXED);
}

/* --- Threads -------------------------------------------------------------- */

/* Destructor of `key`. It defers its work to the last round of destructors: the recorder
 * may read this thread's time while the thread ends. */
static void thread_ended(void *context)
{
    struct pmpi_thread *thread = context;

    if (__atomic_fetch_add(&thread->taken, 1, __ATOMIC_RELAXED) <
        PTHREAD_DESTRUCTOR_ITERATIONS) {
        pthread_setspecific(state.key, thread);
        return;
    }
    pmpi_mine = NULL;
    thread->inside = NULL;
    __atomic_store_n(&thread->taken, 0, __ATOMIC_RELEASE);
}

/* Forget the parent's counts in a forked child. */
static void forget_parent(void)
{
    pmpi_mine = NULL;
    state.threads = NULL;
    pmpi_keep_forget();
    pmpi_messages_forget();
}

__attribute__((constructor)) static void begin(void)
{
    pthread_atfork(NULL, NULL, forget_parent);
    mm_clock_begin(&pmpi_origin);
    pmpi_tsc = pmpi_origin.tsc;
    calibrate();
    state.has_key = pthread_key_create(&state.key, thread_ended) == 0;
    state.untimed = !mm_mpi_time_wanted();
    if (state.untimed)
        pmpi_on = 0;
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

/* Make a struct pmpi_thread. Its memory comes from mmap: a measured malloc would call the
 * wrappers again. */
static struct pmpi_thread *map_one(void)
{
    struct pmpi_thread *t =
        mmap(NULL, sizeof *t + pmpi_table_size(), PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (t == MAP_FAILED)
        return NULL;
    t->taken = 1;
    t->own = t->table = (struct meas_calls_table *)(t + 1);
    return t;
}

static struct pmpi_thread *make_one(void)
{
    struct pmpi_thread *t = map_one();

    if (!t)
        return NULL;
    t->next = __atomic_load_n(&state.threads, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&state.threads, &t->next, t, 0, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED))
        continue;
    return t;
}

/* Move the thread's counts to its table in the file. */
static void move_to_file(struct pmpi_thread *t)
{
    struct meas_calls_table *own = t->own, *table;

    if (pmpi_table(t) == own && (table = pmpi_keep_table()))
        __atomic_compare_exchange_n(&t->table, &own, table, 0, __ATOMIC_RELEASE,
                                    __ATOMIC_RELAXED);
}

struct pmpi_thread *pmpi_thread_new(void)
{
    struct pmpi_thread *t = find_free();

    if (!t)
        t = make_one();
    pmpi_mine = t; /* set now, because measured functions called below may use it */
    if (t && state.has_key)
        pthread_setspecific(state.key, t);
    if (t && __atomic_load_n(&state.kept, __ATOMIC_ACQUIRE))
        move_to_file(t);
    calibrate();
    return t;
}

struct pmpi_thread *pmpi_thread_calls(void)
{
    void (*first_call)(void) =
        __atomic_exchange_n(&state.first_call, NULL, __ATOMIC_ACQ_REL);

    if (first_call)
        first_call();
    return pmpi_mine ? pmpi_mine : pmpi_thread_new();
}

static int tell_first_call(void (*function)(void))
{
    if (__atomic_load_n(&state.threads, __ATOMIC_ACQUIRE))
        return 1;
    __atomic_store_n(&state.first_call, function, __ATOMIC_RELEASE);
    return 0;
}

/* --- Control -------------------------------------------------------------- */

static void enable(int on)
{
    int before;

    if (state.untimed)
        return;
    calibrate();
    before = __atomic_exchange_n(&pmpi_on, on != 0, __ATOMIC_RELAXED);
    if (before == 1 && !on)
        __atomic_store_n(&state.switched_off, 1, __ATOMIC_RELAXED);
}

/* MPI_Pcontrol(1) only resumes measuring: without a user's request it never starts it. */
void pmpi_control(int level)
{
    if (level == 0 || level == 1)
        pmpi_messages_switch(level);
    if (level == 0 && __atomic_load_n(&pmpi_on, __ATOMIC_RELAXED) == 1)
        enable(0);
    else if (level == 1 && __atomic_load_n(&state.switched_off, __ATOMIC_RELAXED))
        enable(1);
}

static int is_timed(void)
{
    return !state.untimed;
}

static int was_off(void)
{
    return __atomic_load_n(&state.switched_off, __ATOMIC_RELAXED);
}

static void add_up(int function, int in_file, struct meas_calls_count *sum)
{
    for (struct pmpi_thread *t = __atomic_load_n(&state.threads, __ATOMIC_ACQUIRE); t;
         t = t->next) {
        struct meas_calls_table *table = __atomic_load_n(&t->table, __ATOMIC_ACQUIRE);
        const struct meas_calls_count *own = &t->own->counts[function],
                                      *now = &table->counts[function];

        sum->calls += __atomic_load_n(&own->calls, __ATOMIC_RELAXED);
        sum->ns += __atomic_load_n(&own->ns, __ATOMIC_RELAXED);
        if (!in_file || table == t->own)
            continue;
        sum->calls += __atomic_load_n(&now->calls, __ATOMIC_RELAXED);
        sum->ns += __atomic_load_n(&now->ns, __ATOMIC_RELAXED);
    }
}

/* Other threads continue meanwhile: the file may miss a call that ends at this moment. */
static int keep_counts(const char *path)
{
    struct mm_clock clock;
    int result = __atomic_exchange_n(&state.kept, 1, __ATOMIC_ACQ_REL) ? -EALREADY : 0;

    if (result)
        return result;
    pmpi_clock_now(&clock);
    result = pmpi_keep_begin(path, &clock);
    if (result)
        return result;
    for (struct pmpi_thread *t = __atomic_load_n(&state.threads, __ATOMIC_ACQUIRE); t;
         t = t->next)
        if (__atomic_load_n(&t->taken, __ATOMIC_RELAXED))
            move_to_file(t);
    for (int i = 0; i < pmpi_name_count; i++) {
        struct meas_calls_count before = {0};

        add_up(i, 0, &before);
        pmpi_keep_before(i, &before);
    }
    return 0;
}

/* --- Functions of struct meas_mpi ----------------------------------------- */

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
    struct meas_calls_count sum = {0};

    add_up(function, 1, &sum);
    *calls = sum.calls;
    *ns = sum.ns;
}

struct pmpi_call pmpi_begin_rare(unsigned function, char *here)
{
    struct pmpi_call none = {NULL, 0, 0};

    return pmpi_timing() ? pmpi_begin_at(function, here) : none;
}

void pmpi_end_rare(struct pmpi_call *call)
{
    pmpi_end(call);
}

/* The work of a wrapper without the call; its own frame becomes the thread's outermost
 * one. */
static __attribute__((noinline)) void wrap_nothing(void)
{
    PMPI_TIMED(pmpi_begin_always, 0);

    __asm__ volatile("");
}

/* Cost of a wrapper, ns, measured with a table of counts that is never read. */
static double wrapper_ns(void)
{
    enum { CALLS = 2000 };
    struct pmpi_thread *mine = pmpi_mine, *scratch = map_one();
    int64_t start, ns;

    if (!scratch)
        return 0;
    pmpi_mine = scratch;
    start = cca_clock_ns(CLOCK_MONOTONIC);
    for (int i = 0; i < CALLS; i++)
        wrap_nothing();
    ns = cca_clock_ns(CLOCK_MONOTONIC) - start;
    pmpi_mine = mine;
    munmap(scratch, sizeof *scratch + pmpi_table_size());
    return (double)ns / CALLS;
}

extern const struct meas_mpi meas_mpi_4;
__attribute__((visibility("default"))) const struct meas_mpi meas_mpi_4 = {
    .thread_ns = thread_ns,
    .enable = enable,
    .is_timed = is_timed,
    .was_off = was_off,
    .name = name,
    .values = values,
    .tell_first_call = tell_first_call,
    .keep = keep_counts,
    .wrapper_ns = wrapper_ns,
};

/* --- Fortran -------------------------------------------------------------- */

pmpi_function pmpi_fortran(pmpi_function *function, const char *library,
                           const char *symbol)
{
    pmpi_function found = __atomic_load_n(function, __ATOMIC_RELAXED);
    void *handle;

    if (found)
        return found;
    handle = dlopen(library, RTLD_LAZY);
    *(void **)&found = handle ? dlsym(handle, symbol) : NULL;
    if (!found) {
        fprintf(stderr, "mastermind: no function '%s' behind a call from Fortran: %s\n",
                symbol, dlerror());
        abort();
    }
    __atomic_store_n(function, found, __ATOMIC_RELAXED);
    return found;
}
