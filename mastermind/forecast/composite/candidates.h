/* SPDX-License-Identifier: BSD-3-Clause */
/* candidates.h: the classes that can stand in the slots of a run. */
#ifndef MASTERMIND_FORECAST_COMPOSITE_CANDIDATES_H
#define MASTERMIND_FORECAST_COMPOSITE_CANDIDATES_H

#include "mastermind/forecast/composite/choose.h"

/* Add the slots of profiles[0], or the instance `slot` only if it is not NULL, with their
 * candidates and notes to an empty choice. Slots come in the order of the instances.
 * 0; -ENOENT with `err`: `slot` is no instance; -ENOMEM. */
int mm_candidates_gather(struct mm_choice *choice, struct mm_profile *const *profiles,
                         size_t profile_count, const struct mm_library *library,
                         const char *slot, struct cca_error *err);

#endif
