/* SPDX-License-Identifier: BSD-3-Clause */
/* redistribute.h: move patches to the owners that a balance port chooses. */
#ifndef COMPONENTS_UNIFORMMESH_REDISTRIBUTE_H
#define COMPONENTS_UNIFORMMESH_REDISTRIBUTE_H

#include "components/UniformMesh/mesh.h"
#include "ports/balance_port.h"

/* Ask the balance port for owners and move the patches to them. `ranks` is NULL if there
 * is only one rank.
 *
 *   step   in   as in balance_port.h
 *   moved  out  cells of a field that this rank received
 *
 * Returns 1 if patches have moved, 0, or a negative errno with `err`: the mesh is then
 * unchanged. Collective. */
int redistribute(struct uniform_mesh *m, struct balance_port *port,
                 struct exchange_port *ranks, int64_t step, int64_t *moved,
                 struct cca_error *err);

#endif
