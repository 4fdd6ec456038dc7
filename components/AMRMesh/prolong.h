/* SPDX-License-Identifier: BSD-3-Clause */
/* prolong.h: cells of a level computed from the coarser level, by limited linear
 * interpolation of the conserved variables.
 *
 * The four cells of a coarse cell have its value as their mean, so what is interpolated
 * is conserved. Slopes are those of van Leer's monotonized central limiter: no value is
 * beyond the coarse cell's neighbours along the axes. Towards the end of the domain the
 * slope is zero. The value of a cell depends on interior cells of the coarser level
 * alone, not on the cut into patches. */
#ifndef COMPONENTS_AMRMESH_PROLONG_H
#define COMPONENTS_AMRMESH_PROLONG_H

#include "components/AMRMesh/transfer.h"

#define AMR_RATIO 2 /* of all levels */

/* Rectangles of cells of fine tiles to compute, ghost cells or interior ones. Each has a
 * tile of coarse cells under it with one more all around, on the same rank. */
struct prolongation {
    struct layout under;
    struct store values; /* of `under`, while one runs */
    int room;
    struct target {
        int tile; /* of the fine layout */
        struct box box;
    } * targets; /* [under.count] */
    struct transfer fill;
};

/* Nothing to compute yet. 0 or -ENOMEM. */
int prolongation_init(struct prolongation *p, int size);
void prolongation_done(struct prolongation *p); /* also of a zeroed one */
/* Compute `box` of a fine tile; it may reach across periodic borders. 0 or -ENOMEM. */
int prolongation_add(struct prolongation *p, const struct space *coarse_space,
                     const struct layout *fine, int tile, struct box box);
/* Plan the messages when all boxes are added. 0 or -ENOMEM. */
int prolongation_plan(struct prolongation *p, const struct ranks *ranks,
                      const struct layout *coarse, const struct space *coarse_space);

/* begin() starts to fetch coarse cells, of `now` or between `old` and `now` at
 * `fraction`; after the wait of the port end() computes. 0 or a negative errno. */
int prolongation_begin(struct prolongation *p, const struct ranks *ranks, int tag,
                       const struct layout *coarse, const struct store *now,
                       const struct store *old, double fraction);
void prolongation_end(struct prolongation *p, const struct layout *coarse,
                      const struct layout *fine, struct store *to);
/* Cells that this rank computes. */
int64_t prolongation_cells(const struct prolongation *p);

#endif
