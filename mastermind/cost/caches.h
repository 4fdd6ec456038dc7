/* SPDX-License-Identifier: BSD-3-Clause */
/* caches.h: the extra cost of calls larger than all measured ones, whose data no longer
 * fit the caches.
 *
 * A call's bytes for each unit of its parameters are known where an out-value has the
 * peak of memory of each call (MM_PEAK_BYTES), as in runs of whole programs. Otherwise
 * all values from 8 (one number) to 128 are assumed equally likely on a logarithmic
 * scale. */
#ifndef MASTERMIND_COST_CACHES_H
#define MASTERMIND_COST_CACHES_H

#include "mastermind/cost/model.h"

/* Largest slowdown of runs of whole programs, of which a part alone sweeps through its
 * data, when data leave a cache: bench/grow/programs.py found up to 1.28. */
#define MM_CACHES_WHOLE 1.6

/* Units of data at `x`: the product of the parameters with which the cost grows. */
double mm_caches_units(const struct mm_model *model, const double *x);
/* Keep the measured growth of the peak of memory, by `bytes` over `units`. */
void mm_caches_set_growth(struct mm_model *model, double units, double bytes);
/* The factor, at least 1, by which a call at `x` may cost more than the form predicts,
 * because its data no longer fit caches that the data of all measured sizes may fit.
 * `*level` gets the first such cache; 0: none. */
double mm_caches_factor(const struct mm_model *model, const double *x, int *level);
/* The likely extra cost in ns of a call at `x` over the form, as in a sweep through
 * arrays: its data come from memory, while at the measured sizes data came from caches.
 * For compute-bound calls this is a small part of the cost. */
double mm_caches_memory_ns(const struct mm_model *model, const double *x);

#endif
