/* SPDX-License-Identifier: BSD-3-Clause */
/* metric.h: the rows of an experiment with another metric in the place of wall time.
 *
 *   TIME          wall time                       CPU_TIME      thread CPU time
 *   MPI_TIME      time inside MPI                 COMPUTE_TIME  wall time less that
 *   NAME          a counter of the experiment     o.NAME        an out-parameter, an
 *                 integer
 *
 * A counter's row says what the call counted without its callees; of CPU and MPI time
 * that is the difference to the callees. Where these are in the aggregates it is not
 * known call by call, but the sums of a method are: what all its calls have less what all
 * that they called has. An out-parameter counts for the method that gave it, and for what
 * called it. */
#ifndef MASTERMIND_ANALYSIS_METRIC_H
#define MASTERMIND_ANALYSIS_METRIC_H

#include "mastermind/analysis/pending.h"
#include "mastermind/reader/experiment.h"

enum mm_metric_kind {
    MM_METRIC_TIME,
    MM_METRIC_CPU_TIME,
    MM_METRIC_MPI_TIME,
    MM_METRIC_COMPUTE_TIME,
    MM_METRIC_COUNTER,
    MM_METRIC_OUT
};

struct mm_metric {
    enum mm_metric_kind kind;
    size_t counter;   /* of an experiment's */
    const char *name; /* as it was asked for; borrowed */
};

/* A source of rows, all or those of one rank or thread, to whoever builds something of
 * `source`: it must not move then. What is called nanoseconds there is the metric;
 * recording costs nothing of any but TIME. A value that is missing counts as 0 and is
 * counted here. */
struct mm_metric_source {
    struct mm_row_source source;
    const struct mm_experiment *experiment;
    struct mm_metric metric;
    int rank, thread; /* -1: all; a rank alone is all its threads */
    uint64_t rows, missing;

    mm_row_function function; /* of the walk under way */
    mm_aggregate_function aggregate_function;
    void *context;
    struct mm_pending_stack stack; /* what the callees of unfinished rows have */
    int at_rank, at_thread;
};

/* Find a metric of an experiment. Returns 0, or -ENOENT with `err`: what there is, or why
 * it is missing. */
int mm_metric_find(const struct mm_experiment *experiment, const char *name,
                   struct mm_metric *metric, struct cca_error *err);
/* "ns", or "count". */
const char *mm_metric_unit(const struct mm_metric *metric);

void mm_metric_source_init(struct mm_metric_source *source,
                           struct mm_experiment *experiment,
                           const struct mm_metric *metric);
void mm_metric_source_done(struct mm_metric_source *source);

#endif
