/* SPDX-License-Identifier: BSD-3-Clause */
/* gather.h: all patches of a field in one array on rank 0. */
#ifndef COMPONENTS_UNIFORMMESH_GATHER_H
#define COMPONENTS_UNIFORMMESH_GATHER_H

#include "components/UniformMesh/ghosts.h"

/* A field and how the ranks share it. */
struct gathering {
    const struct cut *x, *y;
    const struct ghosts *ghosts;
    const struct mesh_patch *patches; /* this rank's */
    double *const *data;              /* of each of them */
    int components;
};

/* Collect it in values[components][ny][nx] on rank 0. `port` is NULL where there is one
 * rank. 0; -ENOMEM, or what the port returned. Collective. */
int gather(const struct gathering *g, struct exchange_port *port, double *values);

#endif
