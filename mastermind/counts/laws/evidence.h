/* SPDX-License-Identifier: BSD-3-Clause */
/* evidence.h: description lengths, in bits: of numbers, and of counts without a scaling
 * function. */
#ifndef MASTERMIND_COUNTS_LAWS_EVIDENCE_H
#define MASTERMIND_COUNTS_LAWS_EVIDENCE_H

#include "mastermind/counts/laws/data.h"

#define MM_LAW_REAL_BITS 33 /* bits of a number known to 1e-10 */

/* Find a fraction near `value` and the bits that describe it; returns 0 if no fraction
 * has a small denominator. */
int mm_law_fraction(double value, double *near, double *bits);
/* Bits that describe the counts of all runs, or the counts per unit of an exogenous count
 * if that is shorter. */
double mm_law_data_bits(const struct mm_law_data *data);

#endif
