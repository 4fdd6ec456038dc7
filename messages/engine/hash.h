/* SPDX-License-Identifier: BSD-3-Clause */
/* hash.h: mixing of 64-bit words, the same on all processes. */
#ifndef MESSAGES_ENGINE_HASH_H
#define MESSAGES_ENGINE_HASH_H

#include <stdint.h>

#define MM_HASH_STEP UINT64_C(0x9e3779b97f4a7c15) /* 2^64 / golden ratio */

/* A permutation of the 64-bit words after which each bit depends on all bits (the
 * finaliser of SplitMix64: Steele, Lea, Flood 2014). */
static inline uint64_t mm_hash_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* Add a word to a hash; order matters. */
static inline uint64_t mm_hash_add(uint64_t hash, uint64_t word)
{
    return mm_hash_mix((hash ^ word) + MM_HASH_STEP);
}

/* Key of message k of a channel. Different k of one channel have different keys. */
static inline uint64_t mm_hash_key(uint64_t channel, uint64_t k)
{
    return mm_hash_mix(channel + k * MM_HASH_STEP);
}

/* A key below this value is a sample, with probability p; 0 <= p <= 1. A smaller p
 * chooses a subset. */
static inline uint64_t mm_hash_threshold(double p)
{
    return p >= 1 ? UINT64_MAX : (uint64_t)(p * 18446744073709551616.0);
}

static inline int mm_hash_chosen(uint64_t key, uint64_t threshold)
{
    return key < threshold || threshold == UINT64_MAX;
}

#endif
