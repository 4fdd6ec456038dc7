/* SPDX-License-Identifier: BSD-3-Clause */
/* pmpi.h: the common part of all wrappers around MPI functions: two clock reads, and a
 * few words of thread state. wrap.py generates the wrappers. */
#ifndef TAU_PORT_PMPI_PMPI_H
#define TAU_PORT_PMPI_PMPI_H

#include "mastermind/format/clock.h"
#include "mastermind/format/mpi_calls_file.h"
#include "tau_port/pmpi/split.h"

#include <stddef.h>

/* names of MPI's functions, sorted; a function's number is its index */
extern const char *const pmpi_names[];
extern const int pmpi_name_count;

__extension__ typedef unsigned __int128 pmpi_wide;

/* Made at a thread's first call, reused by other threads after its end, never freed. Only
 * the thread writes counts; any thread sums them. */
struct pmpi_thread {
    int64_t ns;        /* time in outermost calls of MPI so far */
    uint32_t fraction; /* fraction of a nanosecond that `ns` lacks, in units of 2^-32 */
    int taken; /* 1: the struct belongs to a living thread; accessed with __atomic */
    unsigned char kind; /* enum pmpi_kind of the next call, if its requests determine
                         * it */
    char *inside;       /* stack address of the outermost call in progress, or NULL */
    struct pmpi_thread *next;
    struct meas_calls_table *own; /* the thread's table of counts in memory */
    /* `own`, later a table in the file; accessed with __atomic */
    struct meas_calls_table *table;
    int64_t by_kind[PMPI_KINDS]; /* `ns` divided by the class of the call, while times are
                                  * split */
};

/* A call in progress. */
struct pmpi_call {
    /* thread that makes the call; NULL: the call is not counted */
    struct pmpi_thread *thread;
    uint64_t start;
    unsigned function;
};

/* This library is loaded only once per process, so it may have static thread-local
 * storage. */
extern __thread struct pmpi_thread *pmpi_mine __attribute__((tls_model("initial-exec")));
/* 1: calls of MPI are counted; PMPI_EARLY: until MPI_Init returns; 0: they are not;
 * accessed with __atomic */
extern int pmpi_on;
extern int pmpi_tsc; /* 1: the clock is the TSC */
/* nanoseconds per tick, in units of 2^-32; accessed with __atomic */
extern uint64_t pmpi_scale;

/* State before MPI_Init, where a program cannot switch measuring on, but constructors may
 * call MPI_Initialized: calls count until MPI_Init returns. */
enum { PMPI_EARLY = 2 };

/* Make the state of the calling thread; NULL: out of memory. */
struct pmpi_thread *pmpi_thread_new(void);
/* Make the state of a thread that calls MPI for the first time. */
struct pmpi_thread *pmpi_thread_calls(void);

static inline size_t pmpi_table_size(void)
{
    return sizeof(struct meas_calls_table) +
           (size_t)pmpi_name_count * sizeof(struct meas_calls_count);
}

/* keep.c: the file of counts. */
/* Make the file. Returns 0 or a negative errno. */
int pmpi_keep_begin(const char *path, const struct mm_clock *clock);
/* A new table of counts in the file; NULL: no file, or no room. */
struct meas_calls_table *pmpi_keep_table(void);
/* Store a function's counts from before the file existed. */
void pmpi_keep_before(int function, const struct meas_calls_count *count);
/* Give up the file in a forked child: it belongs to the parent. */
void pmpi_keep_forget(void);
/* Switch measuring on or off, as MPI_Pcontrol requests. */
void pmpi_control(int level);

/* The function with a Fortran name in the library of that name, which a Fortran program
 * has loaded. Ends the process if there is none. */
typedef void (*pmpi_function)(void);
pmpi_function pmpi_fortran(pmpi_function *function, const char *library,
                           const char *symbol);

/* Marks functions that are always inlined, so that their stack frame is the wrapper's. */
#define PMPI_INLINE static inline __attribute__((always_inline))

static inline struct meas_calls_table *pmpi_table(struct pmpi_thread *thread)
{
    return __atomic_load_n(&thread->table, __ATOMIC_RELAXED);
}

/* Record a call before it runs, so that the file names it if the process dies in it. */
static inline void pmpi_enter(struct pmpi_thread *mine, const struct pmpi_call *call)
{
    struct meas_calls_table *table = pmpi_table(mine);

    __atomic_store_n(&table->since, call->start, __ATOMIC_RELAXED);
    __atomic_store_n(&table->inside, call->function + 1, __ATOMIC_RELAXED);
}

