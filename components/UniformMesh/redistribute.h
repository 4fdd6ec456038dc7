/* SPDX-License-Identifier: BSD-3-Clause */
/* redistribute.h: patches to other ranks, as a balance port says. */
#ifndef COMPONENTS_UNIFORMMESH_REDISTRIBUTE_H
#define COMPONENTS_UNIFORMMESH_REDISTRIBUTE_H

#include "components/UniformMesh/mesh.h"
#include "ports/balance_port.h"

/* Ask for owners and give them the patches. `ranks` is NULL where there is one.
 *
 *   step   in   as in balance_port.h
 *   moved  out  cells of a field that came to this rank
 *
 * 1 where patches have moved, 0, or a negative errno with `err`: the mesh is then as it
 * was. Collective. */
int redistribute(struct uniform_mesh *m, struct balance_port *port,
                 struct exchange_port *ranks, int64_t step, int64_t *moved,
                 struct cca_error *err);

#endif
