/* SPDX-License-Identifier: BSD-3-Clause */
/* names.h: names shared by parsing and printing of a request. */
#ifndef MESSAGES_WORDS_NAMES_H
#define MESSAGES_WORDS_NAMES_H

#include <stddef.h>

#include "messages/words/words.h"

/* Letters by enum mm_message_strategy. */
static const char mm_strategy_letters[] = " PCT";
/* Names of analyses and of ways to join records, each by its enum; NULL ends an array. */
extern const char *const mm_analysis_names[];
extern const char *const mm_via_names[];

/* Default probability for collectives, for a request that does not contain one. */
double mm_message_collectives_default(const struct mm_message_request *request);

/* Print into `size` bytes. Returns the length of the whole text, as snprintf does. */
int mm_message_request_print(const struct mm_message_request *request, char *text,
                             size_t size);

#endif
