/* SPDX-License-Identifier: BSD-3-Clause */
/* program.h: a model that can be run: a process is a state of a few bytes that tells,
 * event by event, what it does next. The interpreter (interpret.h) and compiled C
 * (compile.h) make programs; the engine (engine.h) runs them and knows no more than this.
 */
#ifndef ACTIVITY_RUN_PROGRAM_H
#define ACTIVITY_RUN_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "activity/model/tree.h"

/* The head of a process's or thread's state; its variables lie behind. The engine makes
 * states (state_bytes of the program, zeroed), fills pid, tid and nthread, calls `start`
 * once for each process, and copies a state for each thread that a process begins: what a
 * thread sets is its own and is gone at the join. */
struct act_state {
    int32_t pc; /* where it is; the engine sets it for threads: `pcs` of their event */
    int32_t pid, tid, nthread;
};

enum act_event_kind {
    ACT_EVENT_END,      /* the process or thread is done */
    ACT_EVENT_ELEMENT,  /* an action, message, wait or collective: see the element's kind
                         */
    ACT_EVENT_PARALLEL, /* threads; each runs from pcs[0] to its END; then the process
                           goes on */
    ACT_EVENT_FORK,     /* `count` threads; thread i runs from pcs[i] to its END */
    ACT_EVENT_LOCK, /* critical: wait for the lock of the element's name in this process
                     */
    ACT_EVENT_UNLOCK,
    ACT_EVENT_ENTER, /* a call of an activity that has a method; takes no time */
    ACT_EVENT_LEAVE
};

struct act_event {
    enum act_event_kind kind;
    int32_t element; /* number; of ENTER and LEAVE: of the call, -1: Main */
    double cost_s;   /* of an action or collective */
    double memory;   /* of an action: bytes to and from memory */
    int64_t bytes;   /* of a message, a collective, each message of an exchange */
    int64_t tag;
    int64_t peer; /* destination, source or root */
    /* Parallel: a loop's turns first..last are shared when has_turns; before a thread
     * runs from pcs[0] for a turn, the engine stores the turn at byte `turn_at` of its
     * state. */
    int64_t threads, first, last, chunk; /* chunk 0: not given */
    uint32_t turn_at;
    int32_t has_turns;
    int32_t count; /* of pcs, or of peers */
    union {
        int64_t peers[ACT_PEERS]; /* of an exchange */
        int32_t pcs[ACT_PEERS];
    };
};

/* Where costs of model("...") come from. NULL in a program: it has none. */
struct act_costs {
    void *context;
    /* The mean cost, in seconds, of a model's call `number` (struct act_model_call) with
     * the values of its parameters. Not finite: not known; the run ends. */
    double (*seconds)(void *context, int number, const double *values);
    /* Why the last answer was not finite, to stand in a message: "no model of ..".
     * NULL: nobody can say. */
    const char *(*fault)(void *context);
};

struct act_system {
    int64_t nproc, nnode, nthread; /* nthread: of a process outside of parallel regions */
    const struct act_costs *costs;
};

struct act_program {
    const struct act_model *model; /* names, places, kinds of elements; borrowed */
    size_t state_bytes;            /* of a state, head included */
    struct act_system system;      /* set by the engine before the first start */
    /* Begin: globals get their values, pc is the start of Main. 0 or as `next`. */
    int (*start)(const struct act_program *program, struct act_state *state,
                 struct cca_error *err);
    /* Run to the next event. 0; -EDOM with `err`, "name:line:column: a division by zero
     * (process 3)": a fault of the model; -ELOOP: too many steps without an event. */
    int (*next)(const struct act_program *program, struct act_state *state,
                struct act_event *event, struct cca_error *err);
};

#endif
