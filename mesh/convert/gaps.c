/* SPDX-License-Identifier: BSD-3-Clause */
/* gaps.c: find missing steps in a sequence with a constant stride. */
#include "mesh/convert/gaps.h"

int64_t mesh_gaps_distance(int64_t before, int64_t after)
{
    uint64_t distance = (uint64_t)after - (uint64_t)before;

    return distance < INT64_MAX ? (int64_t)distance : INT64_MAX;
}

int mesh_gaps_between(const struct mesh_gaps *gaps, int64_t before, int64_t after,
                      int64_t *first, int64_t *last, uint64_t *count)
{
    uint64_t stride = (uint64_t)gaps->stride;
    uint64_t missing = ((uint64_t)after - (uint64_t)before - 1) / stride;

    if (missing < 1)
        return 0;
    *first = (int64_t)((uint64_t)before + stride);
    *last = (int64_t)((uint64_t)before + missing * stride);
    *count = missing;
    return 1;
}

void mesh_gaps_find(const int64_t *steps, size_t count, struct mesh_gaps *gaps)
{
    int64_t first, last;
    uint64_t missing;

    *gaps = (struct mesh_gaps){.stride = 1};
    for (size_t i = 1; i < count; i++) {
        int64_t distance = mesh_gaps_distance(steps[i - 1], steps[i]);

        gaps->stride = i == 1 || distance < gaps->stride ? distance : gaps->stride;
    }
    for (size_t i = 1; i < count; i++) {
        if (!mesh_gaps_between(gaps, steps[i - 1], steps[i], &first, &last, &missing))
            continue;
        gaps->first = gaps->lost ? gaps->first : first;
        gaps->lost += missing;
    }
}
