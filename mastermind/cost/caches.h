/* SPDX-License-Identifier: BSD-3-Clause */
/* caches.h: the extra cost of calls larger than all measured ones, whose data no longer
 * fit the caches.
 *
 * A run does not record how many bytes a call uses for each unit of its parameters. All
 * values from 8 (one number) to 128 are assumed equally likely on a logarithmic scale. */
#ifndef MASTERMIND_COST_CACHES_H
#define MASTERMIND_COST_CACHES_H

#include "mastermind/cost/model.h"

/* The factor, at least 1, by which a call at `x` may cost more than the form predicts,
 * because its data no longer fit caches that the data of all measured sizes may fit.
 * `*level` gets the first such cache; 0: none. */
double mm_caches_factor(const struct mm_model *model, const double *x, int *level);
/* The likely extra cost in ns of a call at `x` over the form, as in a sweep through
 * arrays: its data come from memory, while at the measured sizes data came from caches.
 * For compute-bound calls this is a small part of the cost. */
double mm_caches_memory_ns(const struct mm_model *model, const double *x);

#endif
