/* SPDX-License-Identifier: BSD-3-Clause */
/* halves.h: halves of messages for tests, all fields of both by one number. */
#ifndef TESTS_MESSAGES_HALVES_H
#define TESTS_MESSAGES_HALVES_H

#include <stdint.h>

#include "mastermind/format/messages_file.h"

static inline uint64_t half_random(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15ULL; /* splitmix64 */

    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
    return x ^ x >> 31;
}

static inline uint64_t half_key(uint64_t number)
{
    uint64_t state = number;

    return half_random(&state);
}

/* Half `side` of message `number`: sent at 1000 number ticks, posted 100, entered 200,
 * received 300 ticks later. */
static inline struct mm_messages_half half_of(uint64_t number, int side)
{
    struct mm_messages_half half = {
        .key = half_key(number),
        .comm = 17,
        .k = number,
        .src = 1,
        .dst = 2,
        .tag = (int32_t)(number % 7),
        .side = (uint16_t)side,
        .bytes = number % 1000,
        .t_start = 1000 * number + (side == MM_MESSAGES_RECEIVE ? 100 : 0),
        .t_enter = 1000 * number + (side == MM_MESSAGES_RECEIVE ? 200 : 0),
        .t_end = 1000 * number + (side == MM_MESSAGES_RECEIVE ? 300 : 50),
        .site = 100 + (uint64_t)side,
        .method = side,
        .thread = 0,
        .invocation = number,
        .p = 0.5,
    };

    return half;
}

#endif
