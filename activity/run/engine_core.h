/* SPDX-License-Identifier: BSD-3-Clause */
/* engine_core.h: the engine's state, for its files.
 *
 *   engine.c       a run from start to end
 *   ahead.c        processes that run ahead on their own clocks, no queue of events
 *   ordered.c      events in the order of time
 *   sharing.c      cores and memory of nodes, shared
 *   threads.c      threads, shared iterations of loops, locks
 *   elements.c     effect of an element on a clock
 *   messages.c     matching of sends and receives
 *   requests.c     nonblocking sends and receives, and waits
 *   collectives.c  collectives
 *   script.c       the messages of an expanded collective
 *   blocked.c      error message of a deadlock
 *
 * An actor is a process or a thread of one. In both modes an element either advances the
 * actor's clock or blocks the actor; act_engine_wake unblocks it. */
#ifndef ACTIVITY_RUN_ENGINE_CORE_H
#define ACTIVITY_RUN_ENGINE_CORE_H

#include "activity/run/engine.h"
#include "activity/run/program.h"
#include "activity/model/tree.h"

enum act_status {
    ACT_RUNS,
    ACT_WAITS_RECEIVE,
    ACT_WAITS_SEND,
    ACT_WAITS_REQUESTS,
    ACT_WAITS_COLLECTIVE,
    ACT_WAITS_THREADS, /* waits for its threads to join */
    ACT_WAITS_LOCK,
    ACT_WAITS_CORE, /* works on a node whose cores are shared */
    ACT_ENDED
};

struct act_actor {
    double clock;     /* simulated time of the actor; for a blocked actor, the time
                       * when it blocked */
    double nic_free;  /* earliest time of the actor's next send */
    double wait_from; /* start of the actor's current element */
    union {
        double cost_s; /* cost of the current element from the model */
        /* numbers of the requests of a wait or exchange: of all, and of the pending
         * ones */
        struct {
            int32_t waited, undone;
        };
    };
    double work_s;      /* time at work in the current element */
    int64_t tag, bytes; /* tag and size of the current message; an expanded collective
                         * keeps its root in tag */
    int32_t peer;
    int32_t element;  /* number of the actor's current element */
    int32_t requests; /* list of the actor's requests, newest first; -1: none */
    uint32_t draws;   /* number of noise values drawn for the actor */
    int32_t pid;
    uint32_t collectives; /* number of collectives at which the actor has arrived */
    int32_t line; /* number of the actor's next line (message) in an expanded collective;
                   * -1: it is in none */
    uint8_t status;
    uint8_t is_alone; /* 1: the actor waits for the only receive that it has posted */
};

/* A collective at which some processes have not arrived yet. */
struct act_gathering {
    int32_t element; /* collective (element) of the process that arrived first */
    int64_t arrived, root;
    double clock, cost_s; /* latest arrival and largest cost so far */
};

/* A posted send or receive without its counterpart. A free entry is linked by `next`. */
struct act_posted {
    double time; /* time of a send: arrival if eager, sender ready if rendezvous; of a
                  * receive: posting */
    int64_t tag, bytes;
    int32_t to, from;
    int32_t request; /* request that the message completes; -1: none, the process is
                      * blocked until the message completes */
    int32_t next;    /* next entry of the bucket */
    int32_t same, last_same; /* next_same: entries with equal to, from and tag, in order;
                              * last_same is set in the first of them */
    uint8_t is_receive, is_rendezvous;
};

/* A nonblocking send or receive, or one of an exchange. */
struct act_request {
    double time; /* time of completion */
    int32_t element, next;
    int32_t peer;
    uint8_t is_receive, is_done;
};

/* A growing array whose entries are numbered; free entries form a list. */
struct act_pool {
    void *all;
    int32_t count, room, free; /* numbers of entries: used, allocated; first free
                                * entry, -1: none */
    size_t size;
};

struct act_ordered; /* state of the ordered mode, defined in ordered_core.h */

