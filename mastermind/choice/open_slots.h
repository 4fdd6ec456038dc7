/* SPDX-License-Identifier: BSD-3-Clause */
/* open_slots.h: the open slots of a request, and the classes that the runs had in them.
 */
#ifndef MASTERMIND_CHOICE_OPEN_SLOTS_H
#define MASTERMIND_CHOICE_OPEN_SLOTS_H

#include "mastermind/choice/choice.h"

/* Add the open slots of a request to an empty choice. A class whose ports do not fit is
 * omitted with a note. 0 or -ENOMEM. */
int mm_open_slots_find(struct mm_open_choice *choice, const struct mm_open_asked *asked);

#endif
