/* SPDX-License-Identifier: BSD-3-Clause */
/* slots.h: instances that fit in the place of another, by their ports. */
#ifndef MASTERMIND_CHOICE_SLOTS_H
#define MASTERMIND_CHOICE_SLOTS_H

#include "mastermind/reader/wiring.h"

/* True if `other` provides every port of the slot that is used, by name and type; if none
 * is used, every port. */
int mm_slot_provides(const struct mm_wiring *base, const struct mm_instance *slot,
                     const struct mm_instance *other);
/* The type of a uses port that the other class had connected in its run, and that cannot
 * be connected here as the slot's is. NULL: none is missing. */
const char *mm_slot_missing_use(const struct mm_wiring *base,
                                const struct mm_instance *slot,
                                const struct mm_wiring *wiring,
                                const struct mm_instance *other);

#endif