struct act_engine {
    struct act_program *program;
    const struct act_run_options *options;
    struct act_result *result;
    struct cca_error *err;
    const struct act_sink *sink;
    const struct act_element **elements;
    int64_t processes, nodes;
    struct act_actor *actors;  /* actors: first the processes by pid, then threads, which
                                * ordered.c appends */
    unsigned char *states;     /* states of the program by pid */
    struct act_event event;    /* the event that is being handled */
    double speed;              /* a cost of one second takes 1/speed seconds */
    double sigma;              /* standard deviation of the noise's logarithm */
    int64_t events, next_look; /* next_look: number of events at which limits are checked
                                * next */
    int node_shift; /* the node of a process is pid >> node_shift; -1: the number of
                     * processes per node is not a power of two */
    int64_t ended;
    int32_t current; /* the actor that runs now: waking it does nothing */

    int is_crowded; /* ahead mode: 1 after the current process sent a message while many
                     * waited, so that its turn ends */
    int32_t *queue; /* ahead mode: ring of runnable processes */
    int64_t queue_first, queue_count;
    struct act_ordered *ordered; /* state of the ordered mode; NULL: ahead mode */

    int32_t *buckets; /* hash table of posted entries: the first of each bucket, -1:
                       * none */
    uint32_t bucket_mask;
    int64_t posted_count;
    struct act_pool posted, requests;

    struct act_gathering *gatherings;      /* incomplete collectives, in the order of
                                            * arrival */
    int32_t gathering_at, gathering_count; /* index of the first incomplete collective,
                                            * and their number */
    size_t gathering_room;
    uint32_t first_gathering; /* value of actor.collectives on arrival at the first
                               * incomplete collective */
};

/* --- engine_core.c --- */

enum { ACT_LOOKS = 1 << 16 }; /* events between two checks of the limits */

/* Take a free entry, its bytes undefined; returns its number. Negative: out of memory. */
int32_t act_pool_take(struct act_pool *pool);
void act_pool_give(struct act_pool *pool, int32_t number);

/* The node of a process. */
int64_t act_engine_node(const struct act_engine *g, int64_t pid);
/* The network between two processes: index in machine.networks. */
static inline int act_engine_network(const struct act_engine *g, int64_t from, int64_t to)
{
    if (g->nodes == 1 || from == to)
        return ACT_INSIDE;
    if (g->node_shift >= 0)
        return (from ^ to) >> g->node_shift ? ACT_BETWEEN : ACT_INSIDE;
    return act_engine_node(g, from) == act_engine_node(g, to) ? ACT_INSIDE : ACT_BETWEEN;
}

/* The index of an actor in its process. */
int32_t act_engine_tid(const struct act_engine *g, int32_t actor);

/* Unblock an actor; it runs from its clock on. */
void act_engine_wake(struct act_engine *g, int32_t actor);

/* Set an error at a model's element: "file:line:column: TEXT (NAME, process PID)".
 * Returns -EDOM. */
