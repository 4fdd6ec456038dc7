/* SPDX-License-Identifier: BSD-3-Clause */
/* caches.h: what a cache may cost that the data of larger calls no longer fit.
 *
 * No run tells how many bytes a call uses for each unit of its parameters: between 8, one
 * number, and 128 are taken to be equally likely, by logarithm. */
#ifndef MASTERMIND_COST_CACHES_H
#define MASTERMIND_COST_CACHES_H

#include "mastermind/cost/model.h"

/* The factor, at least 1, by which a call at `x` may be dearer than the form says, since
 * its data leave caches that those of all sizes seen may fit. `*level` is the first such
 * cache, 0: none. */
double mm_caches_factor(const struct mm_model *model, const double *x, int *level);
/* What a call at `x` likely costs more than the form says, ns, since its data come from
 * memory where those of all sizes seen came from caches, as in a sweep through arrays. Of
 * calls that compute it is a small part. */
double mm_caches_memory_ns(const struct mm_model *model, const double *x);

#endif
