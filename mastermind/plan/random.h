/* SPDX-License-Identifier: BSD-3-Clause */
/* random.h: random numbers that are equal on every machine: SplitMix64 (Steele, Lea,
 * Flood, Fast splittable pseudorandom number generators, OOPSLA 2014). */
#ifndef MASTERMIND_PLAN_RANDOM_H
#define MASTERMIND_PLAN_RANDOM_H

#include <stddef.h>
#include <stdint.h>

static inline uint64_t mm_random_next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* A random number in 0 .. below - 1. `below` is far below 2^64, so remainders are nearly
 * uniform. */
static inline size_t mm_random_below(uint64_t *state, size_t below)
{
    return (size_t)(mm_random_next(state) % below);
}

/* Shuffle numbers (Fisher and Yates). */
static inline void mm_random_shuffle(uint64_t *state, size_t *items, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        size_t k = mm_random_below(state, i), item = items[i - 1];

        items[i - 1] = items[k];
        items[k] = item;
    }
}

#endif
