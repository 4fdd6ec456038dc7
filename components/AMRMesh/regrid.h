/* SPDX-License-Identifier: BSD-3-Clause */
/* regrid.h: new patches of the finer levels from flags. */
#ifndef COMPONENTS_AMRMESH_REGRID_H
#define COMPONENTS_AMRMESH_REGRID_H

#include "components/AMRMesh/hierarchy.h"

struct regrid_rule {
    int levels;        /* at most, >= 1 */
    double efficiency; /* of a box of patches: flagged cells per cell, at least */
    int64_t nx, ny;    /* cells of a patch at most; 0: any number */
    int buffer;        /* flags grow by so many cells */
    int64_t *moved;    /* out: cells that came to this rank from others */
};

/* The cells of a level that a finer level may cover keep away so far, in cells of that
 * level, from where the level itself ends: enough for the finer level's ghost cells and
 * the slopes under them. */
static inline int nesting_distance(int ghost)
{
    return (ghost + AMR_RATIO - 1) / AMR_RATIO + 1;
}

/* Rebuild all levels above `base` from the field `flags` (> 0: refine) of `base` and the
 * levels above it. The levels nest: each covers the next finer one with
 * nesting_distance() cells more all around, except at the ends of the domain. Which cells
 * are covered depends on the flags alone, not on the cut into patches. New patches go to
 * the rank that has most of their cells already, on the same level, else on the coarser
 * one. Returns 1 where patches have changed, 0, or a negative errno. Collective. */
int regrid(struct hierarchy *h, int base, int flags, const struct regrid_rule *rule);

#endif
