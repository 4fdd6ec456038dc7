/* SPDX-License-Identifier: BSD-3-Clause */
/* quantiles.h: quantiles of the cost of one call over all populations. */
#ifndef MASTERMIND_COST_CALLS_QUANTILES_H
#define MASTERMIND_COST_CALLS_QUANTILES_H

#include "mastermind/cost/calls/populations.h"

#define MM_LEVELS 31

/* Distribution of the main population about the typical cost, in units of its sd. */
struct mm_quantiles {
    double z[MM_LEVELS]; /* ascending quantiles at the probabilities in quantiles.c,
                            .0005 to .9995; beyond the measured calls from Student's t */
    double freedom;      /* degrees of freedom of Student's t: calls minus coefficients
                            of the form */
};

/* Fit the quantiles to the distances that mm_populations_fit returned, for a form with
 * `coefficients`.
 */
struct mm_quantiles mm_quantiles_fit(const struct mm_distances *main,
                                     size_t coefficients);

/* Quantile `p`, 0 < p < 1, of the next call at parameters `x` (or NULL) with typical cost
 * `typ`, over all populations; >= 0. It does not include the uncertainty of `typ`. NaN:
 * unknown (a single call). */
double mm_quantiles_at(const struct mm_quantiles *quantiles,
                       const struct mm_populations *populations, double typ,
                       const double *x, double p);

#endif
