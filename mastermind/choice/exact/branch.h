/* SPDX-License-Identifier: BSD-3-Clause */
/* branch.h: branch and bound, depth first. */
#ifndef MASTERMIND_CHOICE_EXACT_BRANCH_H
#define MASTERMIND_CHOICE_EXACT_BRANCH_H

#include "mastermind/choice/exact/best_list.h"
#include "mastermind/choice/exact/buckets.h"

struct mm_branch {
    const struct mm_buckets *buckets; /* tables of lower bounds, already filled */
    int64_t offset;                   /* cost added to all bounds */
    size_t quality;                   /* index of the quality that breaks ties;
                                         quality_count: none */
    int greater;                      /* 1: a greater value of the quality is better */
    uint64_t most;                    /* most nodes to open */
    uint64_t nodes;                   /* number of nodes opened so far */
    int64_t lower; /* lower bound of the assignments that were not searched; INT64_MAX:
                      all were searched */
};

/* Search all that mm_best_list_cutoff allows, and offer assignments that meet the bounds.
 * 1: done; 0: `most` nodes were opened before; -ENOMEM. Sets nodes and lower. */
int mm_branch_run(struct mm_branch *branch, struct mm_best_list *list);

#endif
