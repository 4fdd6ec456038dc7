/* SPDX-License-Identifier: BSD-3-Clause */
/* border.h: the border between a fine level and the coarser one.
 *
 * A piece of the border is a row of uncovered coarse cells along one side of a fine tile.
 * A coarse cell next to the border may be in several pieces, one for each of its sides at
 * the border; it has one slot. */
#ifndef COMPONENTS_AMRMESH_BORDER_H
#define COMPONENTS_AMRMESH_BORDER_H

#include "components/AMRMesh/prolong.h"
#include "ports/mesh_port.h"

struct piece {
    int fine, coarse; /* indices of the fine tile and of the coarse tile */
    int side;         /* side of the fine tile, enum mesh_side */
    struct box box;   /* cells of the piece, inside the coarse tile */
    /* shift from the coarse tile to its periodic image next to the fine tile */
    int64_t di, dj;
    int64_t first;  /* number of cells in the pieces before this one */
    int has_coarse; /* true if the coarse tile is on this rank */
};

/* A coarse cell next to the border. */
struct slot {
    int tile;
    int64_t i, j;
};

/* The pieces of each tile of this rank: pieces start[k] to start[k + 1] - 1 of tile k. */
struct piece_index {
    int *start, *at;
};

struct border {
    int count;
    struct piece *pieces; /* pieces that this rank needs */
    int64_t cells;        /* number of cells in `pieces` */
    struct piece_index by_fine, by_coarse;
    int slot_count;
    struct slot *slots; /* slots on this rank */
    int *slot_of;       /* [cells] slot of each cell; -1 if the coarse tile is on
                         * another rank */
};

/* Find the border. Returns 0 or -ENOMEM. */
int border_init(struct border *b, const struct ranks *ranks, const struct layout *fine,
                const struct space *fine_space, const struct layout *coarse,
                const struct space *coarse_space);
/* free the members of the struct; a zeroed struct is accepted */
void border_done(struct border *b);

static inline int side_axis(int side)
{
    return side == MESH_YLO || side == MESH_YHI;
}

static inline int side_is_low(int side)
{
    return side == MESH_XLO || side == MESH_YLO;
}

#endif
