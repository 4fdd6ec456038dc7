/* SPDX-License-Identifier: BSD-3-Clause */
/* same.h: numbers that differ by rounding alone. */
#ifndef COMMON_SAME_H
#define COMMON_SAME_H

/* Relative difference up to which numbers are equal. Each number has 1e-16, and sums of
 * thousands of them, some of which nearly cancel, have lost up to six more digits;
 * measured numbers and different counts are much further apart. */
#define CCA_SAME 1e-9

#endif
