/* SPDX-License-Identifier: BSD-3-Clause */
/* chase.h: measure the latency of a load from a level of the memory hierarchy. */
#ifndef PROPERTIES_LOAD_MEASURE_CHASE_H
#define PROPERTIES_LOAD_MEASURE_CHASE_H

#include <stddef.h>

/* Penalties of a miss in each of `count` cache levels, seconds: latency of the next level
 * minus latency of this one. `bytes[count]`: sizes of the levels, ascending. NaN if the
 * measurement would need more than 1 GB or a quarter of the free memory, or shows no
 * difference. `told` (may be NULL) is called before each level. */
void mm_chase_penalties(const double *bytes, size_t count, double *penalty,
                        void (*told)(void *context, size_t level), void *context);

#endif
