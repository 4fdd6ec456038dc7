/* SPDX-License-Identifier: BSD-3-Clause */
/* places.h: positions of cells and elements as whole numbers. */
#ifndef MESH_BALANCE_PLACES_H
#define MESH_BALANCE_PLACES_H

#include "mesh/balance/source.h"

/* In each dimension: the coordinate of each cell of a grid, or the rank of an element's
 * coordinate among the distinct ones, and the coordinate of each rank. */
struct mesh_places {
    int32_t *at[3];
    double *value[3]; /* coordinates by dimension and rank; NULL: a grid, where the rank
                         is the coordinate */
};

/* 0; -EDOM a coordinate that is infinite or not a number; -ENOMEM. Freed by
 * mesh_places_done in all cases. */
int mesh_places_init(struct mesh_places *places, const struct mesh_source *source,
                     struct cca_error *err);
void mesh_places_done(struct mesh_places *places);

/* Return the length from rank `lo` to rank `hi`. */
static inline double mesh_places_length(const struct mesh_places *places, int d,
                                        int32_t lo, int32_t hi)
{
    return places->value[d] ? places->value[d][hi] - places->value[d][lo]
                            : (double)(hi - lo);
}

/* The objective of cutting `all` into `left` and the rest: the larger of both sides, each
 * divided by its number of parts. */
static inline double mesh_larger_side(double left, double all, int left_parts,
                                      int right_parts)
{
    double l = left / left_parts, r = (all - left) / right_parts;

    return l > r ? l : r;
}

#endif
