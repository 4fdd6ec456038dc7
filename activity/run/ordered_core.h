/* SPDX-License-Identifier: BSD-3-Clause */
/* ordered_core.h: state of the ordered mode: a heap of events, cores and memory of nodes,
 * threads and locks. */
#ifndef ACTIVITY_RUN_ORDERED_CORE_H
#define ACTIVITY_RUN_ORDERED_CORE_H

#include "activity/run/engine_core.h"

/* An event: an actor runs on, or a job of a shared resource ends. Events with equal times
 * are taken in the order in which they were made (sequence). */
struct act_timed {
    double time;
    uint64_t sequence;
    int32_t actor; /* actor whose event it is; -1: a shared resource */
    int32_t share;
    /* version of the shared resource when the event was made; an event of an older
     * version is void */
    uint32_t version;
};

struct act_job {
    double end; /* end of the job in the resource's virtual time */
    uint64_t sequence;
    int32_t actor;
};

/* A resource of a node that its jobs share equally (processor sharing). Virtual time
 * advances at the rate of one job; a job ends when virtual time has advanced by the job's
 * work. L. Kleinrock, "Time-shared Systems: A Theoretical Treatment" (1967). */
struct act_share {
    double capacity;      /* work per second of all jobs together */
    double most;          /* work per second of one job, at most */
    double virtual, last; /* virtual time at the time `last` */
    struct act_job *jobs; /* jobs as a heap, the one with the earliest end first */
    int32_t count;
    size_t room;
    uint32_t version;
};

/* A team: threads of one parallel region or fork. */
struct act_team {
    int32_t parent; /* actor that started the team */
    int32_t element;
    int32_t left; /* number of the team's threads that have not ended */
    int32_t threads;
    int32_t pc; /* first instruction of the loop's body */
    int32_t has_turns, is_dynamic;
    uint32_t turn_at;
    int64_t next, last, chunk; /* next: first iteration not yet taken (dynamic); last:
                                * last iteration; chunk: iterations taken at a time */
    int64_t first;
    double start, end;
};

/* Further state of an actor that is a thread, by actor - processes. Free entries form a
 * list. */
struct act_thread {
    int32_t next_free; /* must be first: act_pool_give stores here */
    int32_t team;
    int64_t turn, chunk_end,
        chunk_next; /* turn: current iteration; chunk_end: last one of its chunk;
                     * chunk_next: next chunk (static) */
    /* Unique among the threads that its process has at that time. The first thread of a
     * team has its parent's number; the others add multiples of `stride`, which is larger
     * in nested teams. */
    int32_t number;
    int64_t stride;
    struct act_state *state;
};

struct act_lock {
    /* numbers of actors: the holder of the lock; first and last of the queue of waiting
     * actors, which `next_waiting` links */
    int32_t holder, first, last;
};

struct act_ordered {
    struct act_timed *heap;
    int64_t count;
    size_t room;
    uint64_t sequence;
    double now;
    int failed; /* 1: out of memory */
    /* shared resources: cores of each node, then memory of each node */
    struct act_share *shares;
    uint8_t *parts;        /* by actor: number of resources in which its work is not
                            * done */
    int32_t *next_waiting; /* by actor: next actor in the queue of the same lock */
    int32_t actor_room;
    struct act_pool teams, threads;
    struct act_lock *locks; /* locks of critical regions, by pid and number of the lock */
    int32_t *lock_of;       /* by element: number of the lock of a critical region */
    int32_t lock_count;
};

/* The thread state of an actor that is no process. */
static inline struct act_thread *act_thread_at(const struct act_engine *g, int32_t actor)
{
    return (struct act_thread *)g->ordered->threads.all + (actor - g->processes);
}

/* The program state of an actor. */
static inline struct act_state *act_ordered_state(const struct act_engine *g,
                                                  int32_t actor)
{
    if (actor >= g->processes)
        return act_thread_at(g, actor)->state;
    return (struct act_state *)(void *)(g->states +
                                        (size_t)actor * g->program->state_bytes);
}

/* Heap order: earliest first; of equal times, the oldest. */
static inline int act_timed_before(const struct act_timed *a, const struct act_timed *b)
{
    return a->time < b->time || (a->time == b->time && a->sequence < b->sequence);
}

/* --- engine_core.c --- */

void act_ordered_push(struct act_engine *g, struct act_timed event);

/* --- sharing.c --- */

int act_sharing_new(struct act_engine *g);
void act_sharing_free(struct act_engine *g);
/* Handle the end of a resource's first job. Returns 0 or negative. */
int act_sharing_due(struct act_engine *g, const struct act_timed *event);

/* --- threads.c --- */

int act_threads_new(struct act_engine *g);
void act_threads_free(struct act_engine *g);
/* Handle g->event, PARALLEL or FORK, of an actor. */
int act_threads_begin(struct act_engine *g, int32_t actor);
/* Continue a thread that is at the end of its body. Returns 1 if another iteration
 * starts, 0 if the thread ends, or a negative errno. */
int act_threads_end(struct act_engine *g, int32_t actor);
int act_threads_lock(struct act_engine *g, int32_t actor);
int act_threads_unlock(struct act_engine *g, int32_t actor);

#endif
