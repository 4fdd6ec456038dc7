/* SPDX-License-Identifier: BSD-3-Clause */
/* outlier.h: find a size with an exceptional cost, from a remainder loop or bad
 * alignment. */
#ifndef MASTERMIND_COST_SEARCH_OUTLIER_H
#define MASTERMIND_COST_SEARCH_OUTLIER_H

#include "mastermind/cost/search/judge.h"

/* Find a row without which a candidate of `list` explains the other rows so much better
 * that an outlier is more likely than all candidates being wrong. Tried only where sizes
 * scatter far beyond the noise of their calls, or where a falling term beside a growing
 * one hides such scatter. Returns 1, the row and its residual in units of the sheet; or
 * 0. */
int mm_outlier_find(struct mm_bench *bench, const struct mm_shortlist *list, size_t *row,
                    double *residual);

#endif
