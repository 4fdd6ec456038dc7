/* SPDX-License-Identifier: BSD-3-Clause */
/* callees.h: what the calls of a set called, and what that means for a run whose class
 * calls something else. */
#ifndef MASTERMIND_FORECAST_COMPOSITE_CALLEES_H
#define MASTERMIND_FORECAST_COMPOSITE_CALLEES_H

#include "mastermind/forecast/composite/predict.h"

/* Add the calls that method `at` of a profile made to those of the set, which are
 * ascending by port type and method. 0 or -ENOMEM. */
int mm_callees_add(struct mm_model_set *set, const struct mm_profile *profile, size_t at);

/* For a class that no experiment ran in the slot: the change of the time below
 * part->vertex, with calls per invocation as in the class's own runs, at the mean cost of
 * a call in the base, or in those runs. Sets part->below_ns. Returns 1 where something
 * changes. */
int mm_callees_below(struct mm_part *part, const struct mm_profile *base);

#endif
