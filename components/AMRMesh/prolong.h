/* SPDX-License-Identifier: BSD-3-Clause */
/* prolong.h: compute ghost cells or new cells of a level from the coarser level;
 * plan the copies of the coarse cells.
 *
 * The port `prolong_restrict` does the arithmetic. It reads the coarse cells under a box
 * of fine cells and one more all around, which are copied to the fine tile's rank first.
 * Values depend only on interior cells of the coarser level, not on patches. */
#ifndef COMPONENTS_AMRMESH_PROLONG_H
#define COMPONENTS_AMRMESH_PROLONG_H

#include "components/AMRMesh/transfer.h"
#include "ports/prolong_restrict_port.h"

#define AMR_RATIO 2 /* refinement ratio of all levels */

/* Cells of a fine tile of this rank to compute. */
struct target {
    int tile;                            /* index of the tile in the fine layout */
    struct box box;                      /* cells to compute, in coordinates of the
                                          * tile; ghost cells allowed */
    struct prolong_restrict_place place; /* position of the box relative to the coarse
                                          * cells */
    ptrdiff_t under, under_pitch; /* under: offset in under.at[local] of the first coarse
                                     cell under the box */
};

struct prolongation {
    int count;
    struct target *targets;
    int64_t cells;        /* number of cells of all targets */
    struct scratch under; /* the coarse cells for each of this rank's fine tiles */
};

/* Make a plan without targets, for `tiles` tiles of this rank. Returns 0 or -ENOMEM. */
int prolongation_init(struct prolongation *p, int tiles);
void prolongation_done(struct prolongation *p); /* free the members of the struct; a
                                                   zeroed struct is accepted */

/* Add all `boxes` to compute on a fine tile; they may reach across periodic borders.
 * Appends the copies of coarse cells, from the source to `under`, to `copies`. `images`
 * is temporary memory for the search. Returns 0 or -ENOMEM. */
int prolongation_add(struct prolongation *p, struct copies *copies,
                     const struct ranks *ranks, const struct source *coarse,
                     const struct layout *fine, int tile, const struct boxes *boxes,
                     struct images *images);

/* Compute all targets after the copies have been made. Returns 0 or a negative errno. */
int prolongation_run(const struct prolongation *p, struct prolong_restrict_port *port,
                     const struct layout *fine, struct store *to);

#endif
