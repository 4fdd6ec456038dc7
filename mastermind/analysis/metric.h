/* SPDX-License-Identifier: BSD-3-Clause */
/* metric.h: the rows of an experiment with a counter in the place of time. */
#ifndef MASTERMIND_ANALYSIS_METRIC_H
#define MASTERMIND_ANALYSIS_METRIC_H

#include "mastermind/analysis/row_source.h"

/* The place of time itself, beside those of experiment->counters. */
#define MM_METRIC_TIME (-1)

/* A source of rows, all or those of one thread, to whoever builds something of `source`: it
 * must not move then. What is called nanoseconds there is the counter; recording costs
 * nothing of it, and a value that is missing counts as 0 and is counted here. */
struct mm_metric_source {
    struct mm_row_source source;
    const struct mm_experiment *experiment;
    int metric;
    int rank, thread; /* -1: all */
    uint64_t rows, missing;

    mm_row_function function; /* of the walk under way */
    mm_aggregate_function aggregate_function;
    void *context;
};

/* Find a metric of an experiment: "TIME" or the name of a counter. Returns its place, or
 * -ENOENT with `err`: what there is, or why it is missing. */
int mm_metric_find(const struct mm_experiment *experiment, const char *name, int *metric,
                   struct cca_error *err);

void mm_metric_source_init(struct mm_metric_source *source,
                           struct mm_experiment *experiment, int metric);

#endif
