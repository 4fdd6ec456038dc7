/* SPDX-License-Identifier: BSD-3-Clause */
/* metric.h: the rows of an experiment with the values of one metric as their times.
 *
 *   TIME          own time: wall less host        WALL_TIME     as the clock says
 *   HOST_TIME     ready to run, the host ran      WAIT_TIME     off the core of its own
 *                 something else                                accord
 *   CPU_TIME      own time less waiting           MPI_TIME      time inside MPI
 *   COMPUTE_TIME  own time less MPI               NAME          a counter
 *   o.NAME        an out-parameter, an integer
 *
 * TIME is the default everywhere. Where an experiment does not tell what the host took
 * (older, imported), TIME and WALL_TIME are both what the clock says, and CPU_TIME is the
 * reading of the thread's CPU clock if there is one.
 *
 * Rows have exclusive values of the host, of waiting and of counters; those of time
 * inside MPI and of a CPU clock are the difference to the callees. Where these are in the
 * aggregates the difference is not known call by call, but the sums of a method are: what
 * all its calls have less what all that they called has. An out-parameter counts for the
 * method that gave it, and for what called it. */
#ifndef MASTERMIND_COUNTS_DUAL_METRIC_H
#define MASTERMIND_COUNTS_DUAL_METRIC_H

#include "mastermind/counts/dual/pending.h"
#include "mastermind/reader/experiment.h"

enum mm_metric_kind {
    MM_METRIC_TIME,
    MM_METRIC_WALL_TIME,
    MM_METRIC_CPU_TIME,
    MM_METRIC_MPI_TIME,
    MM_METRIC_COMPUTE_TIME,
    MM_METRIC_HOST_TIME,
    MM_METRIC_WAIT_TIME,
    MM_METRIC_COUNTER,
    MM_METRIC_OUT
};

/* Those that are times, beside TIME, as help texts name them. */
#define MM_METRIC_TIMES                                                                  \
    "WALL_TIME, CPU_TIME, HOST_TIME, WAIT_TIME, MPI_TIME, COMPUTE_TIME"

struct mm_metric {
    enum mm_metric_kind kind;
    size_t counter;   /* counter of an experiment */
    const char *name; /* name as the user gave it; borrowed */
};

/* A source of rows, of all ranks, one rank or one thread, whose times are values of the
 * metric. What is built from `source` points into this struct: it must not move. The
 * cost of recording is in TIME, WALL_TIME, COMPUTE_TIME, and CPU_TIME that is own time
 * less waiting. A missing value counts as 0 and is counted here. */
struct mm_metric_source {
    struct mm_row_source source;
    const struct mm_experiment *experiment;
    struct mm_metric metric;
    int is_derived;   /* exclusive values are differences to the callees */
    int rank, thread; /* -1: all ranks; one rank: all its threads */
    const struct mm_row_source *given; /* rows as they were recorded, in the place of the
                                          experiment's; NULL */
    uint64_t rows, missing;

    mm_row_function function; /* state of the walk under way */
    mm_aggregate_function aggregate_function;
    void *context;
    struct mm_pending_stack stack; /* sums of the callees of unfinished rows */
    int at_rank, at_thread;
};

/* Find a metric of an experiment. 0, or -ENOENT with `err`, which lists the metrics or
 * the reason why this one is missing. */
int mm_metric_find(const struct mm_experiment *experiment, const char *name,
                   struct mm_metric *metric, struct cca_error *err);
/* The metric that an experiment would have under this name; a counter, unless the name is
 * that of a time or an out-parameter. */
struct mm_metric mm_metric_named(const char *name);
/* "ns", or "count". */
const char *mm_metric_unit(const struct mm_metric *metric);

void mm_metric_source_init(struct mm_metric_source *source,
                           struct mm_experiment *experiment,
                           const struct mm_metric *metric);
void mm_metric_source_done(struct mm_metric_source *source);

#endif
