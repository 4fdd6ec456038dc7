/* SPDX-License-Identifier: BSD-3-Clause */
/* law_text.h: scaling functions of counts as expressions of a model. */
#ifndef ACTIVITY_TRIP_LAW_TEXT_H
#define ACTIVITY_TRIP_LAW_TEXT_H

#include "activity/trip/text.h"
#include "mastermind/counts/laws/law.h"
#include "mastermind/counts/laws/variable.h"

/* The best form of a scaling function that the language can express, with the given axis
 * names, divided by `divisor` and, unless it is MM_LAW_NO_AXIS, by the axis `driver`.
 * NULL: the language can express none. */
const char *text_of_form(struct text *text, const struct mm_law *law,
                         const char *const *names, size_t driver, double divisor);

#endif
