/* SPDX-License-Identifier: BSD-3-Clause */
/* screen.h: the best-fitting sums of up to three columns, found with the inner products
 * of all columns, which are computed once. */
#ifndef MASTERMIND_COST_SEARCH_SCREEN_H
#define MASTERMIND_COST_SEARCH_SCREEN_H

#include "mastermind/cost/search/pool.h"
#include "mastermind/cost/search/judge.h"

/* Add the best sums to `list`, and the best single columns to `singles`. Few columns are
 * tried in all pairs. Many are searched by a beam: the best sums of one and two columns,
 * and the best of each set of parameters, are extended. Returns 0 or -ENOMEM. */
int mm_screen(const struct mm_pool *columns, struct mm_shortlist *list,
              struct mm_shortlist *singles);

#endif
