/* SPDX-License-Identifier: BSD-3-Clause */
/* gaps.h: steps that are missing among others at even distances. */
#ifndef MESH_CONVERT_GAPS_H
#define MESH_CONVERT_GAPS_H

#include <stddef.h>
#include <stdint.h>

/* The reason of a loss of rank -1 that is none: whoever measured left these steps out. */
#define MESH_SKIPPED "skipped"

struct mesh_gaps {
    int64_t stride; /* the least distance of two steps; 1 where there is one step */
    uint64_t lost;  /* steps that are missing at this stride */
    int64_t first;  /* the first of them */
};

/* From one step to a later one, at most INT64_MAX. */
int64_t mesh_gaps_distance(int64_t before, int64_t after);

/* Find the gaps of steps that ascend, at least one. Every k-th step is no gap. */
void mesh_gaps_find(const int64_t *steps, size_t count, struct mesh_gaps *gaps);

/* Steps missing between two that follow one another: 1 and the first, the last and how
 * many; 0: none, and nothing is set. */
int mesh_gaps_between(const struct mesh_gaps *gaps, int64_t before, int64_t after,
                      int64_t *first, int64_t *last, uint64_t *count);

#endif
