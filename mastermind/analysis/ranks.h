/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks.h: what each rank of an experiment has done by itself, and how unevenly. */
#ifndef MASTERMIND_ANALYSIS_RANKS_H
#define MASTERMIND_ANALYSIS_RANKS_H

#include "mastermind/analysis/dual.h"

/* Of one method, or of one function of MPI, on one rank. */
struct mm_rank_sum {
    uint64_t calls;
    int64_t exclusive_ns;
};

/* Of one rank over all methods. */
struct mm_rank_end {
    uint64_t rows;   /* invocations that ended, kept as rows or summed up */
    uint64_t open;   /* and those that did not */
    int64_t last_ns; /* end of the last thing known, since the start of the experiment's
                        clock */
};

/* Zero-initialised is empty. */
struct mm_ranks {
    size_t method_count;
    int count; /* ranks up to the last that has left a row */
    int room;
    struct mm_rank_sum *sums; /* [count][method_count] */
    struct mm_rank_end *ends; /* [count] */
};

/* Know of so many ranks, also of those without a row. 0 or -ENOMEM. */
int mm_ranks_reserve(struct mm_ranks *ranks, int count);
/* Add a row or an aggregate. 0 or -ENOMEM. */
int mm_ranks_row(struct mm_ranks *ranks, const struct mm_row *row, int64_t exclusive_ns);
int mm_ranks_aggregate(struct mm_ranks *ranks, const struct mm_aggregate *aggregate,
                       int64_t exclusive_ns);
void mm_ranks_done(struct mm_ranks *ranks);

/* How one number differs from rank to rank. */
struct mm_rank_spread {
    int ranks;       /* over so many */
    int with_calls;  /* of which so many have called it at all; the others have 0 */
    int least, most; /* these ranks have them */
    double min, mean, max;
    double imbalance; /* max / mean - 1: what the ranks wait for the last one; 0 if mean
                         is 0 */
};

/* Of `count` sums that are `stride` apart. */
struct mm_rank_spread mm_rank_spread(const struct mm_rank_sum *sums, int count,
                                     size_t stride);

#endif
