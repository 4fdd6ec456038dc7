/* SPDX-License-Identifier: BSD-3-Clause */
/* maxima.h: what noise alone adds to a maximum.
 *
 * The largest of n equal values with noise of sd s is on average d_n s above their mean.
 * A load imbalance, as any property with max(), is so much too large, and on average over
 * many iterations does not become 0. */
#ifndef PROPERTIES_CONFIDENCE_MAXIMA_H
#define PROPERTIES_CONFIDENCE_MAXIMA_H

#include <stddef.h>

/* d_n: mean of the largest of n values of the standard normal distribution; 0.5642 for 2,
 * 2.5076 for 100. n >= 1. */
double mm_largest_of(size_t n);

/* Value without noise of something that may have maxima in it: `seen` is its value from
 * all data, `noisier` its mean over data with `times` the variance of the noise (2: half
 * of the batches; n: one of n runs). What noise of variance v adds to a maximum goes with
 * sqrt(v), so the line through both values over sqrt(v) is taken at 0 (simulation and
 * extrapolation: Cook, Stefanski, JASA 89, 1994). Where one unit is clearly the largest
 * noise adds nothing and nothing is taken off. */
double mm_without_noise(double seen, double noisier, double times);

/* P that units differ by as much as here if they were equal: one-way analysis of variance
 * over blocks of iterations, which are aligned across units (units x blocks, blocks taken
 * out). 1 where fewer than 2 units or blocks.
 *
 *   times   in   [units][blocks]
 */
double mm_equal_units(const double *times, size_t units, size_t blocks);

#endif
