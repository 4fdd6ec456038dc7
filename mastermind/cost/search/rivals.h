/* SPDX-License-Identifier: BSD-3-Clause */
/* rivals.h: alternatives (rivals) of the best candidate that grow differently, with
 * weights. */
#ifndef MASTERMIND_COST_SEARCH_RIVALS_H
#define MASTERMIND_COST_SEARCH_RIVALS_H

#include "mastermind/cost/search/judge.h"

/* Fit the candidates of `list` with the weights of `sheet` and set `forms`: the best one,
 * and the best of the candidates that predict other costs beyond the sizes. A candidate
 * that grows like an earlier form adds its weight to that form. For a sheet without rows,
 * or an empty list, the form is a constant. Returns 0 or -ENOMEM. */
int mm_rivals_set(struct mm_sheet *sheet, struct mm_shortlist *list,
                  struct mm_forms *forms);

#endif
