/* SPDX-License-Identifier: BSD-3-Clause */
/* metric.h: the rows of an experiment, with values of one metric in place of times.
 *
 *    TIME          own time: wall less host        WALL_TIME     clock time
 *    HOST_TIME     ready to run, while the host    WAIT_TIME     off the core of its own
 *                  ran something else                            accord
 *    CPU_TIME      own time less waiting           MPI_TIME      time inside MPI
 *    COMPUTE_TIME  own time less MPI               NAME          a counter
 *    o.NAME        an out-parameter, an integer
 *    PEAK_BYTES    a counter: the peak of memory of outermost calls, which does not add
 * up
 *
 * TIME is the default everywhere. If an experiment lacks the host's time (older,
 * imported), TIME and WALL_TIME are both clock time, and CPU_TIME is the reading of the
 * thread's CPU clock, if recorded.
 *
 * Rows have exclusive values of host time, waiting and counters; exclusive MPI time and
 * CPU clock time are differences to the callees. With aggregated callees the difference
 * is unknown for a single call but known as a sum per method: all its calls less all
 * their callees. An out-parameter counts for the method that returned it and for its
 * callers. */
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

/* Metrics that are times, besides TIME, as help texts name them. */
#define MM_METRIC_TIMES                                                                  \
    "WALL_TIME, CPU_TIME, HOST_TIME, WAIT_TIME, MPI_TIME, COMPUTE_TIME"

struct mm_metric {
    enum mm_metric_kind kind;
    size_t counter;   /* index of the counter in the experiment */
    const char *name; /* name of the metric as the user gave it; borrowed */
    const char *unit; /* unit of a counter; NULL: given by its name; borrowed */
};

/* A source of rows, of all ranks, one rank or one thread, with values of the metric as
 * times. Objects built from `source` point into this struct: it must not move. Recording
 * cost is in TIME, WALL_TIME, COMPUTE_TIME, and in CPU_TIME as own time less waiting. A
 * missing value is 0 and is counted here. */
struct mm_metric_source {
    struct mm_row_source source;
    const struct mm_experiment *experiment;
    struct mm_metric metric;
    int is_derived;   /* true if exclusive values are differences between a call and its
                         callees */
    int rank, thread; /* rank and thread whose rows the source includes; `rank` -1: all
                         ranks; `thread` -1: all threads */
    /* recorded rows to be used in place of the experiment's rows; or NULL */
    const struct mm_row_source *given;
    uint64_t rows, missing;

    mm_row_function function; /* callback of the current walk */
    mm_aggregate_function aggregate_function;
    void *context;
    struct mm_pending_stack stack; /* sums of the metric over the callees of unfinished
                                      rows */
    int at_rank, at_thread;
};

/* Find a metric of an experiment. Returns 0, or -ENOENT with `err`, which lists the
 * metrics or gives the reason why this one is missing. */
int mm_metric_find(const struct mm_experiment *experiment, const char *name,
                   struct mm_metric *metric, struct cca_error *err);
/* Make the metric of this name without an experiment: a time, an out-parameter, else a
 * counter. */
struct mm_metric mm_metric_named(const char *name);
/* Unit of a metric's values: "ns", "bytes", "count", or a counter's own. */
const char *mm_metric_unit(const struct mm_metric *metric);
/* True if values of calls do not add up: a total is the largest of all calls. */
int mm_metric_is_peak(const struct mm_metric *metric);

void mm_metric_source_init(struct mm_metric_source *source,
                           struct mm_experiment *experiment,
                           const struct mm_metric *metric);
void mm_metric_source_done(struct mm_metric_source *source);

#endif
