/* SPDX-License-Identifier: BSD-3-Clause */
/* dot.h: the inner product, in which the search for forms spends most of its time. */
#ifndef MASTERMIND_COST_FORMS_DOT_H
#define MASTERMIND_COST_FORMS_DOT_H

#include <stddef.h>

/* Four partial sums, because a single one would wait for each addition. */
static inline double mm_dot(const double *a, const double *b, size_t n)
{
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    size_t i = 0;

    for (; i + 4 <= n; i += 4) {
        s0 += a[i] * b[i];
        s1 += a[i + 1] * b[i + 1];
        s2 += a[i + 2] * b[i + 2];
        s3 += a[i + 3] * b[i + 3];
    }
    for (; i < n; i++)
        s0 += a[i] * b[i];
    return (s0 + s1) + (s2 + s3);
}

/* The inner products of `a` with each of b[0 .. 4). */
static inline void mm_dot_four(const double *a, const double *const *b, size_t n,
                               double *product)
{
    const double *b0 = b[0], *b1 = b[1], *b2 = b[2], *b3 = b[3];
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0, t0 = 0, t1 = 0, t2 = 0, t3 = 0;
    size_t i = 0;

    for (; i + 2 <= n; i += 2) {
        s0 += a[i] * b0[i];
        t0 += a[i + 1] * b0[i + 1];
        s1 += a[i] * b1[i];
        t1 += a[i + 1] * b1[i + 1];
        s2 += a[i] * b2[i];
        t2 += a[i + 1] * b2[i + 1];
        s3 += a[i] * b3[i];
        t3 += a[i + 1] * b3[i + 1];
    }
    if (i < n) {
        s0 += a[i] * b0[i];
        s1 += a[i] * b1[i];
        s2 += a[i] * b2[i];
        s3 += a[i] * b3[i];
    }
    product[0] = s0 + t0;
    product[1] = s1 + t1;
    product[2] = s2 + t2;
    product[3] = s3 + t3;
}

#endif
