/* SPDX-License-Identifier: BSD-3-Clause */
/* places.h: the positions where breaks are tried, and the shapes that a slope after a
 * break may have. */
#ifndef MASTERMIND_COST_SEARCH_PLACES_H
#define MASTERMIND_COST_SEARCH_PLACES_H

#include "mastermind/cost/search/judge.h"

#define MM_PLACES_KINDS (MM_FORM_TERMS + 4)

/* Distinct values of each axis (parameter) of a sheet in ascending order. */
struct mm_places {
    double *sorted[MONITOR_MAX_IN]; /* [distinct] values of each axis */
    size_t distinct[MONITOR_MAX_IN];
    double *memory;
};

/* Collect the values of a sheet. Returns 0 or -ENOMEM. Free with mm_places_done. */
int mm_places_init(struct mm_places *places, const struct mm_sheet *sheet);
void mm_places_done(struct mm_places *places);
/* The position at `part`, 0 to 1, of the gap from `low` to `high`; on a logarithmic scale
 * if both are positive. */
double mm_place_between(double low, double high, double part);
/* List the shapes of slopes after a hinge on `axis` in the formula `lead`: the shapes of
 * its terms of this axis alone; lines, squares and roots at a price. Returns their
 * number; kind and price: [MM_PLACES_KINDS]. */
size_t mm_place_kinds(const struct mm_sheet *sheet, const struct mm_candidate *lead,
                      const struct mm_axis *axis, struct mm_factor *kind, double *price);

#endif
