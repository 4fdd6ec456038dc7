/* SPDX-License-Identifier: BSD-3-Clause */
/* sort.h: comparison functions for qsort() and bsearch(), ascending.
 *
 * Each compares two elements of the type in its name. Numbers may not be NaN. */
#ifndef COMMON_SORT_H
#define COMMON_SORT_H

#include <stdint.h>
#include <string.h>

static inline int cca_order_double(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

static inline int cca_order_int32(const void *left, const void *right)
{
    int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;

    return (a > b) - (a < b);
}

static inline int cca_order_uint32(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

    return (a > b) - (a < b);
}

static inline int cca_order_int64(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

    return (a > b) - (a < b);
}

static inline int cca_order_uint64(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

    return (a > b) - (a < b);
}

/* Compare elements that are pointers to texts. */
static inline int cca_order_text(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

#endif
