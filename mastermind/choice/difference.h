/* SPDX-License-Identifier: BSD-3-Clause */
/* difference.h: by how much one run that never happened is dearer than another. */
#ifndef MASTERMIND_CHOICE_DIFFERENCE_H
#define MASTERMIND_CHOICE_DIFFERENCE_H

#include "mastermind/choice/choice.h"

/* Set apart_ns, its interval and is_tie of `other` against `choice`, and, if `decider`
 * is not NULL, what the difference is least sure of (its `item`: 0 for `choice`, 1 for
 * `other`).
 *
 * An error that both share counts by its difference: of one model over other numbers of
 * calls, of one law of calls times other costs, of one driver; it scales what differs,
 * and does not turn it round. Other errors add up as squares. How equal runs differ is in
 * the costs of a class by the runs that had it; a run as a whole is slower or faster in
 * both alike. 0 or -ENOMEM. */
int mm_difference_find(const struct mm_open_choice *all,
                       const struct mm_open_assembly *choice,
                       struct mm_open_assembly *other, struct mm_decider *decider);

#endif
