/* SPDX-License-Identifier: BSD-3-Clause */
/* transfer.h: rectangles of cells copied from the tiles of one layout to those of
 * another, on this rank and between ranks: one message from each rank to each.
 *
 * All ranks plan all copies in the same order, so a message holds values only. */
#ifndef COMPONENTS_AMRMESH_TRANSFER_H
#define COMPONENTS_AMRMESH_TRANSFER_H

#include "components/AMRMesh/store.h"
#include "ports/exchange_port.h"

/* The ranks that share the mesh; `port` is NULL where there is one. */
struct ranks {
    struct exchange_port *port;
    int rank, size;
};

struct copy {
    int from, to;   /* tiles */
    struct box box; /* cells of the target */
    int64_t di, dj; /* target minus source */
};

struct copies {
    int count, room;
    struct copy *at;
    int64_t cells;
};

struct transfer {
    int size;           /* ranks */
    struct copies here; /* source and target on this rank */
    struct copies *out; /* [size], to other ranks */
    struct copies *in;  /* [size], from other ranks */
    double **buffers;   /* [2 size], of a transfer under way: to, from each rank */
};

/* What to copy: `now`, or between `old` (0) and `now` (1) at `fraction`; old may be NULL.
 * `to` has as many components. */
struct transfer_values {
    const struct layout *from_layout, *to_layout;
    const struct store *now, *old;
    double fraction;
    struct store *to;
};

/* No copies yet. 0 or -ENOMEM. */
int transfer_init(struct transfer *t, int size);
void transfer_done(struct transfer *t); /* also of a zeroed one */
/* Plan to copy `copy.box`; keeps it where this rank takes part. 0 or -ENOMEM. */
int transfer_add(struct transfer *t, const struct ranks *ranks,
                 const struct layout *from_layout, const struct layout *to_layout,
                 struct copy copy);
/* Plan to copy all cells of `box` (ghost cells are allowed) of tile `to` that tiles of
 * `from_layout` have, across periodic borders; not the tile's own cells to themselves
 * where both layouts are one. `images` is room for the search. 0 or -ENOMEM. */
int transfer_add_box(struct transfer *t, const struct ranks *ranks,
                     const struct layout *from_layout, const struct space *space,
                     const struct layout *to_layout, int to, struct box box,
                     struct images *images);

/* begin() starts the messages with tag `tag` and copies what is here; after the wait of
 * the port end() fills the rest. A begin that fails needs no end. 0 or a negative errno.
 */
int transfer_begin(struct transfer *t, const struct ranks *ranks, int tag,
                   const struct transfer_values *values);
void transfer_end(struct transfer *t, const struct transfer_values *values);
/* begin, wait and end. Collective. */
int transfer_run(struct transfer *t, const struct ranks *ranks, int tag,
                 const struct transfer_values *values);
int ranks_wait(const struct ranks *ranks);

/* Cells that this rank fills, and those of them that come from other ranks. */
int64_t transfer_cells(const struct transfer *t);
int64_t transfer_cells_received(const struct transfer *t);
/* The ranks that this one sends to or receives from, in either transfer; `other` may be
 * zeroed. */
int transfer_peers(const struct transfer *t, const struct transfer *other);

#endif
