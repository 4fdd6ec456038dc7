/* SPDX-License-Identifier: BSD-3-Clause */
/* ends.h: the smallest or the largest size, whose calls agree on a cost that no form of
 * the others has: a break that only one size shows. */
#ifndef MASTERMIND_COST_SEARCH_ENDS_H
#define MASTERMIND_COST_SEARCH_ENDS_H

#include "mastermind/cost/search/sheet.h"

struct mm_end {
    int found;
    size_t row;
    double next; /* the size beside it */
};

/* See whether row `row` of the sheet, which was set apart with this residual, is such an
 * end. */
int mm_end_see(struct mm_end *end, const struct mm_sheet *sheet, size_t row,
               double residual);
/* Give the forms, which were fitted without it, a jump at the end. Whether the cost goes
 * on from there as before or far more steeply is unknown: a hinge is a rival of the best.
 */
void mm_end_add(const struct mm_end *end, const struct mm_sheet *sheet,
                struct mm_forms *forms);

#endif
