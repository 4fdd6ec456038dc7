/* SPDX-License-Identifier: BSD-3-Clause */
/* spread.h: the standard deviation of one invocation as a power of its mean. */
#ifndef MASTERMIND_ANALYSIS_MODELS_CALLS_SPREAD_H
#define MASTERMIND_ANALYSIS_MODELS_CALLS_SPREAD_H

#include <stddef.h>

/* sd_ns = factor * (mean_ns)^power */
struct mm_spread {
    int known;
    double factor, power;
};

/* Fit sd = factor * mean^power over the points whose sd comes from n[i] >= 2 values;
 * power is 1, 0, 1/2 or another one from 0 to 2, whichever the data support. 0 where all
 * values of each point are equal; unknown where no point has two values, or sd is NaN. */
struct mm_spread mm_spread_fit(const double *mean, const double *sd, const double *n,
                               size_t count);

#endif
