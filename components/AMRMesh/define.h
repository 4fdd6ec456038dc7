/* SPDX-License-Identifier: BSD-3-Clause */
/* define.h: lay out the mesh: level 0 over the whole domain. */
#ifndef COMPONENTS_AMRMESH_DEFINE_H
#define COMPONENTS_AMRMESH_DEFINE_H

#include "components/AMRMesh/hierarchy.h"

struct define_rule {
    int levels;         /* most levels */
    int64_t patches[2]; /* least number of patches of level 0, in x and in y */
    int64_t most[2];    /* most cells of a patch in x and in y; 0: no limit */
};

/* Implements define of the mesh port; keeps the ports of `h`. Collective. */
int define(struct hierarchy *h, const struct mesh_domain *domain, int ghost,
           const struct define_rule *rule, struct cca_error *err);

#endif
