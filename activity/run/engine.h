/* SPDX-License-Identifier: BSD-3-Clause */
/* engine.h: processes of a program on a machine, in simulated time.
 *
 * Where no node ever has more threads at work than cores, each process runs ahead on its
 * own clock until it waits for another one, without any queue; else events are taken in
 * the order of time, and cores are shared (processor sharing). Both give the same numbers
 * where both apply. Message times are LogGP (machine.h). A run with the same seed is the
 * same run.
 *
 * A collective: as cost, all processes arrive, then it lasts the largest of their costs
 * (the paper's); expanded, each process takes its own cost, then sends and receives the
 * messages of the usual algorithm, all of them eager. */
#ifndef ACTIVITY_RUN_ENGINE_H
#define ACTIVITY_RUN_ENGINE_H

#include "activity/machine/machine.h"
#include "activity/run/program.h"

/* What one process or thread did. Seconds of simulated time. */
struct act_span {
    enum act_event_kind
        kind; /* ELEMENT; ENTER and LEAVE: start_s = end_s; LOCK: the wait */
    /* tid: which thread of its process at that time; 0: the process itself, or the first
     * of its threads. Within regions within regions it is not the model's tid. */
    int32_t pid, tid, element;
    double start_s, end_s;
    double busy_s; /* at work: of an action what its cost takes, of a message o_s or o_r;
                    * the rest of end_s - start_s is waiting, or sharing */
    int64_t bytes, peer, tag;
};

/* Who listens to a run; members may be NULL. A non-zero return ends the run with it. */
struct act_sink {
    void *context;
    /* An event of this element was made: called before any other state runs, so that what
     * the costs were asked last is known to belong to it. */
    int (*begin)(void *context, int32_t pid, int32_t tid, int32_t element);
    /* It ended. Spans of one thread come in order; those of several interleave. */
    int (*span)(void *context, const struct act_span *span);
};

struct act_run_options {
    struct act_machine machine;
    struct act_config config;
    uint64_t seed;       /* of the machine's noise */
    int64_t most_events; /* of the run; 0: 10^12 */
    double until_s;      /* of CLOCK_MONOTONIC, when it must have ended; 0: no limit */
    const struct act_sink *sink; /* NULL: nobody listens */
};

/* Sums of an element over all processes. */
struct act_element_sum {
    int64_t calls;
    double cost_s;             /* as the model gave them, before speed and noise */
    double total_s;            /* end - start */
    double wait_s;             /* of total_s: not at work */
    double least_s, largest_s; /* of one call, end - start */
};

struct act_result {
    double makespan_s;  /* the last process ends */
    int64_t operations; /* events that are elements */
    int64_t messages, bytes;
    struct act_element_sum *elements; /* by number: model->element_count */
    double *process_s; /* by pid: when it ended; NULL from 10^5 processes on */
    int shared;        /* a node has more threads than cores */
};

/* Run. 0, then act_result_free; -EDOM with `err` where the model is at fault: "name:line:
 * column: ...": no cost, a peer that is none, processes that wait for each other (who
 * waits in which element for whom), no end after too many events or at until_s;
 * -ENOMEM. One thread. */
int act_run(struct act_program *program, const struct act_run_options *options,
            struct act_result *result, struct cca_error *err);
void act_result_free(struct act_result *result);

#endif
