/* SPDX-License-Identifier: BSD-3-Clause */
/* powers.h: terms with fitted exponents. */
#ifndef MASTERMIND_COST_SEARCH_POWERS_H
#define MASTERMIND_COST_SEARCH_POWERS_H

#include "mastermind/cost/search/judge.h"

/* Add to `list` those products of powers, with and without a constant, that may be good
 * enough. Their exponents are fitted and lie between -2 and `max_power`. */
void mm_powers_search(struct mm_bench *bench, double max_power,
                      struct mm_shortlist *list);

#endif
