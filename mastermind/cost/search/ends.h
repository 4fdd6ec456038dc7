/* SPDX-License-Identifier: BSD-3-Clause */
/* ends.h: a jump at the smallest or the largest size, whose calls agree on a cost that no
 * form of the other sizes explains. */
#ifndef MASTERMIND_COST_SEARCH_ENDS_H
#define MASTERMIND_COST_SEARCH_ENDS_H

#include "mastermind/cost/search/sheet.h"

struct mm_end {
    int found;
    size_t row;
    double next; /* size next to the smallest or largest one */
};

/* Decide whether row `row` of the sheet, an outlier with this residual, is such an end.
 * Returns 1 and sets `end`, or 0. */
int mm_end_see(struct mm_end *end, const struct mm_sheet *sheet, size_t row,
               double residual);
/* Add a jump to the end to the forms, which were fitted without it. Beyond the largest
 * size, the cost may instead grow much more steeply; so a hinge becomes an alternative
 * form. */
void mm_end_add(const struct mm_end *end, const struct mm_sheet *sheet,
                struct mm_forms *forms);

#endif
