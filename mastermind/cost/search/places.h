/* SPDX-License-Identifier: BSD-3-Clause */
/* places.h: where breaks are tried, and which slopes a cost may have after one. */
#ifndef MASTERMIND_COST_SEARCH_PLACES_H
#define MASTERMIND_COST_SEARCH_PLACES_H

#include "mastermind/cost/search/judge.h"

#define MM_PLACES_KINDS (MM_FORM_TERMS + 4)

/* Distinct values of the axes of a sheet in ascending order. */
struct mm_places {
    double *sorted[MONITOR_MAX_IN]; /* [distinct] of each axis */
    size_t distinct[MONITOR_MAX_IN];
    double *memory;
};

/* 0 or -ENOMEM; mm_places_done frees it. */
int mm_places_init(struct mm_places *places, const struct mm_sheet *sheet);
void mm_places_done(struct mm_places *places);
/* The part `part`, 0 to 1, of the gap from `low` to `high`, by logarithms where there
 * are. */
double mm_place_between(double low, double high, double part);
/* Kinds of slopes after a hinge of `axis` in the formula `lead`: those of its terms with
 * this axis alone, and lines, squares and roots at a price. Returns how many; kind and
 * price: [MM_PLACES_KINDS]. */
size_t mm_place_kinds(const struct mm_sheet *sheet, const struct mm_candidate *lead,
                      const struct mm_axis *axis, struct mm_factor *kind, double *price);

#endif
