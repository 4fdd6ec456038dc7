/* SPDX-License-Identifier: BSD-3-Clause */
/* powers.h: exponents that are fitted. */
#ifndef MASTERMIND_COST_SEARCH_POWERS_H
#define MASTERMIND_COST_SEARCH_POWERS_H

#include "mastermind/cost/search/judge.h"

/* Add to `list` products of powers, with and without a constant, whose exponents are
 * fitted and lie between -2 and `max_power`, where that may be good enough. */
void mm_powers_search(struct mm_bench *bench, double max_power,
                      struct mm_shortlist *list);

#endif
