/* SPDX-License-Identifier: BSD-3-Clause */
/* evidence.h: lengths of descriptions, in bits: of numbers, and of counts without a law.
 */
#ifndef MASTERMIND_COUNTS_LAWS_EVIDENCE_H
#define MASTERMIND_COUNTS_LAWS_EVIDENCE_H

#include "mastermind/counts/laws/data.h"

#define MM_LAW_REAL_BITS 33 /* of a number known to 1e-10 */

/* A fraction near `value` and its bits; returns 0 where none has a small denominator. */
int mm_law_fraction(double value, double *near, double *bits);
/* Bits of the counts of all runs, or of those counts for each of what a driver counts,
 * if these are fewer. */
double mm_law_data_bits(const struct mm_law_data *data);

#endif
