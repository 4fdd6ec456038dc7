/* SPDX-License-Identifier: BSD-3-Clause */
/* law_text.h: laws of counts as expressions of a model. */
#ifndef ACTIVITY_TRIP_LAW_TEXT_H
#define ACTIVITY_TRIP_LAW_TEXT_H

#include "activity/trip/text.h"
#include "mastermind/counts/laws/law.h"
#include "mastermind/counts/laws/variable.h"

/* The best form of a law that the language has, over the names of its axes, by `divisor`;
 * by axis `driver`, too, unless that is MM_LAW_NO_AXIS. NULL: it has none. */
const char *text_of_form(struct text *text, const struct mm_law *law,
                         const char *const *names, size_t driver, double divisor);

#endif
