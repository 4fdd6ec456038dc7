/* SPDX-License-Identifier: BSD-3-Clause */
/* layout.h: the patches of one level over all ranks: their boxes and owners, the same on
 * every rank, in an order that does not depend on ranks. */
#ifndef COMPONENTS_AMRMESH_BOXES_LAYOUT_H
#define COMPONENTS_AMRMESH_BOXES_LAYOUT_H

#include "components/AMRMesh/boxes/box.h"

/* The cells of a level over the whole domain, counted from 0, 0. */
struct space {
    struct box box;
    int periodic[2];
};

struct tile {
    struct box box;
    int rank;  /* rank that owns the tile */
    int local; /* index of the tile among its owner's tiles */
};

/* Index of tiles by position: a grid of bins, each with the indices of the tiles that
 * overlap it. */
struct bins {
    struct box box; /* box of all tiles */
    int64_t nx, ny; /* size of a bin in cells */
    int64_t columns, rows;
    int *start, *tiles; /* bin k has tiles[start[k]] to tiles[start[k + 1] - 1] */
};

struct layout {
    int count;
    struct tile *tiles;
    int local_count; /* number of this rank's tiles */
    int *locals;     /* [local_count] indices of this rank's tiles */
    struct bins bins;
};

/* A tile, and the shift from it to its image across periodic borders. */
struct image {
    int tile;
    int64_t di, dj;
};

struct images {
    int count;
    size_t room;
    struct image *at;
};

/* Append a tile; call layout_share after the last one. Returns 0 or -ENOMEM. */
int layout_add(struct layout *layout, struct box box, int rank);
/* Number the tiles of each owner, list the tiles of `rank`, and build the bins for
 * layout_find. Returns 0 or -ENOMEM. */
int layout_share(struct layout *layout, int rank, int ranks);
void layout_done(struct layout *layout); /* free the members of the struct; a zeroed
                                            struct is accepted */

/* Collect in `images` all tiles that have cells in `box`, which may reach across periodic
 * borders: a cell of tile t shifted by (di, dj) is in `box`. They are in order of shift,
 * and for each shift in order of tile. layout_share must have been called. Returns 0 or
 * -ENOMEM. */
int layout_find(const struct layout *layout, const struct space *space, struct box box,
                struct images *images);
void images_done(struct images *images);

/* Whether both layouts have the same boxes in the same order; owners may differ. */
int layout_equal(const struct layout *a, const struct layout *b);
int64_t layout_cells(const struct layout *layout);

static inline struct space space_refine(const struct space *space, int ratio)
{
    return (struct space){box_refine(space->box, ratio),
                          {space->periodic[0], space->periodic[1]}};
}

/* Return the part of a box that is inside the domain or across a periodic border. */
static inline struct box space_clip(const struct space *space, struct box b)
{
    struct box in = box_intersect(space->box, b);

    return (struct box){
        space->periodic[0] ? b.ilo : in.ilo, space->periodic[1] ? b.jlo : in.jlo,
        space->periodic[0] ? b.ihi : in.ihi, space->periodic[1] ? b.jhi : in.jhi};
}

#endif
