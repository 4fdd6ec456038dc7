/* SPDX-License-Identifier: BSD-3-Clause */
/* engine_core.h: the engine's state, for its files.
 *
 *   engine.c       a run from begin to end
 *   ahead.c        processes that run ahead on their own clocks, no queue of events
 *   ordered.c      events in the order of time
 *   sharing.c      cores and memory of nodes, shared
 *   threads.c      threads, turns of a loop, locks
 *   elements.c     what an element does to a clock
 *   messages.c     sends and receives that meet
 *   requests.c     those that are waited for later
 *   collectives.c  all processes at once
 *   script.c       the messages of an expanded collective
 *   blocked.c      who waits for whom, in words
 *
 * An actor is a process or a thread of one. In both modes an element either moves the
 * actor's clock on or blocks it; act_engine_wake brings it back. */
#ifndef ACTIVITY_RUN_ENGINE_CORE_H
#define ACTIVITY_RUN_ENGINE_CORE_H

#include "activity/run/engine.h"
#include "activity/run/script.h"

enum act_status {
    ACT_RUNS,
    ACT_WAITS_RECEIVE,
    ACT_WAITS_SEND,
    ACT_WAITS_REQUESTS,
    ACT_WAITS_COLLECTIVE,
    ACT_WAITS_THREADS, /* for the join of its threads */
    ACT_WAITS_LOCK,
    ACT_WAITS_CORE, /* at work on a shared node */
    ACT_ENDED
};

struct act_actor {
    double clock;     /* its time; of one that waits, when it began to */
    double nic_free;  /* from when on it may send again */
    double wait_from; /* when the element it is in began */
    union {
        double cost_s; /* of the element it is in, as the model gave it */
        struct {       /* of a wait or exchange: its requests; those that are not done */
            int32_t waited, undone;
        };
    };
    double work_s;      /* of the element it is in, at work */
    int64_t tag, bytes; /* of the message it is about; a script's tag is its root */
    int32_t peer;
    int32_t element;  /* that it is in */
    int32_t requests; /* of its own, newest first; -1: none */
    uint32_t draws;   /* of noise */
    int32_t pid;
    uint32_t collectives; /* that it came to */
    int32_t line;         /* of an expanded one, its next line; -1: it is in none */
    uint8_t status;
    uint8_t is_alone; /* it waits for the one receive that it has posted */
};

/* A collective that not all processes have come to yet. */
struct act_gathering {
    int32_t element; /* of the first process */
    int64_t arrived, root;
    double clock, cost_s; /* the largest */
};

/* A send or receive that the other side has not met yet; a free one is in `next`'s list.
 */
struct act_posted {
    double time; /* eager: it arrives; rendezvous: ready; a receive: posted */
    int64_t tag, bytes;
    int32_t to, from;
    int32_t request; /* that it completes; -1: its process waits for this itself */
    int32_t next;    /* in its bucket */
    int32_t same,
        last_same; /* of equal to, from and tag, in order; last_same of the first */
    uint8_t is_receive, is_rendezvous;
};

/* An isend, an irecv, or a part of an exchange. */
struct act_request {
    double time; /* when it was done */
    int32_t element, next;
    int32_t peer;
    uint8_t is_receive, is_done;
};

/* Growing arrays whose entries have numbers; free ones are a list. */
struct act_pool {
    void *all;
    int32_t count, room, free; /* free: -1: none */
    size_t size;
};

struct act_ordered; /* ordered_core.h */

struct act_engine {
    struct act_program *program;
    const struct act_run_options *options;
    struct act_result *result;
    struct cca_error *err;
    const struct act_sink *sink;
    const struct act_element **elements;
    int64_t processes, nodes;
    struct act_actor *actors;  /* by pid; ordered.c adds threads behind them */
    unsigned char *states;     /* by pid */
    struct act_event event;    /* the one that is handled */
    double speed;              /* seconds of a cost's second: 1/speed */
    double sigma;              /* of the noise's logarithm */
    int64_t events, next_look; /* of events: when there is more to look at */
    int node_shift;            /* of a pid: its node; -1: there is none */
    int64_t ended;
    int32_t current; /* the actor that runs: it is not woken */

    int is_crowded; /* ahead: many messages wait, this process has sent another one */
    int32_t *queue; /* ahead: processes that can run, a ring */
    int64_t queue_first, queue_count;
    struct act_ordered *ordered; /* NULL: ahead */

    int32_t *buckets; /* of posted: first, -1 none */
    uint32_t bucket_mask;
    int64_t posted_count;
    struct act_pool posted, requests;

    struct act_gathering *gatherings; /* in the order in which processes come to them */
    int32_t gathering_at, gathering_count; /* at: the first */
    size_t gathering_room;
    uint32_t first_gathering; /* actor.collectives of the first */
};

/* --- engine_core.c --- */

enum { ACT_LOOKS = 1 << 16 }; /* events between two looks at the limits */

