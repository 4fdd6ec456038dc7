/* SPDX-License-Identifier: BSD-3-Clause */
/* outlier.h: a size whose cost is its own: a remainder loop, a bad alignment. */
#ifndef MASTERMIND_COST_SEARCH_OUTLIER_H
#define MASTERMIND_COST_SEARCH_OUTLIER_H

#include "mastermind/cost/search/judge.h"

/* Find the row without which a candidate of `list` explains the others so much better
 * that this is more likely than that all candidates are wrong. Only where sizes scatter
 * far beyond the noise of their calls, or a term that falls beside one that grows is all
 * that keeps them from it. Returns 1 and its number and residual, in units of
 * the sheet; 0: there is none. */
int mm_outlier_find(struct mm_bench *bench, const struct mm_shortlist *list, size_t *row,
                    double *residual);

#endif
