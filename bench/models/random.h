/* SPDX-License-Identifier: BSD-3-Clause */
/* random.h: random numbers that are the same in every run. */
#ifndef BENCH_MODELS_RANDOM_H
#define BENCH_MODELS_RANDOM_H

#include <math.h>
#include <stdint.h>

static uint64_t random_state = 1; /* the seed */

/* splitmix64 */
static inline uint64_t random_word(void)
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Uniform in (0, 1). */
static inline double random_unit(void)
{
    return ((double)(random_word() >> 11) + .5) / 9007199254740992.0;
}

/* Mean 0, standard deviation 1. */
static inline double random_normal(void)
{
    return sqrt(-2 * log(random_unit())) * cos(6.283185307179586 * random_unit());
}

#endif
