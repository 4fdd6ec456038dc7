/* SPDX-License-Identifier: BSD-3-Clause */
/* price.h: how surprising a formula would be before any cost is seen: twice the logarithm
 * of its odds, so that it adds to the criterion like a coefficient does. */
#ifndef MASTERMIND_COST_SEARCH_PRICE_H
#define MASTERMIND_COST_SEARCH_PRICE_H

#include "mastermind/cost/search/sheet.h"

/* Price of x^power log2(x)^logs of an axis of degree 1. */
double mm_price_factor(double power, int logs);
/* Price of a negative constant that is up to `share` times the cost: no call has negative
 * overhead, so it makes up for a term that is not quite the right one. */
double mm_price_negative(double share);
/* Price of a sum of so many terms, beside the terms' own. */
double mm_price_terms(size_t terms);
/* Price of the shapes of a term's factors alone: a sum pays it for each term once more,
 * because shapes that are unusual alone hardly meet. */
double mm_price_shape(const struct mm_basis *basis);
/* Price of a sum of terms and a constant; INFINITY: not allowed. */
double mm_price_sum(const struct mm_sheet *sheet, const struct mm_basis *basis,
                    size_t count, double max_power);
/* Price of a term that is at most this share of the cost at any size. */
double mm_price_share(double share);
/* Power of all parameters of a term together; 0 of a constant and a jump. */
double mm_price_growth(const struct mm_sheet *sheet, const struct mm_basis *basis);
/* A falling term beside one that grows is seen where it is MM_PRICE_SEEN of the cost or
 * more. Its price, if that is at so many of the rows: at one or two it makes up for calls
 * that were cold, as the first ones often are. */
#define MM_PRICE_SEEN .1
double mm_price_falling(size_t seen);
/* Price of a term or a break in the sheet. INFINITY: no form may have it: it grows
 * faster than the power `max_power` of a parameter, or no such sheet can tell of it. */
double mm_price_basis(const struct mm_sheet *sheet, const struct mm_basis *basis,
                      double max_power);

#endif
