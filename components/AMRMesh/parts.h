/* SPDX-License-Identifier: BSD-3-Clause */
/* parts.h: functions that the files of the mesh share. */
#ifndef COMPONENTS_AMRMESH_PARTS_H
#define COMPONENTS_AMRMESH_PARTS_H

#include "components/AMRMesh/hierarchy.h"
#include "ports/balance_port.h"

/* --- adopt.c ------------------------------------------------------------- */

/* Implements `adopt` of the mesh port; `levels` is the largest number of levels.
 * Collective. */
int adopt(struct hierarchy *h, int level, int levels, const struct mesh_box *boxes,
          int count, struct cca_error *err);

/* --- define.c ------------------------------------------------------------ */

struct define_rule {
    int levels;         /* most levels */
    int64_t patches[2]; /* smallest number of patches of level 0, in x and in y */
    int64_t most[2]; /* largest number of cells of a patch, in x and in y; 0: no limit */
};

/* Implements `define` of the mesh port; keeps the ports of `h`. Collective. */
int define(struct hierarchy *h, const struct mesh_domain *domain, int ghost,
           const struct define_rule *rule, struct cca_error *err);

/* --- move.c -------------------------------------------------------------- */

/* Replace level `l`, or add it, with `layout` (stolen, also on failure; layout_share was
 * called). Kept fields are copied from the old patches, and computed from the coarser
 * level elsewhere; scratch fields are zeroed; old values are deleted. Call hierarchy_link
 * when all levels are complete.
 *
 *   moved  in, out  increased by the cells of one field received from other ranks' old
 *                   patches
 *
 * Returns 0 or a negative errno. Collective. */
int level_replace(struct hierarchy *h, int l, struct layout *layout, int64_t *moved);

/* --- owners.c ------------------------------------------------------------ */

/* Choose owners for the tiles of `layout`, which will become level `l` > 0: the rank with
 * the most of a tile's cells on the current level `l`, else on level `l` - 1; of equal
 * ranks the lowest. The result is the same on all ranks. Returns 0 or -ENOMEM. */
int owners_find(const struct hierarchy *h, int l, struct layout *layout);

/* Move the patches of all levels to new ranks, which are chosen by costs or given.
 *
 *   owners  in       [patches of all levels], by level and number; NULL: choose by costs
 *   moved   in, out  increased by the cells of one field received from other ranks
 *
 * Returns 1 if a patch has moved, 0, or a negative errno. Collective. */
int redistribute(struct hierarchy *h, const int *owners, int64_t *moved);
/* Redistribute to the owners that a balance port returns. Returns like redistribute;
 * `err` is set if the port failed. */
int redistribute_as_told(struct hierarchy *h, struct balance_port *port, int64_t step,
                         int64_t *moved, struct cca_error *err);

/* --- regrid.c ------------------------------------------------------------ */

struct regrid_rule {
    int levels;        /* most levels, >= 1 */
    double efficiency; /* smallest share of flagged cells in a new box */
    int64_t nx, ny;    /* largest number of cells of a patch in x and in y; 0: no limit */
    int buffer; /* number of cells by which the set of flagged cells grows on all sides */
    int64_t *moved; /* out: number of cells received from other ranks */
};

/* Return the distance, in cells of a level, between the end of the level and the cells
 * that a finer level may cover: enough for the finer level's ghost cells and the slopes
 * under them. */
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
