/* SPDX-License-Identifier: BSD-3-Clause */
/* row_source.h: where the analysis takes its rows from: an experiment directory, or
 * memory. */
#ifndef MASTERMIND_READER_ROW_SOURCE_H
#define MASTERMIND_READER_ROW_SOURCE_H

#include "mastermind/reader/experiment.h"

/* Strings and tables are borrowed and outlive whatever is built from the source. */
struct mm_row_source {
    const char *name;                /* to print */
    struct mm_method_info **methods; /* [method_count]; methods[i]->index is i */
    size_t method_count;
    double call_ns;  /* measured cost of recording one call, 0: unknown */
    double fold_ns;  /* the same of one that goes into the aggregates */
    double floor_ns; /* differences below it may be of the measuring, 0: there are none */
    /* Of a metric in the place of time, metric.h: */
    int counts;  /* the unit is no time */
    int derived; /* what is in aggregates is in the exclusive values of their callers, too
                  */
    int rows_only; /* aggregates have no values: samples of them speak for them */
    /* As mm_experiment_rows: same order, same returns. */
    int (*walk)(void *context, mm_row_function function, void *function_context,
                struct cca_error *err);
    /* As mm_experiment_aggregates; NULL: there are none. */
    int (*walk_aggregates)(void *context, mm_aggregate_function function,
                           void *function_context, struct cca_error *err);
    void *context;
};

/* A source that reads `experiment`, which must outlive it. */
struct mm_row_source mm_row_source_of(struct mm_experiment *experiment);

#endif
