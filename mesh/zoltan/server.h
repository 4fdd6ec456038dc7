/* SPDX-License-Identifier: BSD-3-Clause */
/* server.h: the program mesh-zoltan, the only one that is linked with Zoltan. */
#ifndef MESH_ZOLTAN_SERVER_H
#define MESH_ZOLTAN_SERVER_H

#include "mesh/zoltan/wire.h"

/* State of a rank of mesh-zoltan. All ranks have the same `hello` (first message from the
 * parent process) and the same `centres`. */
struct mesh_server {
    struct mesh_zoltan_hello hello;
    int rank, ranks;
    int64_t cells;
    double *centres; /* centres of elements, [3 * cells], or NULL */
    float *weights;  /* weight of each cell, [cells] */
    int32_t *owners; /* part of each cell, [cells]; after mesh_server_cut valid for the
                        cells of this rank only */
};

/* Return the first cell of a rank's share, in C order; `rank` may be `ranks`. */
static inline int64_t mesh_server_first(const struct mesh_server *server, int rank)
{
    return server->cells * rank / server->ranks;
}
/* Return the rank whose share contains a cell. */
static inline int mesh_server_owner(const struct mesh_server *server, int64_t cell)
{
    return (int)(((cell + 1) * server->ranks - 1) / server->cells);
}

/* Partition by the weights into `parts`; collective. Owners of this rank's cells go into
 * server->owners. Returns 0, or a negative errno with a message of at most `size` bytes.
 */
int mesh_server_cut(struct mesh_server *server, int parts, char *text, int size);

#endif
