/* SPDX-License-Identifier: BSD-3-Clause */
/* maxima.h: bias of maxima under noise.
 *
 * The largest of n equal values with noise of standard deviation s is on average d_n s
 * above their mean, with d_n from 0.56 for n = 2 to 2.51 for 100. A load imbalance, like
 * every property with a maximum over units or runs, is too large by that much. */
#ifndef PROPERTIES_CONFIDENCE_MAXIMA_H
#define PROPERTIES_CONFIDENCE_MAXIMA_H

/* Value without noise of a quantity that may contain maxima or minima. `seen` is its
 * value from all data; `noisier` is its mean over data whose noise has `times` > 1 the
 * variance (2: half of the batches; n: single runs of n runs). The bias of a maximum
 * under noise of variance v is proportional to sqrt(v), so the line through both values
 * over sqrt(v) is extrapolated to 0 (simulation and extrapolation: Cook, Stefanski, JASA
 * 89, 1994, whose lines are over v). If one unit is clearly the largest, noise adds no
 * bias, both values are equal, and so is the result. NaN if `seen` is NaN; `seen` if only
 * `noisier` is NaN. */
double mm_without_noise(double seen, double noisier, double times);

#endif
