/* SPDX-License-Identifier: BSD-3-Clause */
/* powers.h: exponents that are fitted, and steps from one formula to a similar one. */
#ifndef MASTERMIND_ANALYSIS_MODELS_SEARCH_POWERS_H
#define MASTERMIND_ANALYSIS_MODELS_SEARCH_POWERS_H

#include "mastermind/analysis/models/search/judge.h"

/* Add to `list` products of powers, with and without a constant, whose exponents are
 * fitted and lie between -2 and `max_power`, where that may be good enough. */
void mm_powers_search(struct mm_bench *bench, double max_power,
                      struct mm_shortlist *list);
/* Replace candidates of `list` by better ones that differ in one exponent, one logarithm
 * or one factor, until there are none. For several parameters. */
void mm_powers_refine(struct mm_bench *bench, double max_power,
                      struct mm_shortlist *list);

#endif
