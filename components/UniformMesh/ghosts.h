/* SPDX-License-Identifier: BSD-3-Clause */
/* ghosts.h: owners of patches, and their ghost cells: copies within a rank, and one
 * message from each rank to each neighbour rank.
 *
 * Patches are counted over all ranks here. Initially rank r of R has patches P r / R up
 * to P (r + 1) / R of P; a rank may have none. */
#ifndef COMPONENTS_UNIFORMMESH_GHOSTS_H
#define COMPONENTS_UNIFORMMESH_GHOSTS_H

#include "components/UniformMesh/cut.h"
#include "ports/exchange_port.h"
#include "ports/mesh_port.h"

/* A rectangle of cells of a patch of this rank; ghost cells have negative indices or
 * indices beyond the interior. */
struct piece {
    int patch; /* index among this rank's patches */
    int i, j, nx, ny;
};

struct message {
    int count;
    struct piece *pieces;
    size_t cells;
    double *buffer; /* [cells][components] values of the message, for at most
                     * `components` components */
};

struct ghosts {
    int rank, ranks;
    int *owners; /* [patches] rank of each patch */
    int *locals; /* [patches] index among this rank's patches, or -1 */
    int count;   /* number of this rank's patches */
    int *mine;   /* [count] indices of this rank's patches among all patches, ascending */
    struct message *out, *in; /* [ranks] messages to and from each rank */
    int components;           /* number of components that fit into the buffers */
};

/* Return the initial rank of a patch. */
static inline int ghosts_owner(int patches, int ranks, int patch)
{
    return (int)(((int64_t)(patch + 1) * ranks - 1) / patches);
}

/* Distribute the patches of two cuts over ranks, to owners[patches] or, if this is NULL,
 * to the initial ranks, and plan the messages. Returns 0 or -ENOMEM. */
int ghosts_init(struct ghosts *ghosts, const struct cut *x, const struct cut *y, int rank,
                int ranks, const int *owners);
void ghosts_done(struct ghosts *ghosts); /* free the members of the struct; a zeroed
                                            struct is accepted */
/* Allocate buffers for fields of `components` components. Returns 0 or -ENOMEM. */
int ghosts_reserve(struct ghosts *ghosts, int components);

/* Fill the ghost cells of this rank's patches whose owners are on this rank, too. Returns
 * their number. */
int64_t ghosts_copy(const struct ghosts *ghosts, const struct cut *x, const struct cut *y,
                    const struct mesh_patch *patches, double *const *data,
                    int components);

/* ghosts_begin() starts to send and receive; ghosts_end() waits, fills the ghost cells
 * and adds their number to `*cells`.
 *
 *   patches  in       [count], this rank's
 *   data     in, out  [count], their fields of `components` components
 *
 * Both return 0 or the port's negative errno. Call ghosts_end() only after a
 * ghosts_begin() that succeeded. */
int ghosts_begin(struct ghosts *ghosts, struct exchange_port *port,
                 const struct mesh_patch *patches, double *const *data, int components);
int ghosts_end(struct ghosts *ghosts, struct exchange_port *port,
               const struct mesh_patch *patches, double *const *data, int components,
               int64_t *cells);

/* Compute the bytes that one exchange sends and receives. The next function returns the
 * number of ranks with which this rank communicates. */
int64_t ghosts_bytes(const struct ghosts *ghosts, int components);
int ghosts_peers(const struct ghosts *ghosts);

#endif
