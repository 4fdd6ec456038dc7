/* SPDX-License-Identifier: BSD-3-Clause */
/* maxima.h: what noise alone adds to a maximum.
 *
 * The largest of n equal values with noise of sd s is on average d_n s above their mean,
 * d_n from 0.56 for 2 to 2.51 for 100. A load imbalance, as every property with a maximum
 * over units or runs, is by so much too large. */
#ifndef PROPERTIES_CONFIDENCE_MAXIMA_H
#define PROPERTIES_CONFIDENCE_MAXIMA_H

/* Value without noise of something that may have maxima or minima in it: `seen` is its
 * value from all data, `noisier` its mean over data with `times` > 1 the variance of the
 * noise (2: half of the batches; n: single ones of n runs). What noise of variance v adds
 * to a maximum goes with sqrt(v), so the line through both values over sqrt(v) is taken
 * at 0 (simulation and extrapolation: Cook, Stefanski, JASA 89, 1994, whose lines are
 * over v). Where one unit is clearly the largest, noise adds nothing, both values are the
 * same, and so is the result. NaN where `seen` is; `seen` where only `noisier` is NaN. */
double mm_without_noise(double seen, double noisier, double times);

#endif
