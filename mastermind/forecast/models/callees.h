/* SPDX-License-Identifier: BSD-3-Clause */
/* callees.h: the methods called by the calls of a model set. */
#ifndef MASTERMIND_FORECAST_MODELS_CALLEES_H
#define MASTERMIND_FORECAST_MODELS_CALLEES_H

#include "mastermind/forecast/models/library.h"

/* Add the calls made by method `at` of a profile to the set's callees, which are
 * ascending by port type and method. 0 or -ENOMEM. */
int mm_callees_add(struct mm_model_set *set, const struct mm_profile *profile, size_t at);

#endif
