/* SPDX-License-Identifier: BSD-3-Clause */
/* ghosts.h: which rank has which patch, and the ghost cells: copies within a rank, and
 * one message from each rank to each rank next to it.
 *
 * Patches are counted over all ranks here. At first rank r of R has patches P r / R up to
 * P (r + 1) / R of P; a rank may have none. */
#ifndef COMPONENTS_UNIFORMMESH_GHOSTS_H
#define COMPONENTS_UNIFORMMESH_GHOSTS_H

#include "components/UniformMesh/cut.h"
#include "ports/exchange_port.h"
#include "ports/mesh_port.h"

/* A rectangle of cells of a patch of this rank; ghost cells have negative numbers. */
struct piece {
    int patch; /* among this rank's */
    int i, j, nx, ny;
};

struct message {
    int count;
    struct piece *pieces;
    size_t cells;
    double *buffer; /* [cells][components], for this number of components */
};

struct ghosts {
    int rank, ranks;
    int *owners;              /* [patches]: the rank of each */
    int *locals;              /* [patches]: its number among those of this rank, or -1 */
    int count;                /* patches of this rank */
    int *mine;                /* [count]: they, in order */
    struct message *out, *in; /* [ranks], to and from each */
    int components;           /* the buffers have room for these */
};

/* The rank that has a patch at first. */
static inline int ghosts_owner(int patches, int ranks, int patch)
{
    return (int)(((int64_t)(patch + 1) * ranks - 1) / patches);
}

/* Give the patches of two cuts to ranks, as owners[patches] says or where that is NULL as
 * at first, and plan their messages. 0 or -ENOMEM. */
int ghosts_init(struct ghosts *ghosts, const struct cut *x, const struct cut *y, int rank,
                int ranks, const int *owners);
void ghosts_done(struct ghosts *ghosts); /* also of a zeroed one */
/* Make room for fields of so many components. 0 or -ENOMEM. */
int ghosts_reserve(struct ghosts *ghosts, int components);

/* Fill the ghost cells whose owners are on this rank, of the patches of both cuts.
 * Returns their number. */
int64_t ghosts_copy(const struct ghosts *ghosts, const struct cut *x, const struct cut *y,
                    const struct mesh_patch *patches, double *const *data,
                    int components);

/* begin() starts to send and receive; end() waits, fills the ghost cells and adds their
 * number to `*cells`.
 *
 *   patches  in       [count], this rank's
 *   data     in, out  [count], their fields of `components` components
 *
 * 0 or the port's negative errno. Call end() only after a begin() that succeeded. */
int ghosts_begin(struct ghosts *ghosts, struct exchange_port *port,
                 const struct mesh_patch *patches, double *const *data, int components);
int ghosts_end(struct ghosts *ghosts, struct exchange_port *port,
               const struct mesh_patch *patches, double *const *data, int components,
               int64_t *cells);

/* What one exchange sends and receives, and the ranks it does so with. */
int64_t ghosts_bytes(const struct ghosts *ghosts, int components);
int ghosts_peers(const struct ghosts *ghosts);

#endif
