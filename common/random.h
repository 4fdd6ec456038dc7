/* SPDX-License-Identifier: BSD-3-Clause */
/* random.h: random number generators whose results are equal on every machine, for
 * sampling and
 * shuffling. */
#ifndef COMMON_RANDOM_H
#define COMMON_RANDOM_H

#include <stdint.h>

/* SplitMix64 (Steele, Lea, Flood, Fast splittable pseudorandom number generators, OOPSLA
 * 2014). Any value of the state is allowed. */
static inline uint64_t cca_random_next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Xorshift (Marsaglia, Xorshift RNGs, 2003), which has no multiplication. The state must
 * not be 0. */
static inline uint64_t cca_random_shift(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

#endif
