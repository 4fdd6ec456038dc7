/* SPDX-License-Identifier: BSD-3-Clause */
/* simd_pow.h: powers of positive numbers, a vector at a time.
 *
 * x^y = exp(y log x); exp and log are Taylor series after the power of two is split off:
 *
 *   x = m 2^e,  sqrt(1/2) <= m < sqrt(2),  log m = 2 artanh(s),  s = (m - 1) / (m + 1)
 *   y log x = n log 2 + r,  |r| <= log(2) / 2
 *
 * The relative error is about 1e-16 (1 + |y log x|). A power of 1 is exactly 1. */
#ifndef COMPONENTS_SIMD_POW_H
#define COMPONENTS_SIMD_POW_H

#include "components/simd.h"

/* log(2) in two parts; the first has 32 bits, so that its product with an exponent is
 * exact. */
#define SIMD_LN2_HIGH 0x1.62e42feep-1
#define SIMD_LN2_LOW 0x1.a39ef35793c76p-33
#define SIMD_LOG2E 0x1.71547652b82fep0

/* Return the logarithm of `x`, which is a positive normal number. */
static inline simd simd_log(simd x)
{
    static const double odd[] = {1.,      1. / 3,  1. / 5,  1. / 7,  1. / 9,  1. / 11,
                                 1. / 13, 1. / 15, 1. / 17, 1. / 19, 1. / 21, 1. / 23};
    const uint64_t root_half = 0x3fe6a09e667f3bcd, one = 0x3ff0000000000000;
    /* Subtract the bits of sqrt(1/2): a mantissa below it borrows from the exponent. The
     * bits are unsigned, as the difference may wrap if `x` is no positive number. */
    simd_bits octave = (((simd_bits)x - root_half + one) >> 52) - 1023;
    simd m = (simd)((simd_bits)x - (octave << 52));
    /* an integer that is added to the bits of 1.5 * 2^52 is added to the value */
    simd e = (simd)(octave + 0x4338000000000000) - 0x1.8p52;
    simd s = (m - 1.) / (m + 1.), q = s * s, sum = simd_set(odd[11]);

#pragma GCC unroll 11
    for (int n = 10; n >= 0; n--)
        sum = sum * q + odd[n];
    return e * SIMD_LN2_HIGH + (e * SIMD_LN2_LOW + 2. * s * sum);
}

/* Return e^y; 0 for y below -708; for y above 709 the value at 709. */
static inline simd simd_exp(simd y)
{
    static const double inverse[] = {1.,
                                     1.,
                                     1. / 2,
                                     1. / 6,
                                     1. / 24,
                                     1. / 120,
                                     1. / 720,
                                     1. / 5040,
                                     1. / 40320,
                                     1. / 362880,
                                     1. / 3628800,
                                     1. / 39916800,
                                     1. / 479001600,
                                     1. / 6227020800};
    simd_mask tiny = (simd_mask)(y < -708.);
    simd bounded = simd_select(tiny, simd_set(0.),
                               simd_select((simd_mask)(y > 709.), simd_set(709.), y));
    simd shifted = bounded * SIMD_LOG2E + 0x1.8p52, n = shifted - 0x1.8p52;
    simd r = (bounded - n * SIMD_LN2_HIGH) - n * SIMD_LN2_LOW;
    simd sum = simd_set(inverse[13]);

#pragma GCC unroll 13
    for (int k = 12; k >= 0; k--)
        sum = sum * r + inverse[k];
    sum = (simd)((simd_bits)sum + ((simd_bits)shifted << 52));
    return simd_select(tiny, simd_set(0.), sum);
}

/* Return x^y for x > 0; NaN if x is not a positive normal number. */
static inline simd simd_pow(simd x, double y)
{
    simd power = simd_exp(y * simd_log(x));

    return simd_select((simd_mask)(x >= 0x1p-1022) & (simd_mask)(x < HUGE_VAL), power,
                       simd_set(NAN));
}

#endif
