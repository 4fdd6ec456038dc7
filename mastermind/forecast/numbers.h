/* SPDX-License-Identifier: BSD-3-Clause */
/* numbers.h: tuning constants for the width of forecast intervals.
 *
 * Comments give the median half-width of 90 % intervals of whole runs (26.9 % unchanged)
 * with half and with double the value; bench/models/constants.md has all results. Less
 * influential constants are in the files that use them. */
#ifndef MASTERMIND_FORECAST_NUMBERS_H
#define MASTERMIND_FORECAST_NUMBERS_H

/* Least degrees of freedom of a model's interval: the spread of few sizes is uncertain,
 * but not unrelated to other models. 36.4, 23.7 %. */
#define MM_INTERVAL_FREEDOM 4.
/* Degrees of freedom from equal runs on as many ranks, from which on runs on other
 * numbers of ranks are ignored. Changes one answer. */
#define MM_EQUAL_RUNS_FREEDOM 2.
/* Least number of sizes for a trial without the largest. 14.3 % at half. */
#define MM_LEAST_BELOW 3
/* Explanations whose worth is within this factor of the best are ranked by their
 * intervals. 27.1 % at half, with a median error of 1.95 % (2.04 % unchanged). */
#define MM_NEARLY 2.

#endif
