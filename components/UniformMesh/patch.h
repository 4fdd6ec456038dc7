/* SPDX-License-Identifier: BSD-3-Clause */
/* patch.h: one patch of a grid of patches. */
#ifndef COMPONENTS_UNIFORMMESH_PATCH_H
#define COMPONENTS_UNIFORMMESH_PATCH_H

#include "components/UniformMesh/cut.h"
#include "ports/mesh_port.h"

/* Describe patch `number` of the two cuts, counted row by row, with index `index` on its
 * rank. */
struct mesh_patch patch_place(const struct mesh_domain *domain, const struct cut *x,
                              const struct cut *y, int number, int index, int ghost);

#endif
