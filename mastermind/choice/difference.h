/* SPDX-License-Identifier: BSD-3-Clause */
/* difference.h: the cost difference between two forecast runs. */
#ifndef MASTERMIND_CHOICE_DIFFERENCE_H
#define MASTERMIND_CHOICE_DIFFERENCE_H

#include "mastermind/choice/choice.h"

/* Set apart_ns, its interval, apart_sd and is_tie of `other` against `choice`, and, if
 * `decider` is not NULL, the least certain part of the difference (its `item`: 0 for
 * `choice`, 1 for `other`).
 *
 * A common error counts only by its difference between the two: the error of one model
 * with different numbers of calls, of one scaling function of calls with different costs,
 * of one exogenous count. It scales the difference and keeps its sign. Other errors add
 * up in quadrature. Run-to-run variation enters the costs of a class by the runs that had
 * the class; the speed of a run as a whole is common to both. Returns 0 or -ENOMEM. */
int mm_difference_find(const struct mm_open_choice *all,
                       const struct mm_open_assembly *choice,
                       struct mm_open_assembly *other, struct mm_decider *decider);

#endif
