/* SPDX-License-Identifier: BSD-3-Clause */
/* rivals.h: of the best candidates those that grow differently, with their weights. */
#ifndef MASTERMIND_COST_SEARCH_RIVALS_H
#define MASTERMIND_COST_SEARCH_RIVALS_H

#include "mastermind/cost/search/judge.h"

/* Fit the candidates of `list` with the weights of `sheet` and set `forms`: the best, and
 * the best of those that predict something else beyond the sizes. A candidate that grows
 * like a form before it gives its weight to that one. A sheet without rows, or an empty
 * list, gives a constant. 0 or -ENOMEM. */
int mm_rivals_set(struct mm_sheet *sheet, struct mm_shortlist *list,
                  struct mm_forms *forms);

#endif
