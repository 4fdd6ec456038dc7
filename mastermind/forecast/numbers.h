/* SPDX-License-Identifier: BSD-3-Clause */
/* numbers.h: the tuned numbers that decide how wide intervals of forecasts are.
 *
 * Comments give the median half-width of 90 % intervals of whole runs (26.9 % unchanged)
 * with half and with double the number; bench/models/constants.md has all. Numbers of one
 * file that move less are beside their use. */
#ifndef MASTERMIND_FORECAST_NUMBERS_H
#define MASTERMIND_FORECAST_NUMBERS_H

/* Degrees of freedom of a model's interval, at least: the spread of few sizes is hardly
 * known, but it is no spread of models at large. 36.4, 23.7 %. */
#define MM_INTERVAL_FREEDOM 4.
/* Degrees of freedom of equal runs on as many ranks, from which on runs on others are
 * left out. Moves one answer. */
#define MM_EQUAL_RUNS_FREEDOM 2.
/* Sizes that a trial without the largest is fitted to, at least. 14.3 % at half. */
#define MM_LEAST_BELOW 3
/* Explanations whose worth is within this factor of the best are ranked by their
 * intervals. 27.1 % at half, with a median error of 1.95 % (2.04 % unchanged). */
#define MM_NEARLY 2.

#endif
