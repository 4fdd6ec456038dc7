/* SPDX-License-Identifier: BSD-3-Clause */
/* openmp.h: libmeas_openmp.so: each thread is in one of four states, and their times are
 * summed; a team has a slot with the times of each of its threads in a region.
 *
 *             begin            start_i                  end_i      last        now
 *   thread i    | control        | busy, barrier, mutex,  | barrier  | control   |
 *               |                | control of the body    |          |           |
 *
 * The first thread of a team begins and ends the region. `last` is the greatest end. */
#ifndef TAU_PORT_OPENMP_OPENMP_H
#define TAU_PORT_OPENMP_OPENMP_H

#include <stddef.h>
#include <stdint.h>

enum omp_state { OMP_BUSY, OMP_BARRIER, OMP_MUTEX, OMP_CONTROL, OMP_STATES };

/* limit of states that events of a thread have begun and not ended yet */
enum { OMP_NESTED_MOST = 128 };

/* Times of one thread in one region. Only the thread itself writes them, until the team's
 * first thread has seen that the thread left the body. */
struct omp_slot {
    struct omp_team *team;
    /* slot of the enclosing region in which the first thread was when it began this one
     */
    struct omp_slot *outer;
    /* times at which the thread started and left the body; end 0: it is still inside */
    int64_t start, end;
    /* the thread's times by state when it started in the region */
    int64_t before[OMP_STATES];
    int64_t ns[OMP_STATES]; /* time in each state from start to end */
} __attribute__((aligned(64)));

/* A region in progress. Its first thread reuses the struct for later regions; never
 * freed. */
struct omp_team {
    uintptr_t first; /* copy of the first word of `data`, where GOMP_parallel_reductions
                      * reads it */
    void (*function)(void *);
    void *data;
    int kind, level;
    const void *code;   /* function compiled from the body; if OMPT does not give it, the
                         * address of the call */
    const void *call;   /* return address of the call that begins the region, or NULL */
    const char *source; /* source of the region, ";relax.c;main;12;5;;", or NULL */
    int64_t begin;
    /* time spent on beginning the region, part of the measurement's cost */
    int64_t own_ns;
    /* state and nesting depth of the first thread before the region */
    int outer_state, outer_depth;
    int size, capacity; /* size: number of threads; capacity: number of slots */
    struct omp_team *next;
    struct omp_slot slots[];
};

/* Made at a thread's first event, reused by other threads after its end, never freed. */
struct omp_thread {
    int64_t ns[OMP_STATES]; /* cumulative time in each state until `since` */
    int64_t since;
    int state;
    int depth; /* number of states that events of the thread have begun and not ended
                * yet */
    struct omp_slot *slot; /* the thread's slot in its region; NULL: outside of regions */
    struct omp_team *free; /* list of unused teams, for the thread's next regions */
    struct omp_team *open; /* OMPT: teams of its regions in progress, innermost first */
    int skipped;           /* OMPT: number of innermost regions that are not measured */
    int64_t loss_ns, loss_since; /* loss_ns: time of unused threads until loss_since */
    /* could: number of threads that a team of this thread could have; idle: `could` minus
     * the size of its team */
    int could, idle;
    /* size of the largest team that the thread has started */
    int largest;
    /* counts so far, to compute their cost; accessed with __atomic */
    int64_t switches, regions;
    int64_t least_ns; /* minimum cost of a region's own work; 0: none yet; accessed with
                       * __atomic */
    int taken; /* 1: the struct belongs to a living thread; accessed with __atomic */
    struct omp_thread *next;
    unsigned char stack[OMP_NESTED_MOST];
};

/* This library is loaded only once per process, so it may have static thread-local
 * storage. */
extern __thread struct omp_thread *omp_mine __attribute__((tls_model("initial-exec")));

extern int omp_on; /* 1: this process is measured; constant after the library's start */

/* The body of the region that the calling thread is about to begin, if OMPT reports
 * it. */
struct omp_body {
    const void *code;
    const char *source;
};
extern __thread struct omp_body omp_body __attribute__((tls_model("initial-exec")));

/* --- threads.c */
struct omp_thread *omp_thread_new(void);
static inline struct omp_thread *omp_thread(void)
{
    return __builtin_expect(omp_mine != NULL, 1) ? omp_mine : omp_thread_new();
}

/* Enter a state; returns the previous one. In OMP_BARRIER the thread may be at the end of
 * its region: its slot then has all times up to now. */
int omp_switch(struct omp_thread *mine, int state, int64_t now);
/* Like omp_switch, for events that need not be nested like calls: omp_pop returns to the
 * previous state. */
void omp_push(struct omp_thread *mine, int state);
void omp_pop(struct omp_thread *mine);

/* Add a measurement of a region's own work, besides its switches. It is meaningless if
 * the thread lost its core meanwhile, so the minimum of all measurements is used. */
void omp_cost_region(struct omp_thread *mine, int64_t ns);
int64_t omp_cost_threads(void); /* cost of measuring, summed over all threads, ns */

/* --- loss.c: threads that could run but do not. Only outermost regions count. */
/* Count the loss of a thread from now on. */
void omp_loss_first(struct omp_thread *mine, int could);
void omp_loss_team(struct omp_thread *mine, int could, int size, int64_t begin);
void omp_loss_alone(struct omp_thread *mine, int could, int64_t now);
int64_t omp_loss(const struct omp_thread *mine, int64_t now);

/* --- teams.c */
/* Begin a region in the calling thread, with at most `most` threads. NULL: out of memory.
 *
 *   code, call, source  in  as in struct omp_team */
struct omp_team *omp_team_begin(int kind, const void *code, const void *call,
                                const char *source, int most);
/* Start the calling thread in a team's region, as thread `index` of `size`. */
void omp_team_start(struct omp_team *team, int index, int size, int could);
/* The calling thread starts in a region that is not measured, and is not its first
 * thread: detach it from the slot of its last region. */
void omp_team_none(void);
/* Note that the calling thread has left the body of its region. */
void omp_team_leave(void);
/* End a region; called by its first thread, when all threads have left the body. */
void omp_team_end(struct omp_team *team, int could);

/* --- regions.c: the table of regions. Any thread. */
void omp_region_begun(const struct omp_team *team);
/* Count a region that has ended; the times in its slots were extended to the region's
 * end. */
void omp_region_ended(const struct omp_team *team, int64_t wall_ns);
int omp_regions_keep(const char *path);
int64_t omp_regions_cost(void); /* CPU time of naming new regions, ns */

/* --- library.c */
/* The runtime's own function behind a wrapper. Ends the process if there is none. */
void *omp_find(void **cell, const char *name);
void *omp_behind(const char *name); /* like omp_find, but returns NULL if there is none */
int omp_is_llvm(void *function);    /* whether the function belongs to LLVM's runtime */
/* Number of threads that a region would have now; 1: unknown. */
int omp_could(void);
void omp_first_region(void); /* called when a region is about to begin */
extern int omp_through;      /* 1: GOMP_* are functions of a runtime that OMPT measures */

static inline void *omp_real(void **cell, const char *name)
{
    void *found = __atomic_load_n(cell, __ATOMIC_RELAXED);

    return __builtin_expect(found != NULL, 1) ? found : omp_find(cell, name);
}

/* --- ompt.c */
extern int omp_ompt_runs; /* 1: the runtime of OMPT has started; accessed with __atomic */

#endif
