/* SPDX-License-Identifier: BSD-3-Clause */
/* dot.h: the inner product, which the search of forms spends its time in. */
#ifndef MASTERMIND_ANALYSIS_MODELS_FORMS_DOT_H
#define MASTERMIND_ANALYSIS_MODELS_FORMS_DOT_H

#include <stddef.h>

/* Four sums at a time: one would wait for each addition before the next. */
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

#endif
