/* SPDX-License-Identifier: BSD-3-Clause */
/* regrid.h: make new patches of the finer levels from flags. */
#ifndef COMPONENTS_AMRMESH_REGRID_H
#define COMPONENTS_AMRMESH_REGRID_H

#include "components/AMRMesh/hierarchy.h"

struct regrid_rule {
    int levels;        /* most levels, >= 1 */
    double efficiency; /* least share of flagged cells in a box of patches */
    int64_t nx, ny;    /* most cells of a patch; 0: no limit */
    int buffer;        /* number of cells by which flags grow */
    int64_t *moved;    /* out: cells received from other ranks */
};

/* Distance, in cells of a level, between the end of the level and the cells that a finer
 * level may cover: enough for the finer level's ghost cells and the slopes under them. */
static inline int nesting_distance(int ghost)
{
    return (ghost + AMR_RATIO - 1) / AMR_RATIO + 1;
}

/* Rebuild all levels above `base` from the field `flags` (> 0: refine) of `base` and the
 * levels above it. Levels are nested: each covers the next finer one and
 * nesting_distance() more cells all around, except at the ends of the domain. The covered
 * cells depend on the flags alone, not on patches. A new patch goes to the rank that has
 * most of its cells already, on the same level, else on the coarser one. Returns 1 if
 * patches have changed, 0, or a negative errno. Collective. */
int regrid(struct hierarchy *h, int base, int flags, const struct regrid_rule *rule);

#endif
