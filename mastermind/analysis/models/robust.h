/* SPDX-License-Identifier: BSD-3-Clause */
/* robust.h: location and spread of samples that are disturbed in one direction. */
#ifndef MASTERMIND_ANALYSIS_MODELS_ROBUST_H
#define MASTERMIND_ANALYSIS_MODELS_ROBUST_H

#include <stddef.h>

/* A host disturbs a call only by making it slower, so only the upper tail is cut. */
struct mm_robust {
    double mean, sd; /* of the values kept; sd 0 below two of them */
    size_t kept;     /* of the values given */
    double excess;   /* mean excess over `mean` of the values cut, 0: none */
    double mean_all; /* of all but pauses: values above ten times `mean` */
};

/* Sorts `values`. Median and scale are taken from the lower half, values above median + 4
 * scales are cut, until nothing changes. Where more than a quarter would go, it is not
 * disturbance but what the method does, and only pauses go: values above ten times the
 * median. Below four values all is kept. */
struct mm_robust mm_robust_of(double *values, size_t count);

/* Median of `values`, which get sorted; `count` > 0. */
double mm_median(double *values, size_t count);
/* The same of values that are sorted already. */
double mm_median_sorted(const double *sorted, size_t count);

#endif
