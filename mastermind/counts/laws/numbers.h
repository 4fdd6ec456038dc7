/* SPDX-License-Identifier: BSD-3-Clause */
/* numbers.h: the tuned numbers that decide which laws counts have, and those that several
 * files share.
 *
 * Comments give the median error of whole runs (2.04 % unchanged) with half and with
 * double the number; bench/models/constants.md has all. Numbers of one file that move
 * less are beside their use. */
#ifndef MASTERMIND_COUNTS_LAWS_NUMBERS_H
#define MASTERMIND_COUNTS_LAWS_NUMBERS_H

/* Rank of the dearest products that are listed as terms. 2.20 at half, at 0.59 of the CPU
 * time. */
#define MM_LAW_LAST_RANK 9
/* Powers, by price, of each of three factors. 2.20 at half. */
#define MM_LAW_TRIPLE_POWERS 3
/* Exponents beyond are none that counts have. 2.68 at half. */
#define MM_LAW_STEEP 5
/* Price of an exponent that is fitted. 2.06, 2.34. */
#define MM_LAW_PRICE_FREE 2
/* Price of a bit of a sum's description. 2.60 at .4, 2.05 at .85. */
#define MM_LAW_PRICE_BIT .7
/* Squared correlation of logarithms from which on parameters, or a driver and a
 * parameter, vary in step: which of them has a power is not to tell. Moves nothing. */
#define MM_LAW_IN_STEP .98

#endif
