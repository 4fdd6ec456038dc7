/* SPDX-License-Identifier: BSD-3-Clause */
/* gaps.h: find missing steps in a sequence with a constant stride. */
#ifndef MESH_CONVERT_GAPS_H
#define MESH_CONVERT_GAPS_H

#include <stddef.h>
#include <stdint.h>

/* Reason in a record of lost steps (rank -1): nothing is lost, because the measuring
 * program skipped these steps. */
#define MESH_SKIPPED "skipped"

struct mesh_gaps {
    /* the smallest difference of two steps; 1 if there is only one step */
    int64_t stride;
    uint64_t lost; /* number of steps missing at this stride */
    int64_t first; /* the first missing step */
};

/* Return the difference of a step and a later step, at most INT64_MAX. */
int64_t mesh_gaps_distance(int64_t before, int64_t after);

/* Find the gaps in ascending steps, of which there is at least one. Steps at a constant
 * stride have no gap. */
void mesh_gaps_find(const int64_t *steps, size_t count, struct mesh_gaps *gaps);

/* Find missing steps between two consecutive steps of a file. Returns 1 with the first
 * missing step, the last and their number; 0: none, and nothing is set. */
int mesh_gaps_between(const struct mesh_gaps *gaps, int64_t before, int64_t after,
                      int64_t *first, int64_t *last, uint64_t *count);

#endif
