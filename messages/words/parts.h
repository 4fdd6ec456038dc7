/* SPDX-License-Identifier: BSD-3-Clause */
/* parts.h: functions that the files of this folder share. */
#ifndef MESSAGES_WORDS_PARTS_H
#define MESSAGES_WORDS_PARTS_H

#include <stddef.h>
#include <stdint.h>

#include "messages/words/words.h"

/* --- names --------------------------------------------------------------- */

/* Names shared by parsing and printing of a request. */

/* The letter of each enum mm_message_strategy. */
static const char mm_strategy_letters[] = " PCT";
/* Names of analyses and of ways to join records, each by its enum; NULL ends an array. */
extern const char *const mm_analysis_names[];
extern const char *const mm_via_names[];

/* Default probability for collectives, for a request that does not contain one. */
double mm_message_collectives_default(const struct mm_message_request *request);

/* Print a request into `size` bytes. Returns the length of the whole text, as snprintf
 * does. */
int mm_message_request_print(const struct mm_message_request *request, char *text,
                             size_t size);

/* --- numbers.c ----------------------------------------------------------- */

/* Decimal numbers of a request, independent of the locale: no blanks, signs,
 * hexadecimal digits, infinities or nan.
 *
 * Each function reads a number at the start of `text` and returns a pointer behind it;
 * NULL: no number, or out of range. Values are untouched on failure. Any thread. */

/* Read digits; the value is at most `most`. */
const char *mm_number_whole(const char *text, uint64_t most, uint64_t *value);
/* Read "0.01", "1e-3"; a number that is neither 0 nor a normal double is out of range. */
const char *mm_number_real(const char *text, double *value);
/* Print the shortest text that reads back as `value`, finite and >= 0. Returns `text`. */
char *mm_number_text(double value, char *text, size_t size);

#endif
