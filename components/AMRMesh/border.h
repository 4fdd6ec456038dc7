/* SPDX-License-Identifier: BSD-3-Clause */
/* border.h: where the border of a fine level runs on the coarser one.
 *
 * A piece of the border is a row of coarse cells along one side of a fine tile that no
 * fine tile covers. A coarse cell next to the border may be in several pieces, one for
 * each of its sides there; it is one slot. */
#ifndef COMPONENTS_AMRMESH_BORDER_H
#define COMPONENTS_AMRMESH_BORDER_H

#include "components/AMRMesh/prolong.h"
#include "ports/mesh_port.h"

struct piece {
    int fine, coarse; /* tiles */
    int side;         /* of the fine tile, enum mesh_side */
    struct box box;   /* cells of the coarse tile */
    int64_t di, dj;   /* from the coarse tile to its image next to the fine one */
    int64_t first;    /* cells of the pieces before it */
    int has_coarse;   /* the coarse tile is on this rank */
};

/* A coarse cell next to the border. */
struct slot {
    int tile;
    int64_t i, j;
};

/* The pieces of each of this rank's tiles: of tile k from start[k] to start[k + 1]. */
struct piece_index {
    int *start, *at;
};

struct border {
    int count;
    struct piece *pieces; /* that this rank takes part in */
    int64_t cells;        /* of them */
    struct piece_index by_fine, by_coarse;
    int slot_count;
    struct slot *slots; /* on this rank */
    int *slot_of;       /* [cells], -1 where the coarse tile is on another rank */
};

/* Find it. 0 or -ENOMEM. */
int border_init(struct border *b, const struct ranks *ranks, const struct layout *fine,
                const struct space *fine_space, const struct layout *coarse,
                const struct space *coarse_space);
void border_done(struct border *b); /* also of a zeroed one */

static inline int side_axis(int side)
{
    return side == MESH_YLO || side == MESH_YHI;
}

static inline int side_is_low(int side)
{
    return side == MESH_XLO || side == MESH_YLO;
}

#endif