/* A number of a pool's entry, its bytes undefined. Negative: out of memory. */
int32_t act_pool_take(struct act_pool *pool);
void act_pool_give(struct act_pool *pool, int32_t number);

/* The node of a process. */
int64_t act_engine_node(const struct act_engine *g, int64_t pid);
/* The network from one process to another: its place in machine.networks. */
static inline int act_engine_network(const struct act_engine *g, int64_t from, int64_t to)
{
    if (g->nodes == 1 || from == to)
        return ACT_INSIDE;
    if (g->node_shift >= 0)
        return (from ^ to) >> g->node_shift ? ACT_BETWEEN : ACT_INSIDE;
    return act_engine_node(g, from) == act_engine_node(g, to) ? ACT_INSIDE : ACT_BETWEEN;
}

/* Which thread of its process an actor is. */
int32_t act_engine_tid(const struct act_engine *g, int32_t actor);

/* An actor can run again, from its clock on. */
void act_engine_wake(struct act_engine *g, int32_t actor);

/* Refuse what a model's element did: "file:line:column: TEXT (NAME, process PID)". -EDOM.
 */
int act_engine_fault(struct act_engine *g, int32_t pid, int32_t element,
                     const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Too many events, or too late? 0 or -EDOM. */
int act_engine_look(struct act_engine *g, int32_t actor);

/* The next event of an actor, in g->event. 0 or negative. */
static inline int act_engine_next(struct act_engine *g, int32_t actor,
                                  struct act_state *state)
{
    int rc = g->program->next(g->program, state, &g->event, g->err);

    return rc || ++g->events < g->next_look ? rc : act_engine_look(g, actor);
}

/* An element is over for an actor, which was in it since `start`, `wait` of that not at
 * work; its clock is the end. 0 or what the sink returned. */
int act_engine_done(struct act_engine *g, int32_t actor, int32_t element, double start,
                    double cost_s, double wait);

/* ENTER and LEAVE of an actor: for the sink alone. 0 or what that returned. */
int act_engine_tell(const struct act_engine *g, int32_t actor);
/* A cost as this actor takes it: speed, noise. */
double act_engine_taken(struct act_engine *g, struct act_actor *a, double cost_s);
/* Where g->ordered is there: an actor runs on when its clock is reached. */
void act_ordered_wake(struct act_engine *g, int32_t actor);

/* --- sharing.c, where g->ordered is there --- */

/* An actor begins to work: `taken` seconds of a core, `memory` bytes. 0 or -ENOMEM. */
int act_ordered_work(struct act_engine *g, int32_t actor, double taken, double memory);

/* --- elements.c --- */

/* Do g->event, an ELEMENT, of an actor. Its status says whether it runs on. 0 or
 * negative. */
int act_engine_element(struct act_engine *g, int32_t actor);

/* --- messages.c --- */

/* 0: it left; 1: it leaves when the receiver is there; or negative. Without a request the
 * element of the latter is over then, which may be now, and told here. */
int act_engine_send(struct act_engine *g, int32_t actor, int32_t element, int64_t to,
                    int32_t request);
int act_engine_receive(struct act_engine *g, int32_t actor, int32_t element, int64_t from,
                       int32_t request);
/* A message of an expanded collective, a->bytes long: eager, apart from the model's. 0 or
 * negative. */
int act_engine_script_send(struct act_engine *g, int32_t actor, int32_t to);
int act_engine_script_receive(struct act_engine *g, int32_t actor, int32_t from);

/* --- requests.c --- */

/* A new request of an actor. Negative: out of memory. */
int32_t act_engine_request(struct act_engine *g, int32_t actor, int32_t element,
                           int64_t peer, int is_receive);
/* Whether all requests that an actor's wait (its element) is for are done: then they are
 * over and its clock is behind them. 1, 0 or negative. */
int act_engine_requests(struct act_engine *g, int32_t actor);
/* A request is done at a time: nobody waits for it yet. */
void act_request_set(struct act_engine *g, int32_t request, double time);
/* The same; if its actor waits for it and no other, it goes on. 0 or negative. */
int act_request_over(struct act_engine *g, int32_t actor, int32_t request, double time);

/* --- collectives.c --- */

int act_engine_collective(struct act_engine *g, int32_t actor);
/* An actor whose `line` is not -1 goes on in its expanded collective. 0 or negative. */
int act_engine_script(struct act_engine *g, int32_t actor);
/* All processes have ended: refuse a collective that some of them did not come to. 0 or
 * -EDOM. */
int act_engine_gathered(struct act_engine *g);

/* --- ahead.c, ordered.c --- */

int act_engine_ahead(struct act_engine *g);
int act_engine_ordered(struct act_engine *g);

/* --- blocked.c --- */

/* Say who waits for whom. -EDOM. */
int act_engine_blocked(struct act_engine *g);

#endif
