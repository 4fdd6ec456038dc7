/* SPDX-License-Identifier: BSD-3-Clause */
/* data.h: bytes for the drivers to work on, the same in each run. */
#ifndef TESTS_HEADERS_DATA_H
#define TESTS_HEADERS_DATA_H

#include <stddef.h>
#include <stdint.h>

/* The next of a fixed sequence of numbers. */
static inline uint32_t data_next(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* Fill `bytes` with text that compresses by about half. */
static inline void data_fill(unsigned char *bytes, size_t size)
{
    uint32_t state = 20031u;

    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)("etaoin shrdlu\n"[data_next(&state) % 14]);
}

#endif
