/* SPDX-License-Identifier: BSD-3-Clause */
/* openmp.h: libmeas_openmp.so: what a thread does is one of four states, whose times add
 * up; a team has a slot for what each of its threads did in a region.
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

enum { OMP_NESTED_MOST = 128 }; /* states that events begin and have not ended yet */

/* What one thread did in one region. Its thread alone writes it, until the team's first
 * thread has seen it end. */
struct omp_slot {
    struct omp_team *team;
    struct omp_slot *outer;     /* of the thread, when it started; of the first thread */
    int64_t start, end;         /* end 0: it is still in the body */
    int64_t before[OMP_STATES]; /* the thread's times at its start */
    int64_t ns[OMP_STATES];     /* from start to end */
} __attribute__((aligned(64)));

/* A region under way. Its first thread keeps it for later regions; never freed. */
struct omp_team {
    uintptr_t first; /* first word of `data`: GOMP_parallel_reductions reads it there */
    void (*function)(void *);
    void *data;
    int kind, level;
    const void *code;   /* the function that the body became; OMPT without it: the call */
    const void *call;   /* behind the call that begins the region, or NULL */
    const char *source; /* ";relax.c;main;12;5;;", or NULL */
    int64_t begin;
    int64_t own_ns;               /* what beginning it has cost */
    int outer_state, outer_depth; /* of the first thread */
    int size, capacity;           /* threads; slots */
    struct omp_team *next;
    struct omp_slot slots[];
};

/* Made for a thread at its first event, reused when it ends, never freed. */
struct omp_thread {
    int64_t ns[OMP_STATES]; /* cumulative until `since` */
    int64_t since;
    int state;
    int depth;             /* of the stack of events */
    struct omp_slot *slot; /* NULL: in no region */
    struct omp_team *free; /* teams that it may use */
    struct omp_team *open; /* OMPT: those of its regions under way, innermost first */
    int skipped;           /* OMPT: innermost regions that are not measured */
    int64_t loss_ns, loss_since; /* lost until then */
    int could, idle;             /* threads that it could have; of these it has not */
    int largest;                 /* threads of its largest team */
    int64_t switches, regions;   /* numbers so far, for their cost; __atomic */
    int64_t least_ns; /* least cost of a region's own work; 0: none yet; __atomic */
    int taken;        /* in use by a living thread; __atomic */
    struct omp_thread *next;
    unsigned char stack[OMP_NESTED_MOST];
};

/* This library is loaded once a process, so it may have static thread-local storage. */
extern __thread struct omp_thread *omp_mine __attribute__((tls_model("initial-exec")));

extern int omp_on; /* this process is measured; constant after the library's start */

/* The body of the region that the calling thread is about to begin, where OMPT announces
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

/* Enter a state. Returns the state before. In OMP_BARRIER the thread may be at the end of
 * its region: its slot has all up to now. */
int omp_switch(struct omp_thread *mine, int state, int64_t now);
/* As omp_switch, for events that do not nest as calls do: omp_pop returns to the state
 * before. */
void omp_push(struct omp_thread *mine, int state);
void omp_pop(struct omp_thread *mine);

/* A region's own work, beside its switches, took so long; where the thread has lost its
 * core meanwhile that says nothing, so the least of them counts. */
void omp_cost_region(struct omp_thread *mine, int64_t ns);
int64_t omp_cost_threads(void); /* of all threads, ns */

/* --- loss.c: threads that could run and do not. Only outermost regions count. */
void omp_loss_first(struct omp_thread *mine, int could); /* a thread begins to count */
void omp_loss_team(struct omp_thread *mine, int could, int size, int64_t begin);
void omp_loss_alone(struct omp_thread *mine, int could, int64_t now);
int64_t omp_loss(const struct omp_thread *mine, int64_t now);

/* --- teams.c */
/* Begin a region in the calling thread with at most `most` threads. NULL: out of memory.
 *
 *   code, call, source  in  as in struct omp_team */
struct omp_team *omp_team_begin(int kind, const void *code, const void *call,
                                const char *source, int most);
/* The calling thread starts, as number `index` of `size`. */
void omp_team_start(struct omp_team *team, int index, int size, int could);
/* The calling thread starts in a region that is not measured, and is not its first
 * thread: the slot of its last region is not its own any more. */
void omp_team_none(void);
/* The calling thread has left the body. */
void omp_team_leave(void);
/* The first thread ends the region; all threads have left the body. */
void omp_team_end(struct omp_team *team, int could);

/* --- regions.c: the table of regions. Any thread. */
void omp_region_begun(const struct omp_team *team);
/* A slot's times have been completed to the region's end. */
void omp_region_ended(const struct omp_team *team, int64_t wall_ns);
int omp_regions_keep(const char *path);
int64_t omp_regions_cost(void); /* CPU time of naming new regions, ns */

/* --- library.c */
/* The runtime's own function behind a wrapper. Ends the process if there is none. */
void *omp_find(void **cell, const char *name);
void *omp_behind(const char *name); /* the same without the end; NULL: there is none */
int omp_is_llvm(void *function);    /* does it belong to LLVM's runtime? */
/* Threads that a region would have now; 1: not known. */
int omp_could(void);
void omp_first_region(void); /* a region is about to begin */
extern int omp_through;      /* GOMP_* belong to a runtime that OMPT measures */

static inline void *omp_real(void **cell, const char *name)
{
    void *found = __atomic_load_n(cell, __ATOMIC_RELAXED);

    return __builtin_expect(found != NULL, 1) ? found : omp_find(cell, name);
}

/* --- ompt.c */
extern int omp_ompt_runs; /* the runtime of OMPT has started; __atomic */

#endif
