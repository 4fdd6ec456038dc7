/* SPDX-License-Identifier: BSD-3-Clause */
/* quantiles.h: quantiles of one call, from all populations. */
#ifndef MASTERMIND_COST_CALLS_QUANTILES_H
#define MASTERMIND_COST_CALLS_QUANTILES_H

#include "mastermind/cost/calls/populations.h"

#define MM_LEVELS 31

/* The main population's distances from the typical cost, in sd. */
struct mm_quantiles {
    double z[MM_LEVELS]; /* ascending; the probabilities are in quantiles.c, from .0005 to
                            .9995; beyond the calls seen Student's t goes on */
    double freedom;      /* calls less coefficients */
};

/* From the distances that mm_populations_fit has left, of a fit with `coefficients`. */
struct mm_quantiles mm_quantiles_fit(const struct mm_distances *main,
                                     size_t coefficients);

/* Quantile `p`, 0 < p < 1, of the next call at parameters `x` (or NULL) with typical cost
 * `typ`, all populations; >= 0. What is uncertain about `typ` is not in it. NaN where
 * unknown (one call). */
double mm_quantiles_at(const struct mm_quantiles *quantiles,
                       const struct mm_populations *populations, double typ,
                       const double *x, double p);

#endif
