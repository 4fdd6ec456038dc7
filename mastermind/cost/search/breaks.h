/* SPDX-License-Identifier: BSD-3-Clause */
/* breaks.h: hinges and jumps: places where a cost begins to grow faster, or steps up. */
#ifndef MASTERMIND_COST_SEARCH_BREAKS_H
#define MASTERMIND_COST_SEARCH_BREAKS_H

#include "mastermind/cost/search/judge.h"

/* Add to `list` what candidates of `leads` become with one more break, at places finer
 * than the sizes, if that may be good enough. The best of each lead go to `next`, too,
 * good enough or not: a further break may make them so; NULL: not wanted. 0 or -ENOMEM.
 */
int mm_breaks_search(struct mm_bench *bench, const struct mm_shortlist *leads,
                     double max_power, struct mm_shortlist *list,
                     struct mm_shortlist *next);

#endif
