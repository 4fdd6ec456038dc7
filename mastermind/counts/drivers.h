/* SPDX-License-Identifier: BSD-3-Clause */
/* drivers.h: exogenous counts: numbers of calls that the solution determines.
 */
#ifndef MASTERMIND_COUNTS_DRIVERS_H
#define MASTERMIND_COUNTS_DRIVERS_H

#include "mastermind/counts/structure.h"

/* Find the exogenous counts of a structure with known cells: numbers of calls that vary,
 * from callers with equally many calls in all runs, with most of the time below them. 0
 * or -ENOMEM. */
int mm_drivers_find(struct mm_structure *structure,
                    const struct mm_profile *const *profiles);

#endif
