/* SPDX-License-Identifier: BSD-3-Clause */
/* failures.h: the probability that a run of a size fails, from runs of several sizes.
 *
 *   runs and failures at sizes ─▶ do failures depend on the size? (permutation test)
 *       no  ─▶ one share, with the interval of Clopper and Pearson
 *       yes ─▶ isotone regression; runs at smaller and at larger sizes bound the share */
#ifndef MASTERMIND_CHOICE_FAILURES_H
#define MASTERMIND_CHOICE_FAILURES_H

#include <stddef.h>

/* All runs of one size. */
struct mm_trials {
    double size;
    size_t runs, failures;
};

struct mm_failure {
    double share, low, high; /* probability at the requested size, and its interval;
                              * share NaN: no run */
    int direction; /* 1: failures become more likely with the size; -1: less likely; 0:
                    * no dependence is shown, and all runs count alike */
    double p;      /* probability of a dependence as clear as this one by chance */
    double factor; /* requested size divided by the largest measured size, > 1; else 1 */
    double edge;   /* with a dependence: the smallest failing size (direction 1) or the
                    * largest failing size; else NaN */
};

/* Order trials by size and join trials of equal size. Returns their number. */
size_t mm_trials_order(struct mm_trials *trials, size_t count);
/* Estimate the probability of a failure at `size`.
 *
 *   trials  in  [count] ascending by size
 *   level   in  probability of the interval
 *
 * A dependence counts if it is as clear by chance with probability MM_FAILURE_CHANCE. Of
 * two neighbouring sizes the share at a size between them is the larger one. Returns 0 or
 * -ENOMEM. */
int mm_failure_at(const struct mm_trials *trials, size_t count, double size, double level,
                  struct mm_failure *failure);

#define MM_FAILURE_CHANCE .05

#endif
