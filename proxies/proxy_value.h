/* SPDX-License-Identifier: BSD-3-Clause */
/* proxy_value.h: arithmetic of mark-up that might overflow or divide by zero: integers saturate,
 * and a division by zero is 0. */
#ifndef PROXIES_PROXY_VALUE_H
#define PROXIES_PROXY_VALUE_H

#include <stdint.h>

static inline int64_t proxy_add(int64_t a, int64_t b)
{
    int64_t sum;

    return __builtin_add_overflow(a, b, &sum) ? (a < 0 ? INT64_MIN : INT64_MAX) : sum;
}

static inline int64_t proxy_sub(int64_t a, int64_t b)
{
    int64_t difference;

    return __builtin_sub_overflow(a, b, &difference) ? (a < 0 ? INT64_MIN : INT64_MAX)
                                                     : difference;
}

static inline int64_t proxy_mul(int64_t a, int64_t b)
{
    int64_t product;

    return __builtin_mul_overflow(a, b, &product) ? ((a < 0) != (b < 0) ? INT64_MIN : INT64_MAX)
                                                  : product;
}

static inline int64_t proxy_div(int64_t a, int64_t b)
{
    return b == 0 ? 0 : b == -1 ? proxy_sub(0, a) : a / b;
}

static inline int64_t proxy_mod(int64_t a, int64_t b)
{
    return b == 0 || b == -1 ? 0 : a % b;
}

static inline double proxy_ratio(double a, double b)
{
    return b == 0.0 ? 0.0 : a / b;
}

#endif
