/* SPDX-License-Identifier: BSD-3-Clause */
/* names.h: what parsing and printing of a request share. */
#ifndef MESSAGES_WORDS_NAMES_H
#define MESSAGES_WORDS_NAMES_H

#include <stddef.h>

#include "messages/words/words.h"

/* By enum mm_message_strategy. */
static const char mm_strategy_letters[] = " PCT";
/* By their enums; end with NULL. */
extern const char *const mm_analysis_names[];
extern const char *const mm_via_names[];

/* The probability for collectives of a request that does not name one. */
double mm_message_collectives_default(const struct mm_message_request *request);

/* Print into `size` bytes. Returns the length that the text has without a limit. */
int mm_message_request_print(const struct mm_message_request *request, char *text,
                             size_t size);

#endif
