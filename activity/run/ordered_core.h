/* SPDX-License-Identifier: BSD-3-Clause */
/* ordered_core.h: what the ordered mode has more than the engine: a heap of events, the
 * nodes' cores and memory, threads and locks. */
#ifndef ACTIVITY_RUN_ORDERED_CORE_H
#define ACTIVITY_RUN_ORDERED_CORE_H

#include "activity/run/engine_core.h"

/* An actor runs on, or a share of a node has a job that is done. The sequence number
 * makes the order of equal times that of their making. */
struct act_timed {
    double time;
    uint64_t sequence;
    int32_t actor; /* -1: a share */
    int32_t share;
    uint32_t version; /* of the share: an older one is void */
};

struct act_job {
    double end; /* in the share's virtual time */
    uint64_t sequence;
    int32_t actor;
};

/* Something of a node that its jobs have in equal parts (processor sharing): virtual time
 * goes on at the rate of one job, and a job ends when it has gone on by the job's work.
 * L. Kleinrock, "Time-shared Systems: A Theoretical Treatment" (1967). */
struct act_share {
    double capacity;      /* work a second of all jobs together */
    double most;          /* of one job */
    double virtual, last; /* virtual time at the time `last` */
    struct act_job *jobs; /* a heap by end */
    int32_t count;
    size_t room;
    uint32_t version;
};

/* A region of threads. */
struct act_team {
    int32_t parent; /* actor */
    int32_t element;
    int32_t left; /* threads that have not ended */
    int32_t threads;
    int32_t pc; /* of a loop's body */
    int32_t has_turns, is_dynamic;
    uint32_t turn_at;
    int64_t next, last, chunk; /* turns that nobody took (dynamic), the last one */
    int64_t first;
    double start, end;
};

/* What an actor has more as a thread: by actor - processes. A free one is in a list. */
struct act_thread {
    int32_t next_free; /* first: see act_pool_give */
    int32_t team;
    int64_t turn, chunk_end,
        chunk_next; /* its turn; last of its chunk; static: next chunk */
    /* Among all threads of its process at that time: the first of a team has its
     * parent's; the others count on in steps of `stride`, which is larger for teams
     * within teams. */
    int32_t number;
    int64_t stride;
    struct act_state *state;
};

struct act_lock {
    int32_t holder, first, last; /* actors; those that wait, by `next_waiting` */
};

struct act_ordered {
    struct act_timed *heap;
    int64_t count;
    size_t room;
    uint64_t sequence;
    double now;
    int failed;               /* out of memory */
    struct act_share *shares; /* cores of each node, then memory of each */
    uint8_t *parts;           /* by actor: shares that its job is not done in */
    int32_t *next_waiting;    /* by actor: for the same lock */
    int32_t actor_room;
    struct act_pool teams, threads;
    struct act_lock *locks; /* by pid and lock */
    int32_t *lock_of;       /* by element: of a critical, its lock */
    int32_t lock_count;
};

/* An actor that is no process. */
static inline struct act_thread *act_thread_at(const struct act_engine *g, int32_t actor)
{
    return (struct act_thread *)g->ordered->threads.all + (actor - g->processes);
}

/* The state that an actor runs with. */
static inline struct act_state *act_ordered_state(const struct act_engine *g,
                                                  int32_t actor)
{
    if (actor >= g->processes)
        return act_thread_at(g, actor)->state;
    return (struct act_state *)(void *)(g->states +
                                        (size_t)actor * g->program->state_bytes);
}

/* The heap has the earliest first, of equal times the older. */
static inline int act_timed_before(const struct act_timed *a, const struct act_timed *b)
{
    return a->time < b->time || (a->time == b->time && a->sequence < b->sequence);
}

/* --- engine_core.c --- */

void act_ordered_push(struct act_engine *g, struct act_timed event);

/* --- sharing.c --- */

int act_sharing_new(struct act_engine *g);
void act_sharing_free(struct act_engine *g);
/* A share's first job is due. 0 or negative. */
int act_sharing_due(struct act_engine *g, const struct act_timed *event);

/* --- threads.c --- */

int act_threads_new(struct act_engine *g);
void act_threads_free(struct act_engine *g);
/* g->event, PARALLEL or FORK, of an actor. */
int act_threads_begin(struct act_engine *g, int32_t actor);
/* A thread is at the end of its body: another turn (1), or it has ended (0), or negative.
 */
int act_threads_end(struct act_engine *g, int32_t actor);
int act_threads_lock(struct act_engine *g, int32_t actor);
int act_threads_unlock(struct act_engine *g, int32_t actor);

#endif
