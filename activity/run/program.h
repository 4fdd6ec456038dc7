/* SPDX-License-Identifier: BSD-3-Clause */
/* program.h: interface of a runnable model. A process is a state of a few bytes; a
 * function advances it to its next event. The interpreter (interpret.h) and compiled C
 * (compile.h) implement this interface; the engine (engine.h) uses nothing else. */
#ifndef ACTIVITY_RUN_PROGRAM_H
#define ACTIVITY_RUN_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "activity/model/tree.h"

/* Head of the state of a process or thread; its variables follow. The engine allocates
 * states (state_bytes of the program, zeroed), fills pid, tid and nthread, calls `start`
 * once for each process, and copies the state for each thread that a process starts:
 * variables that a thread sets are its own and are lost at the join. */
struct act_state {
    int32_t pc; /* program counter; of a new thread the engine sets it to `pcs` of the
                 * event */
    int32_t pid, tid, nthread;
};

enum act_event_kind {
    ACT_EVENT_END, /* the process or thread ends */
    /* an action, message, wait or collective, as the element's kind shows */
    ACT_EVENT_ELEMENT,
    ACT_EVENT_PARALLEL, /* start threads; each runs from pcs[0] to its END; then the
                         * process continues */
    ACT_EVENT_FORK,     /* start `count` threads; thread i runs from pcs[i] to its END */
    ACT_EVENT_LOCK,     /* a critical region: acquire its lock in this process */
    ACT_EVENT_UNLOCK,
    ACT_EVENT_ENTER, /* a call of an activity that has a method; takes no time */
    ACT_EVENT_LEAVE
};

struct act_event {
    enum act_event_kind kind;
    /* number of the element; ENTER and LEAVE: the call's element, -1: Main */
    int32_t element;
    double cost_s; /* cost of an action or collective, seconds */
    double memory; /* bytes that an action moves to and from memory */
    /* size of a message, of a collective, or of each message of an exchange */
    int64_t bytes;
    int64_t tag;
    int64_t peer; /* destination or source of a message, or root of a collective */
    /* Parallel: with has_turns, threads share the iterations first..last of a loop.
     * Before a thread runs an iteration from pcs[0], the engine stores the iteration's
     * number at byte `turn_at` of its state. */
    /* threads: of a parallel region; first, last, chunk: iterations of a parallel loop
     * and their number per chunk (0: not given) */
    int64_t threads, first, last, chunk;
    uint32_t turn_at;
    int32_t has_turns;
    int32_t count; /* number of entries of `pcs` or `peers` */
    union {
        int64_t peers[ACT_PEERS]; /* peers of an exchange */
        int32_t pcs[ACT_PEERS];
    };
};

/* Source of costs of model("..."). NULL in a program: there is none. */
struct act_costs {
    void *context;
    /* Returns the mean cost in seconds of the model("...") with this number (struct
     * act_model_call) for these values of its parameters. A result that is not finite
     * means unknown and ends the run. */
    double (*seconds)(void *context, int number, const double *values);
    /* Returns why the last cost was not finite, for an error message: "no model of ..".
     * NULL: unknown. */
    const char *(*fault)(void *context);
};

struct act_system {
    /* numbers of processes and nodes; nthread: threads of a process outside of
     * parallel regions */
    int64_t nproc, nnode, nthread;
    const struct act_costs *costs;
};

struct act_program {
    /* the model, for names, positions and kinds of elements; borrowed */
    const struct act_model *model;
    size_t state_bytes; /* size of the state of a process, head included */
    /* configuration of the run, set by the engine before the first start */
    struct act_system system;
    /* Start a process: set its globals, and `pc` to the first instruction of Main.
     * Returns 0 or an error, as `next` does. */
    int (*start)(const struct act_program *program, struct act_state *state,
                 struct cca_error *err);
    /* Run a process to its next event. Returns 0; -EDOM with `err` for an error in the
     * model, "name:line:column: a division by zero (process 3)"; -ELOOP: too many steps
     * without an event. */
    int (*next)(const struct act_program *program, struct act_state *state,
                struct act_event *event, struct cca_error *err);
};

#endif
