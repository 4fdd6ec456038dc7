/* SPDX-License-Identifier: BSD-3-Clause */
/* numbers.h: decimal numbers of a request, independent of the locale: no blanks, signs,
 * hexadecimal digits, infinities or nan.
 *
 * Each function reads a number at the start of `text` and returns a pointer behind it;
 * NULL: no number, or out of range. Values are untouched on failure. Any thread. */
#ifndef MESSAGES_WORDS_NUMBERS_H
#define MESSAGES_WORDS_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

/* Read digits; the value is at most `most`. */
const char *mm_number_whole(const char *text, uint64_t most, uint64_t *value);
/* Read "0.01", "1e-3"; a number that is neither 0 nor a normal double is out of range. */
const char *mm_number_real(const char *text, double *value);
/* Print the shortest text that reads back as `value`, finite and >= 0. Returns `text`. */
char *mm_number_text(double value, char *text, size_t size);

#endif
