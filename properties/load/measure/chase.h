/* SPDX-License-Identifier: BSD-3-Clause */
/* chase.h: what a load costs that finds its data in a level of the memory. */
#ifndef PROPERTIES_LOAD_MEASURE_CHASE_H
#define PROPERTIES_LOAD_MEASURE_CHASE_H

#include <stddef.h>

/* Seconds of one load from a set of `bytes`, at least 4096, in random order, each load's
 * address out of the one before: the least of several attempts. NaN: no memory. Takes
 * some tenths of a second; for more than the largest cache a second per GB more. */
double mm_chase_seconds(size_t bytes);
/* Seconds that a miss of each of `count` levels of cache costs: a load from the next
 * level, less one from this. `bytes[count]`: their sizes, ascending. NaN where a set
 * would need more than 1 GB or a quarter of the free memory, or makes no difference.
 * `told` (may be NULL) is called before each. */
void mm_chase_penalties(const double *bytes, size_t count, double *penalty,
                        void (*told)(void *context, size_t level), void *context);

#endif