int act_engine_fault(struct act_engine *g, int32_t pid, int32_t element,
                     const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Check the limits of events and time. Returns 0 or -EDOM. */
int act_engine_look(struct act_engine *g, int32_t actor);

/* The next event of an actor, in g->event. Returns 0 or negative. */
static inline int act_engine_next(struct act_engine *g, int32_t actor,
                                  struct act_state *state)
{
    int rc = g->program->next(g->program, state, &g->event, g->err);

    return rc || ++g->events < g->next_look ? rc : act_engine_look(g, actor);
}

/* End an actor's element, which began at `start`; `wait` is the part of it that was not
 * work; the actor's clock is the end. Returns 0 or the sink's return value. */
int act_engine_done(struct act_engine *g, int32_t actor, int32_t element, double start,
                    double cost_s, double wait);

/* Pass ENTER and LEAVE of an actor to the sink. Returns 0 or the sink's return value. */
int act_engine_tell(const struct act_engine *g, int32_t actor);
/* Time that a cost takes this actor: the cost divided by the speed, with noise. */
double act_engine_taken(struct act_engine *g, struct act_actor *a, double cost_s);
/* In ordered mode: the actor runs on when time reaches its clock. */
void act_ordered_wake(struct act_engine *g, int32_t actor);

/* --- sharing.c, ordered mode only --- */

/* Start work of an actor: `taken` seconds of a core, `memory` bytes. Returns 0 or
 * -ENOMEM. */
int act_ordered_work(struct act_engine *g, int32_t actor, double taken, double memory);

/* --- elements.c --- */

/* Execute g->event, an ELEMENT, for an actor, whose status afterwards shows whether it
 * continues. Returns 0 or a negative errno. */
int act_engine_element(struct act_engine *g, int32_t actor);

/* --- messages.c --- */

/* Send a message. Returns 0: it left; 1: rendezvous, it leaves when the receiver is
 * ready; or a negative errno. A rendezvous without a request: the element ends when the
 * message leaves; if that is now, this function ends it. */
int act_engine_send(struct act_engine *g, int32_t actor, int32_t element, int64_t to,
                    int32_t request);
int act_engine_receive(struct act_engine *g, int32_t actor, int32_t element, int64_t from,
                       int32_t request);
/* Send a message of an expanded collective, a->bytes long: eager, never matched with the
 * model's messages. Returns 0 or negative. */
int act_engine_script_send(struct act_engine *g, int32_t actor, int32_t to);
int act_engine_script_receive(struct act_engine *g, int32_t actor, int32_t from);

/* --- requests.c --- */

/* Make a request of an actor; returns its number. Negative: out of memory. */
int32_t act_engine_request(struct act_engine *g, int32_t actor, int32_t element,
                           int64_t peer, int is_receive);
/* If all requests of an actor's wait (its current element) are done, end them and advance
 * the clock behind them. Returns 1 if so, 0 or negative. */
int act_engine_requests(struct act_engine *g, int32_t actor);
/* Set a request's completion time; no actor waits for it yet. */
void act_request_set(struct act_engine *g, int32_t request, double time);
/* Like act_request_set, but an actor that waits for this request alone runs on. Returns 0
 * or negative. */
int act_request_over(struct act_engine *g, int32_t actor, int32_t request, double time);

/* --- collectives.c --- */

int act_engine_collective(struct act_engine *g, int32_t actor);
/* Continue an expanded collective of an actor whose `line` is not -1. Returns 0 or
 * negative. */
int act_engine_script(struct act_engine *g, int32_t actor);
/* After the end of all processes: refuse a collective at which some never arrived.
 * Returns 0 or -EDOM. */
int act_engine_gathered(struct act_engine *g);

/* --- ahead.c, ordered.c --- */

int act_engine_ahead(struct act_engine *g);
int act_engine_ordered(struct act_engine *g);

/* --- blocked.c --- */

/* Set the error of a deadlock: who waits for whom. Returns -EDOM. */
int act_engine_blocked(struct act_engine *g);

/* --- eval.c -------------------------------------------------------------- */

/* Context in which an expression is evaluated. */
struct act_scope {
    union act_number *slots;
    const struct act_system *system;
    int64_t pid, tid, nthread;
    const char *fault; /* message of the first error; NULL: none */
    struct act_place place;
};

/* The value of an expression, in its type; 0 after an error. */
union act_number act_eval(const struct act_expr *e, struct act_scope *scope);
/* The value of an expression as a double. */
double act_eval_real(const struct act_expr *e, struct act_scope *scope);
/* Whether the value of an expression is not 0. */
int act_eval_true(const struct act_expr *e, struct act_scope *scope);
/* Set a variable; a whole number is converted if the variable is a double. */
void act_eval_set(const struct act_variable *variable, const struct act_expr *value,
                  struct act_scope *scope);

/* --- script.c ------------------------------------------------------------ */

/* A message of one process in an expanded collective. */
struct act_line {
    int32_t is_receive, peer;
};

/* Line `number` (from 0): one of the messages of process `pid` in an expanded collective
 * of `count` processes. Returns 1, or 0: the process has no such line. */
int act_script_line(enum act_kind kind, int64_t count, int64_t pid, int64_t root,
                    int64_t number, struct act_line *line);

#endif
