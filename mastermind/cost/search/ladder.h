/* SPDX-License-Identifier: BSD-3-Clause */
/* ladder.h: usual exponents in ascending order (the ladder), and steps from a formula to
 * a similar one. */
#ifndef MASTERMIND_COST_SEARCH_LADDER_H
#define MASTERMIND_COST_SEARCH_LADDER_H

#include "mastermind/cost/search/judge.h"

/* The usual exponent (step of the ladder) that is nearest to `power`. */
double mm_ladder_nearest(double power);
/* Replace candidates of `list` by better formulas that differ in one exponent, one
 * logarithm or one factor, repeatedly. For several parameters. Returns 0 or -ENOMEM. */
int mm_ladder_climb(struct mm_bench *bench, double max_power, struct mm_shortlist *list);

#endif
