/* SPDX-License-Identifier: BSD-3-Clause */
/* drift.h: changes of the cost of equal calls during a run, and between runs. */
#ifndef MASTERMIND_COST_CALLS_DRIFT_H
#define MASTERMIND_COST_CALLS_DRIFT_H

#include "mastermind/cost/calls/sample_table.h"

struct mm_drift {
    int known; /* true if sizes recurred at different times, so a drift can be estimated
                */
    double change;   /* relative change of equal calls from the first to the last start */
    double error;    /* standard error of `change` */
    int significant; /* true if the change is statistically significant and above 2 % */
    int ascending;   /* true if each size ran in one block, and the sizes in ascending or
                        descending order: drift and size cannot be separated */
};

/* Variation between runs in the cost of equal calls. */
struct mm_run_spread {
    size_t runs;     /* number of runs that have calls of these sizes */
    double relative; /* relative standard deviation of a run about all runs at equal
                        sizes; NaN: one run, or runs without a common size */
};

/* Test the calls of `table` for drift; sizes are ordered by their typical costs. Returns
 * 0 or -ENOMEM. */
int mm_drift_fit(struct mm_drift *drift, const struct mm_sample_table *table);
int mm_run_spread_fit(struct mm_run_spread *spread, const struct mm_sample_table *table);

#endif
