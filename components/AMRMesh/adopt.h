/* SPDX-License-Identifier: BSD-3-Clause */
/* adopt.h: a level whose patches are given, for a mesh that is built up again. */
#ifndef COMPONENTS_AMRMESH_ADOPT_H
#define COMPONENTS_AMRMESH_ADOPT_H

#include "components/AMRMesh/hierarchy.h"

/* As in the mesh port; `levels` is the most that the mesh may have. Collective. */
int adopt(struct hierarchy *h, int level, int levels, const struct mesh_box *boxes,
          int count, struct cca_error *err);

#endif
