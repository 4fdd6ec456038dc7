/* SPDX-License-Identifier: BSD-3-Clause */
/* drift.h: did the host's pace change while calls were measured, and from run to run? */
#ifndef MASTERMIND_COST_CALLS_DRIFT_H
#define MASTERMIND_COST_CALLS_DRIFT_H

#include "mastermind/cost/calls/sample_table.h"

struct mm_drift {
    int known;       /* sizes came back at different times, so that pace can be told */
    double change;   /* relative change of equal calls from the first to the last start */
    double error;    /* its standard error */
    int significant; /* the change is no chance, and above 2 % */
    int ascending;   /* each size was called in one block, sizes in ascending or
                        descending order: pace and size cannot be told apart */
};

/* How runs differ in the pace of equal calls. */
struct mm_run_spread {
    size_t runs;     /* with calls of these sizes */
    double relative; /* sd of one run about all, of equal sizes; NaN: one run, or runs
                        that have no size in common */
};

/* Test the calls of `table` for drift; sizes are ordered by their typical costs. 0 or
 * -ENOMEM. */
int mm_drift_fit(struct mm_drift *drift, const struct mm_sample_table *table);
int mm_run_spread_fit(struct mm_run_spread *spread, const struct mm_sample_table *table);

#endif
