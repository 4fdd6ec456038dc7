/* SPDX-License-Identifier: BSD-3-Clause */
/* multipliers.h: bounds on qualities as a part of the costs (Lagrange multipliers).
 *
 * A bound is a row: a weight of each choice; the sum of the weights is at most `most`.
 * Sums are such rows; products of positive values become rows by their logarithms; "the
 * largest is at least x" becomes a row by counting. Then for any multiplier m >= 0 no
 * assignment within the bound costs less than the least of (cost + m weight) - m most. */
#ifndef MASTERMIND_CHOICE_EXACT_MULTIPLIERS_H
#define MASTERMIND_CHOICE_EXACT_MULTIPLIERS_H

#include "mastermind/choice/exact/buckets.h"

/* Set `costs` [choice_count] to the costs of the network plus multiplied weights, such
 * that the bounds are as high as a few trials find, and `*offset` to a number to be added
 * to all bounds. `buckets` is filled with these costs. 0 or -ENOMEM. */
int mm_multipliers_find(struct mm_buckets *buckets, int64_t *costs, int64_t *offset);

#endif
