/* SPDX-License-Identifier: BSD-3-Clause */
/* prolong.h: which cells of a level are computed from the coarser level, ghost cells or
 * new ones, and where the coarse cells for it come from.
 *
 * The arithmetic is behind the port `prolong_restrict`. It reads the coarse cells under a
 * box of fine ones and one more all around, which are brought together on the fine
 * tile's rank. The value of a cell depends on interior cells of the coarser level alone,
 * not on the cut into patches. */
#ifndef COMPONENTS_AMRMESH_PROLONG_H
#define COMPONENTS_AMRMESH_PROLONG_H

#include "components/AMRMesh/transfer.h"
#include "ports/prolong_restrict_port.h"

#define AMR_RATIO 2 /* of all levels */

/* Cells of a fine tile of this rank to compute. */
struct target {
    int tile;                            /* of the fine layout */
    struct box box;                      /* in the tile's frame, ghost cells allowed */
    struct prolong_restrict_place place; /* of the box above the coarse cells */
    ptrdiff_t under, under_pitch; /* the first coarse cell under it, in under.at[local] */
};

struct prolongation {
    int count;
    struct target *targets;
    int64_t cells;        /* of them */
    struct scratch under; /* coarse cells, for each of this rank's fine tiles */
};

/* Nothing to compute yet, on `tiles` tiles of this rank. 0 or -ENOMEM. */
int prolongation_init(struct prolongation *p, int tiles);
void prolongation_done(struct prolongation *p); /* also of a zeroed one */

/* Compute `boxes` of a fine tile, all of that tile at once; they may reach across
 * periodic borders. Appends the copies of coarse cells, from the source to `under`, to
 * `copies`. `images` is room for the search. 0 or -ENOMEM. */
int prolongation_add(struct prolongation *p, struct copies *copies,
                     const struct ranks *ranks, const struct source *coarse,
                     const struct layout *fine, int tile, const struct boxes *boxes,
                     struct images *images);

/* Compute all of them when the copies have been run. 0 or a negative errno. */
int prolongation_run(const struct prolongation *p, struct prolong_restrict_port *port,
                     const struct layout *fine, struct store *to);

#endif
