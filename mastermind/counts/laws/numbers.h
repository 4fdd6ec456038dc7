/* SPDX-License-Identifier: BSD-3-Clause */
/* numbers.h: tuning constants of the search for scaling functions, and constants of
 * several files.
 *
 * Comments give the median error of whole runs (2.04 % unchanged) with half and with
 * double the number; bench/models/constants.md has all. Numbers of one file with a
 * smaller effect are beside their use. */
#ifndef MASTERMIND_COUNTS_LAWS_NUMBERS_H
#define MASTERMIND_COUNTS_LAWS_NUMBERS_H

/* Highest rank of products listed as terms. 2.20 at half, in 0.59 of the CPU time. */
#define MM_LAW_LAST_RANK 9
/* Number of powers, cheapest first, of each of three factors. 2.20 at half. */
#define MM_LAW_TRIPLE_POWERS 3
/* Largest plausible exponent of a count. 2.68 at half. */
#define MM_LAW_STEEP 5
/* Price of a fitted exponent. 2.06, 2.34. */
#define MM_LAW_PRICE_FREE 2
/* Price per bit of a sum's description. 2.60 at .4, 2.05 at .85. */
#define MM_LAW_PRICE_BIT .7
/* Least squared correlation of logarithms at which two parameters, or an exogenous count
 * and a parameter, vary in step: the runs cannot show which of them has a power. No
 * effect. */
#define MM_LAW_IN_STEP .98

#endif
