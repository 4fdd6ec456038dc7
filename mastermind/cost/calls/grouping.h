/* SPDX-License-Identifier: BSD-3-Clause */
/* grouping.h: divide the kept calls of a table into groups, for mm_populations_fit. */
#ifndef MASTERMIND_COST_CALLS_GROUPING_H
#define MASTERMIND_COST_CALLS_GROUPING_H

#include "mastermind/cost/calls/populations.h"

#define MM_MAIN 0 /* group of the main population */
/* the host took an unknown part of the call, so its cost is unknown */
#define MM_DROPPED -1

struct mm_grouping {
    const struct mm_sample_table *table;
    const double *fitted;    /* [table->count] fitted typical cost of each size */
    size_t *from;            /* [table->count + 1] index of the first call of each size */
    double *most;            /* [table->count] largest usual cost of each size */
    struct mm_member *calls; /* [count] calls with their sizes and weights */
    double *value;           /* [count] cost less the part attributed to the host */
    signed char *group;      /* [count] group of each call: MM_DROPPED, MM_MAIN, 1 ..
                                groups */
    size_t count;
    int groups;
    double waiting; /* number of calls that waited */
};

/* Collect the calls of `table`, and put those above their size's main population into
 * group 1. Free with mm_grouping_done, also after an error. Returns 0 or -ENOMEM. */
int mm_grouping_init(struct mm_grouping *grouping, const struct mm_sample_table *table,
                     const double *fitted);
/* Split group 1 into groups with separate causes, at most MM_POPULATIONS. If group 1 is a
 * tail of the main population, it returns there. Returns 0 or -ENOMEM. */
int mm_grouping_split(struct mm_grouping *grouping);
/* Excess of call `call` over the fitted cost, > 0, in units of typ^power. */
double mm_grouping_excess(const struct mm_grouping *grouping, size_t call, double power);
/* The power of the typical cost with which the excess of a group's calls grows. `*factor`
 * gets the factor with which the group's sum of excesses is right. */
double mm_grouping_power(const struct mm_grouping *grouping, int group, double *factor);
/* Find the rule that best separates the group's calls from the other calls. Returns 0 or
 * -ENOMEM. */
int mm_grouping_rule(const struct mm_grouping *grouping, int group, struct mm_rule *rule);
/* Describe group `group` as a population, including its rule. Returns 0 or -ENOMEM. */
int mm_grouping_fit(const struct mm_grouping *grouping, int group,
                    struct mm_population *population);
void mm_grouping_done(struct mm_grouping *grouping);

#endif
