/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks.h: the calls and times of each rank of an experiment, and its imbalance. */
#ifndef MASTERMIND_COUNTS_DUAL_RANKS_H
#define MASTERMIND_COUNTS_DUAL_RANKS_H

#include "mastermind/counts/dual/dual.h"

/* Calls and time of one method or MPI function on one rank. */
struct mm_rank_sum {
    uint64_t calls;
    int64_t exclusive_ns;
};

/* Sums over all methods on one rank. */
struct mm_rank_end {
    uint64_t rows;   /* number of invocations that ended, from rows or aggregates */
    uint64_t open;   /* number of invocations that did not end */
    int64_t last_ns; /* latest known time, since the start of the experiment's clock */
};

/* Calls and times by rank; empty if zero-initialised. */
struct mm_ranks {
    size_t method_count;
    int count; /* 1 + the highest rank that has a row */
    int room;
    struct mm_rank_sum *sums; /* [count][method_count] sums of each method on each rank */
    struct mm_rank_end *ends; /* [count] sums of each rank over all methods */
};

/* Make room for `count` ranks, also for those without a row. Returns 0 or -ENOMEM. */
int mm_ranks_reserve(struct mm_ranks *ranks, int count);
/* Add a row that ended at `end_ns`, or an aggregate. Returns 0 or -ENOMEM. */
int mm_ranks_row(struct mm_ranks *ranks, const struct mm_row *row, int64_t exclusive_ns,
                 int64_t end_ns);
int mm_ranks_aggregate(struct mm_ranks *ranks, const struct mm_aggregate *aggregate,
                       int64_t exclusive_ns);
void mm_ranks_done(struct mm_ranks *ranks);
/* Exclusive time of all methods on a rank; 0 where it has no row. */
double mm_ranks_ns(const struct mm_ranks *ranks, int rank);

/* The spread of a number over ranks. */
struct mm_rank_spread {
    int ranks;       /* number of ranks */
    int with_calls;  /* number of ranks that called the method; the other ranks count with
                        0 */
    int least, most; /* ranks with the smallest and the largest number */
    double min, mean, max;
    double imbalance; /* max / mean - 1: share of time that ranks wait for the last; 0 if
                         mean is 0 */
};

/* The spread over ranks of sums[0], sums[stride], ...: `count` sums. */
struct mm_rank_spread mm_rank_spread(const struct mm_rank_sum *sums, int count,
                                     size_t stride);

#endif
