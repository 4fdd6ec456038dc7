/* SPDX-License-Identifier: BSD-3-Clause */
/* same.h: compare numbers up to rounding. */
#ifndef COMMON_SAME_H
#define COMMON_SAME_H

/* Relative difference up to which numbers count as equal. A single double is precise to
 * 1e-16; a sum of thousands of numbers that partly cancel may lose up to six more digits.
 * Measured numbers and different counts differ by much more. */
#define CCA_SAME 1e-9

#endif
