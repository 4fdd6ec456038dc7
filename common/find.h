/* SPDX-License-Identifier: BSD-3-Clause */
/* find.h: search a sorted array by halving (binary search). */
#ifndef COMMON_FIND_H
#define COMMON_FIND_H

#include <stddef.h>

/* Set `at`, a size_t, to the first index from 0 to `count` at which `is_before` is false.
 * `is_before` is an expression that contains `at`; it must be true for all indexes before
 * the result, and false from there on. */
#define CCA_FIND_FIRST(at, count, is_before)                                             \
    do {                                                                                 \
        size_t cca_from = 0, cca_end = (count);                                          \
                                                                                         \
        while (cca_from < cca_end) {                                                     \
            (at) = cca_from + (cca_end - cca_from) / 2;                                  \
            if (is_before)                                                               \
                cca_from = (at) + 1;                                                     \
            else                                                                         \
                cca_end = (at);                                                          \
        }                                                                                \
        (at) = cca_from;                                                                 \
    } while (0)

#endif
