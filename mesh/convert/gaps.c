/* SPDX-License-Identifier: BSD-3-Clause */
/* gaps.c: steps that are missing among others at even distances. */
#include "mesh/convert/gaps.h"

int mesh_gaps_between(const struct mesh_gaps *gaps, int64_t before, int64_t after,
                      int64_t *first, int64_t *last, uint64_t *count)
{
    int64_t missing = (after - before - 1) / gaps->stride;

    if (missing < 1)
        return 0;
    *first = before + gaps->stride;
    *last = before + missing * gaps->stride;
    *count = (uint64_t)missing;
    return 1;
}

void mesh_gaps_find(const int64_t *steps, size_t count, struct mesh_gaps *gaps)
{
    int64_t first, last;
    uint64_t missing;

    *gaps = (struct mesh_gaps){.stride = 1};
    for (size_t i = 1; i < count; i++)
        if (i == 1 || steps[i] - steps[i - 1] < gaps->stride)
            gaps->stride = steps[i] - steps[i - 1];
    for (size_t i = 1; i < count; i++) {
        if (!mesh_gaps_between(gaps, steps[i - 1], steps[i], &first, &last, &missing))
            continue;
        if (!gaps->lost)
            gaps->first = first;
        gaps->lost += missing;
    }
}
