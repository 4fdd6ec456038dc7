/* SPDX-License-Identifier: BSD-3-Clause */
/* engine.h: simulate the processes of a program on a machine.
 *
 * Two modes. If no node ever has more busy threads than cores, each process runs ahead on
 * its own clock until it waits for another one, without a queue. Otherwise events are
 * taken in order of time, and cores are shared (processor sharing). Where both modes
 * apply, they give the same numbers. Message times are LogGP (machine.h). Equal seeds
 * give equal runs.
 *
 * A collective is simulated as cost: all processes arrive, then it lasts the largest of
 * their costs (Pllana's model); or expanded: each process spends its own cost, then sends
 * and receives the messages of the usual algorithm, all of them eager. */
#ifndef ACTIVITY_RUN_ENGINE_H
#define ACTIVITY_RUN_ENGINE_H

#include "activity/machine/machine.h"
#include "activity/run/program.h"

/* An interval in which one process or thread executes an element. Times are seconds of
 * simulated time. */
struct act_span {
    enum act_event_kind kind; /* kind of the event: ELEMENT; ENTER and LEAVE: start_s =
                               * end_s; LOCK: time spent waiting */
    /* tid: index of the thread in its process at that time; 0: the process itself, or its
     * first thread. In nested regions it differs from the model's tid. */
    int32_t pid, tid, element;
    double start_s, end_s;
    double busy_s; /* time at work: an action's cost, a message's o_s or o_r. The rest of
                    * end_s - start_s is waiting, or the effect of shared cores. */
    int64_t bytes, peer, tag;
};

/* Observer of a run; members may be NULL. A non-zero return ends the run and is its
 * result. */
struct act_sink {
    void *context;
    /* Called when a process or thread begins this element, before any other process runs:
     * the most recent query of costs belongs to this element. */
    int (*begin)(void *context, int32_t pid, int32_t tid, int32_t element);
    /* Called when the element has ended. Spans of one thread come in order; spans of
     * different threads interleave. */
    int (*span)(void *context, const struct act_span *span);
};

struct act_run_options {
    struct act_machine machine;
    struct act_config config;
    uint64_t seed;       /* seed of the noise */
    int64_t most_events; /* limit of events; 0: 10^12 */
    double until_s;      /* deadline of the simulation on CLOCK_MONOTONIC; 0: none */
    const struct act_sink *sink; /* observer of the simulation; NULL: none */
};

/* Sums of an element over all processes. */
struct act_element_sum {
    int64_t calls;
    double cost_s;             /* sum of costs from the model, before speed and noise */
    double total_s;            /* sum of end - start over all executions */
    double wait_s;             /* part of total_s that is not work */
    double least_s, largest_s; /* shortest and longest execution (end - start) */
};

struct act_result {
    double makespan_s;  /* time at which the last process ends, seconds */
    int64_t operations; /* number of events of kind ELEMENT */
    int64_t messages, bytes;
    struct act_element_sum *elements; /* [model->element_count] sums by number of the
                                       * element */
    double *process_s; /* [nproc] end times; NULL for 10^5 processes or more */
    int shared;        /* 1: some node has more threads than cores */
};

/* Run a simulation. Returns 0 (then call act_result_free); -EDOM with `err` "name:line:
 * column: ..." for an error in the model: no cost, an invalid peer, a deadlock (the
 * message names who waits in which element for whom), too many events, or the deadline
 * until_s; -ENOMEM. One thread. */
int act_run(struct act_program *program, const struct act_run_options *options,
            struct act_result *result, struct cca_error *err);
void act_result_free(struct act_result *result);

#endif
