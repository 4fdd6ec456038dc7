/* SPDX-License-Identifier: BSD-3-Clause */
/* json_check.h: the first member of an experiment's JSON files, a checksum of the rest of
 * the text:
 *
 *     {"check": "0123456789abcdef", "format": 1, ...} */
#ifndef MASTERMIND_FORMAT_JSON_CHECK_H
#define MASTERMIND_FORMAT_JSON_CHECK_H

#include <inttypes.h>
#include <stdio.h>

#include "mastermind/format/layout.h"

#define MM_JSON_CHECK_KEY "{\"check\": \""
enum {
    MM_JSON_CHECK_DIGITS = 16,
    MM_JSON_CHECK_BYTES = sizeof MM_JSON_CHECK_KEY - 1 + 16
};

/* Compute the checksum of the `size` bytes at `text`, which follow the checksum's digits
 * in the file. */
static inline void mm_json_check(const char *text, size_t size,
                                 char digits[MM_JSON_CHECK_DIGITS + 1])
{
    size_t whole = size & ~(size_t)7;
    uint64_t last = 0, check;

    if (size > whole)
        memcpy(&last, text + whole, size - whole);
    check = mm_block_check(text, whole, MM_CHECK_START + size);
    check = mm_block_check(&last, sizeof last, check);
    snprintf(digits, MM_JSON_CHECK_DIGITS + 1, "%016" PRIx64, check);
}

/* True if a text has no checksum, or the right one. */
static inline int mm_json_check_holds(const char *text, size_t size)
{
    size_t key = sizeof MM_JSON_CHECK_KEY - 1;
    char digits[MM_JSON_CHECK_DIGITS + 1];

    if (size < MM_JSON_CHECK_BYTES || memcmp(text, MM_JSON_CHECK_KEY, key) != 0)
        return 1;
    mm_json_check(text + MM_JSON_CHECK_BYTES, size - MM_JSON_CHECK_BYTES, digits);
    return memcmp(text + key, digits, MM_JSON_CHECK_DIGITS) == 0;
}

#endif