/* Begin a call of the wrapper with stack frame `here`. If the recorded call has a younger
 * frame, an error handler has jumped out of it. */
PMPI_INLINE struct pmpi_call pmpi_begin_at(unsigned function, char *here)
{
    struct pmpi_call call = {NULL, 0, function};
    struct pmpi_thread *mine = pmpi_mine;

    if (__builtin_expect(!mine, 0))
        mine = pmpi_thread_calls();
    if (!mine || __builtin_expect(mine->inside != NULL && here < mine->inside, 0))
        return call;
    mine->inside = here;
    call.thread = mine;
    call.start = mm_clock_ticks(pmpi_tsc);
    pmpi_enter(mine, &call);
    return call;
}

PMPI_INLINE struct pmpi_call pmpi_begin_always(unsigned function)
{
    return pmpi_begin_at(function, __builtin_frame_address(0));
}

/* Begin a call of a function that initialises MPI. The call itself counts; later calls do
 * not, unless measuring was switched on. */
PMPI_INLINE struct pmpi_call pmpi_begin_init(unsigned function)
{
    int early = PMPI_EARLY;

    __atomic_compare_exchange_n(&pmpi_on, &early, 0, 0, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
    return pmpi_begin_always(function);
}

/* Whether calls are timed at all. */
static inline int pmpi_timing(void)
{
    return __atomic_load_n(&pmpi_on, __ATOMIC_RELAXED) != 0;
}

PMPI_INLINE struct pmpi_call pmpi_begin(unsigned function)
{
    struct pmpi_call none = {NULL, 0, 0};

    return __builtin_expect(__atomic_load_n(&pmpi_on, __ATOMIC_RELAXED), 1)
               ? pmpi_begin_always(function)
               : none;
}

/* Add to a sum that other threads may read. */
static inline void pmpi_add(int64_t *sum, int64_t amount)
{
    __atomic_store_n(sum, *sum + amount, __ATOMIC_RELAXED);
}

/* Add the time of a call to its class. */
static inline void pmpi_split_add(struct pmpi_thread *mine, unsigned function, int64_t ns)
{
    mine->by_kind[mine->kind ? mine->kind : pmpi_kinds[function]] += ns;
    mine->kind = PMPI_KIND_OWN;
}

/* End a call; also runs when an exception or a cancellation leaves the call. */
PMPI_INLINE void pmpi_end(struct pmpi_call *call)
{
    struct pmpi_thread *mine = call->thread;
    uint64_t end, ticks;
    pmpi_wide time;
    struct meas_calls_table *table;
    struct meas_calls_count *count;

    if (!mine)
        return;
    end = mm_clock_ticks(pmpi_tsc);
    /* clocks of two cores may differ, so `end` may be earlier */
    ticks = end > call->start ? end - call->start : 0;
    time = (pmpi_wide)ticks * __atomic_load_n(&pmpi_scale, __ATOMIC_RELAXED) +
           mine->fraction;
    mine->fraction = (uint32_t)time;
    table = pmpi_table(mine);
    count = &table->counts[call->function];
    pmpi_add(&mine->ns, (int64_t)(time >> 32));
    if (pmpi_splitting())
        pmpi_split_add(mine, call->function, (int64_t)(time >> 32));
    pmpi_add(&count->ns, (int64_t)(time >> 32));
    pmpi_add(&count->calls, 1);
    __atomic_store_n(&table->left, end, __ATOMIC_RELAXED);
    __atomic_store_n(&table->inside, 0, __ATOMIC_RELAXED);
    mine->inside = NULL;
}

#define PMPI_TIMED(begin, function)                                                      \
    struct pmpi_call call __attribute__((cleanup(pmpi_end))) = begin(function);          \
    (void)call

/* pmpi.c: pmpi_begin and pmpi_end, not inlined, for functions that programs rarely call:
 * inlined into their thousand wrappers they would take long to compile. */
struct pmpi_call pmpi_begin_rare(unsigned function, char *here);
void pmpi_end_rare(struct pmpi_call *call);
#define PMPI_TIMED_RARE(function)                                                        \
    struct pmpi_call call __attribute__((cleanup(pmpi_end_rare))) =                      \
        pmpi_begin_rare(function, __builtin_frame_address(0));                           \
    (void)call

#endif
