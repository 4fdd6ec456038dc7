/* SPDX-License-Identifier: BSD-3-Clause */
/* gather.h: gather all patches of a field in one array on rank 0. */
#ifndef COMPONENTS_UNIFORMMESH_GATHER_H
#define COMPONENTS_UNIFORMMESH_GATHER_H

#include "components/UniformMesh/ghosts.h"

/* A field and its distribution over ranks. */
struct gathering {
    const struct cut *x, *y;
    const struct ghosts *ghosts;
    const struct mesh_patch *patches; /* this rank's patches */
    double *const *data;              /* field values of each of them */
    int components;
};

/* Gather the field in values[components][ny][nx] on rank 0. `port` is NULL if there is
 * only one rank. Returns 0; -ENOMEM, or the port's error. Collective. */
int gather(const struct gathering *g, struct exchange_port *port, double *values);

#endif
