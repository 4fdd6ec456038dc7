/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks.h: scaling functions in the number of ranks.
 *
 * Ranks double from run to run, so three runs have a wide range, and any power fits them.
 * A trend in the number of ranks needs four different numbers. With fewer, the nearest
 * measured number is used within the range, and nothing is known beyond it. Times of runs
 * with more ranks than cores apply to no other run: the caller leaves them out. */
#ifndef MASTERMIND_COUNTS_LAWS_RANKS_H
#define MASTERMIND_COUNTS_LAWS_RANKS_H

#include <stddef.h>

#define MM_LAW_RANKS 4

struct mm_law_ranks {
    double number[MM_LAW_RANKS]; /* distinct numbers of ranks of the runs, ascending */
    /* number of distinct numbers of ranks; MM_LAW_RANKS of them suffice for a scaling
     * function */
    size_t count;
};

/* Collect the numbers of ranks of the `selected` [runs] (NULL: all) with a finite y. */
void mm_law_ranks_init(struct mm_law_ranks *ranks, const double *number, const double *y,
                       const unsigned char *selected, size_t runs);
/* The measured number nearest to `asked` ranks, or the middle of two; NaN: out of range.
 */
double mm_law_ranks_nearest(const struct mm_law_ranks *ranks, double asked);
/* Print the numbers of ranks: "1, 2 and 4". Returns the length, like snprintf. */
int mm_law_ranks_print(const struct mm_law_ranks *ranks, char *text, size_t size);

#endif
