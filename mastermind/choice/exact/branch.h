/* SPDX-License-Identifier: BSD-3-Clause */
/* branch.h: branch and bound, depth first. */
#ifndef MASTERMIND_CHOICE_EXACT_BRANCH_H
#define MASTERMIND_CHOICE_EXACT_BRANCH_H

#include "mastermind/choice/exact/best_list.h"
#include "mastermind/choice/exact/buckets.h"

struct mm_branch {
    const struct mm_buckets *buckets; /* filled */
    int64_t offset;                   /* to be added to all bounds */
    size_t quality;                   /* breaks ties; quality_count: none */
    int greater;                      /* its greater value is better */
    uint64_t most;                    /* nodes to open */
    uint64_t nodes;                   /* opened */
    int64_t lower; /* lower bound of the unsearched part; INT64_MAX: nothing is left */
};

/* Search all that mm_best_list_cutoff leaves, and offer what is within the bounds. 1:
 * done; 0: `most` nodes were opened first; -ENOMEM. Sets nodes and lower. */
int mm_branch_run(struct mm_branch *branch, struct mm_best_list *list);

#endif
