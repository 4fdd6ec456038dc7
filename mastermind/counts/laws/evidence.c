/* SPDX-License-Identifier: BSD-3-Clause */
/* evidence.c: description lengths of numbers, and of counts that follow no scaling
 * function. */
#include "mastermind/counts/laws/evidence.h"

#include <math.h>

int mm_law_fraction(double value, double *near, double *bits)
{
    for (int d = 1; d <= 64; d += d < 12 ? 1 : d == 12 ? 4 : d) {
        double n = nearbyint(value * d);

        if (n == 0 || fabs(value * d - n) > 1e-6 * fmax(1, 1e-3 * fabs(n)) ||
            fabs(n) > 1e9)
            continue;
        *near = n / d;
        *bits = 1 + log2(fabs(n)) + 2 * log2(d);
        return 1;
    }
    return 0;
}

/* Bits that describe the counts of all runs, or these counts per unit of an axis. */
static double data_bits_of(const struct mm_law_data *data, size_t axis)
{
    double bits = 0;

    for (size_t i = 0; i < data->runs; i++) {
        double y = fabs(data->y[i]);

        if (axis < data->axes)
            y /= fabs(data->x[i * data->axes + axis]);

        bits += y == floor(y) && y < 0x1p50 ? log2(fmax(y, 2)) : MM_LAW_REAL_BITS;
    }
    return bits;
}

/* If every count is a multiple of an exogenous count, such as the number of steps, the
 * variation of that exogenous count is no evidence for a form. */
double mm_law_data_bits(const struct mm_law_data *data)
{
    double bits = data_bits_of(data, data->axes);

    for (size_t k = 0; k < data->axes; k++)
        if (data->is_driver[k] && data->varies[k] && data->is_positive[k])
            bits = fmin(bits, data_bits_of(data, k));
    return bits;
}
