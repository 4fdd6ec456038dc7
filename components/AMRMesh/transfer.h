/* SPDX-License-Identifier: BSD-3-Clause */
/* transfer.h: find copies of cells between the tiles of layouts by box, and make the
 * copies that the mesh does not pass to its `ghosts` port.
 *
 * All ranks find all copies in the same order and keep the copies that they take part
 * in. */
#ifndef COMPONENTS_AMRMESH_TRANSFER_H
#define COMPONENTS_AMRMESH_TRANSFER_H

#include "components/AMRMesh/store.h"
#include "components/neighbours.h"

/* The ranks that share the mesh; `port` is NULL if there is only one. */
struct ranks {
    struct exchange_port *port;
    int rank, size;
};

/* Source of copies: the tiles of a level, and the number that identifies their values
 * (member `part` of a copy). */
struct source {
    const struct layout *layout;
    const struct space *space;
    int ghost, part;
};

/* Position of the cells of a box in the array of a patch. */
struct place {
    int rank, patch;
    struct box box;
    ptrdiff_t first; /* offset of the box's first cell */
    ptrdiff_t pitch, plane;
};

/* Return the array of a tile with its ghost cells. */
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

/* Append the copy of `box`, in cells of the target, from the place `from`, whose cells
 * are shifted by (di, dj) against the target's. It is appended only if this rank takes
 * part in it. Returns 0 or -ENOMEM. */
int transfer_add(struct copies *copies, const struct ranks *ranks, int part,
                 const struct place *from, int64_t di, int64_t dj, const struct place *to,
                 struct box box);

/* Append the copies of all cells of `box` from tiles of the source, also across periodic
 * borders.
 *
 *   self    in   the target tile if it is one of the source's tiles: its own cells are
 *                left out; -1: none
 *   images  out  the source's tiles in the box, including `self`
 *
 * Returns 0 or -ENOMEM. */
int transfer_add_box(struct copies *copies, const struct ranks *ranks,
                     const struct source *source, const struct place *to, struct box box,
                     int self, struct images *images);

/* Make a new schedule of the copies. Returns 0 or -ENOMEM. */
int transfer_plan(struct neighbours *n, const struct ranks *ranks,
                  const struct copies *copies);
/* Carry out the copies, with messages of tag `tag`. Returns 0 or a negative errno.
 * Collective. */
int transfer_run(struct neighbours *n, const struct ranks *ranks, int tag,
                 const struct copy_values *values);

#endif
