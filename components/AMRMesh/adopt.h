/* SPDX-License-Identifier: BSD-3-Clause */
/* adopt.h: install given patches as a level, for a mesh that is restored. */
#ifndef COMPONENTS_AMRMESH_ADOPT_H
#define COMPONENTS_AMRMESH_ADOPT_H

#include "components/AMRMesh/hierarchy.h"

/* Implements adopt of the mesh port; `levels` is the largest number of levels.
 * Collective. */
int adopt(struct hierarchy *h, int level, int levels, const struct mesh_box *boxes,
          int count, struct cca_error *err);

#endif
