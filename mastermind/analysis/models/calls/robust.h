/* SPDX-License-Identifier: BSD-3-Clause */
/* robust.h: location and spread of samples that are disturbed in one direction. */
#ifndef MASTERMIND_ANALYSIS_MODELS_CALLS_ROBUST_H
#define MASTERMIND_ANALYSIS_MODELS_CALLS_ROBUST_H

#include <stddef.h>

/* The host only makes calls slower, so only the upper tail is cut. */
struct mm_robust {
    double mean, sd; /* of the values kept; sd is 0 below two values */
    size_t kept;     /* number of values kept */
    double excess;   /* mean excess of the values cut over `mean`, 0: none */
    double mean_all; /* mean of all values but pauses, which are above ten times `mean` */
};

/* Sorts `values`. Cuts values above median + 4 scales until nothing changes; median and
 * scale come from the lower half. Where more than a quarter would go, the tail belongs to
 * the method: then only pauses go, values above ten times the median. Below four values
 * nothing is cut. */
struct mm_robust mm_robust_of(double *values, size_t count);

/* Median of `values`, which get sorted; `count` > 0. */
double mm_median(double *values, size_t count);
/* Median of values that are sorted already. */
double mm_median_sorted(const double *sorted, size_t count);

#endif
