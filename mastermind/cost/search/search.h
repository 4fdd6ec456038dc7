/* SPDX-License-Identifier: BSD-3-Clause */
/* search.h: find the forms that explain the typical costs of a table of sizes. */
#ifndef MASTERMIND_COST_SEARCH_SEARCH_H
#define MASTERMIND_COST_SEARCH_SEARCH_H

#include "mastermind/cost/forms/form.h"
#include "mastermind/cost/calls/sample_table.h"

struct mm_search_options {
    double max_power; /* largest exponent of a parameter; 0: MM_MAX_POWER */
};

/* Find the best form of `table`, which is not empty, and its alternatives. Weights add up
 * to 1; each form has its covariance and its error at left-out sizes. A parameter that
 * hardly varies gets only terms that its range can support.
 *
 * Returns 0; -ENOMEM. Every table has at least a constant. */
int mm_search(const struct mm_sample_table *table,
              const struct mm_search_options *options, struct mm_forms *forms);

#endif
