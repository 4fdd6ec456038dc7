/* SPDX-License-Identifier: BSD-3-Clause */
/* price.h: the price of a formula: how surprising it is before any cost is known. It is
 * twice a logarithm of odds, so it adds to the score like the penalty of a coefficient.
 */
#ifndef MASTERMIND_COST_SEARCH_PRICE_H
#define MASTERMIND_COST_SEARCH_PRICE_H

#include "mastermind/cost/search/sheet.h"

/* Price of a negative constant that is up to `share` times the cost. No call has negative
 * overhead, so such a constant compensates for a wrong term. */
double mm_price_negative(double share);
/* Price of the number of terms of a sum, beside the prices of the terms. */
double mm_price_terms(size_t terms);
/* Price of the shapes of a term's factors only. A sum pays it once more for each term,
 * because two unusual shapes hardly occur together. */
double mm_price_shape(const struct mm_basis *basis);
/* Price of a sum of terms and a constant; INFINITY: such a sum is not allowed. */
double mm_price_sum(const struct mm_sheet *sheet, const struct mm_basis *basis,
                    size_t count, double max_power);
/* Price of a term whose largest share of the cost over all sizes is `share`. */
double mm_price_share(double share);
/* Sum of the powers of all parameters of a term; 0 for a constant and a jump. */
double mm_price_growth(const struct mm_sheet *sheet, const struct mm_basis *basis);
/* A falling term beside a growing one is visible where it is at least MM_PRICE_SEEN of
 * the cost. Its price depends on the number of rows where it is visible: if only at one
 * or two, it likely compensates for first calls with cold caches. */
#define MM_PRICE_SEEN .1
double mm_price_falling(size_t seen);
/* Price of a term or a break in the sheet. INFINITY: no form may have it, because it
 * grows faster than the power `max_power` of a parameter, or the data cannot support it.
 */
double mm_price_basis(const struct mm_sheet *sheet, const struct mm_basis *basis,
                      double max_power);

#endif
