/* SPDX-License-Identifier: BSD-3-Clause */
/* transfer.h: copies of cells between the tiles of layouts, found by box, and run where
 * the mesh does not leave that to its ghosts port.
 *
 * All ranks find all copies in the same order and keep those that they take part in. */
#ifndef COMPONENTS_AMRMESH_TRANSFER_H
#define COMPONENTS_AMRMESH_TRANSFER_H

#include "components/AMRMesh/store.h"
#include "components/neighbours.h"

/* The ranks that share the mesh; `port` is NULL where there is one. */
struct ranks {
    struct exchange_port *port;
    int rank, size;
};

/* Where copies come from: the tiles of a level, and the part of the values that they are.
 */
struct source {
    const struct layout *layout;
    const struct space *space;
    int ghost, part;
};

/* Where the cells of a box stand in the array of a patch. */
struct place {
    int rank, patch;
    struct box box;
    ptrdiff_t first; /* of the box's first cell */
    ptrdiff_t pitch, plane;
};

/* A tile with its ghost cells. */
static inline struct place tile_place(const struct tile *tile, int ghost)
{
    struct box box = box_grow(tile->box, ghost);

    return (struct place){tile->rank,
                          tile->local,
                          box,
                          0,
                          (ptrdiff_t)box_nx(box),
                          (ptrdiff_t)box_cells(box)};
}

/* Append the copy of `box`, cells of the target, from the place `from`, whose cells are
 * shifted by (di, dj) to the target's, where this rank takes part. 0 or -ENOMEM. */
int transfer_add(struct copies *copies, const struct ranks *ranks, int part,
                 const struct place *from, int64_t di, int64_t dj, const struct place *to,
                 struct box box);

/* Append the copies of all cells of `box` that the source's tiles have, across periodic
 * borders.
 *
 *   self    in   the tile that is the target, whose own cells are left out; -1: none
 *   images  out  the source's tiles in the box, that one included
 *
 * 0 or -ENOMEM. */
int transfer_add_box(struct copies *copies, const struct ranks *ranks,
                     const struct source *source, const struct place *to, struct box box,
                     int self, struct images *images);

/* Schedule the copies anew. 0 or -ENOMEM. */
int transfer_plan(struct neighbours *n, const struct ranks *ranks,
                  const struct copies *copies);
/* Run them, with messages of tag `tag`. 0 or a negative errno. Collective. */
int transfer_run(struct neighbours *n, const struct ranks *ranks, int tag,
                 const struct copy_values *values);

#endif
