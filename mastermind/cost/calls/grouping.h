/* SPDX-License-Identifier: BSD-3-Clause */
/* grouping.h: the kept calls of a table, each in one group: the work of
 * mm_populations_fit. */
#ifndef MASTERMIND_COST_CALLS_GROUPING_H
#define MASTERMIND_COST_CALLS_GROUPING_H

#include "mastermind/cost/calls/populations.h"

#define MM_MAIN 0     /* group of the main population */
#define MM_DROPPED -1 /* the host took an unknown part: the cost is not known */

struct mm_grouping {
    const struct mm_sample_table *table;
    const double *fitted;    /* [table->count] */
    size_t *from;            /* [table->count + 1] first call of each size */
    double *most;            /* [table->count] largest usual cost of each size */
    struct mm_member *calls; /* [count] */
    double *value;           /* [count] their cost less the host's part */
    signed char *group;      /* [count] MM_DROPPED, MM_MAIN, 1 .. groups */
    size_t count;
    int groups;
    double waiting; /* calls that waited */
};

/* Take the calls of `table`, and put those beyond their size's main population into group
 * 1. mm_grouping_done frees it, also after an error. 0 or -ENOMEM. */
int mm_grouping_init(struct mm_grouping *grouping, const struct mm_sample_table *table,
                     const double *fitted);
/* Give what has a reason of its own a group of its own, at most MM_POPULATIONS; a mere
 * tail of the main population goes back to it. 0 or -ENOMEM. */
int mm_grouping_split(struct mm_grouping *grouping);
/* Excess of call `call` over the fitted cost, > 0, in units of typ^power. */
double mm_grouping_excess(const struct mm_grouping *grouping, size_t call, double power);
/* The power of the typical cost that the excess of a group goes with, and the factor that
 * keeps the sum. */
double mm_grouping_power(const struct mm_grouping *grouping, int group, double *factor);
/* The rule that explains membership in a group. 0 or -ENOMEM. */
int mm_grouping_rule(const struct mm_grouping *grouping, int group, struct mm_rule *rule);
/* Describe group `group` as a population, rule included. 0 or -ENOMEM. */
int mm_grouping_fit(const struct mm_grouping *grouping, int group,
                    struct mm_population *population);
void mm_grouping_done(struct mm_grouping *grouping);

#endif
