/* SPDX-License-Identifier: BSD-3-Clause */
/* slots.h: decide by ports whether an instance fits in the place of another. */
#ifndef MASTERMIND_CHOICE_SLOTS_H
#define MASTERMIND_CHOICE_SLOTS_H

#include "mastermind/reader/wiring.h"

/* True if `other` provides every used port of the slot, by name and type; if none is
 * used, every port. */
int mm_slot_provides(const struct mm_wiring *base, const struct mm_instance *slot,
                     const struct mm_instance *other);
/* The type of a uses port that `other` had connected in its own run, but for which the
 * slot of `base` has no connection. NULL: there is none. */
const char *mm_slot_missing_use(const struct mm_wiring *base,
                                const struct mm_instance *slot,
                                const struct mm_wiring *wiring,
                                const struct mm_instance *other);

#endif
