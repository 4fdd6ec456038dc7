/* SPDX-License-Identifier: BSD-3-Clause */
/* define.h: a mesh laid out afresh: level 0 over the whole domain. */
#ifndef COMPONENTS_AMRMESH_DEFINE_H
#define COMPONENTS_AMRMESH_DEFINE_H

#include "components/AMRMesh/hierarchy.h"

struct define_rule {
    int levels;         /* at most */
    int64_t patches[2]; /* of level 0, in x and in y, at least */
    int64_t most[2];    /* cells of a patch in x and in y; 0: any number */
};

/* As in the mesh port; the ports are those of `h`. Collective. */
int define(struct hierarchy *h, const struct mesh_domain *domain, int ghost,
           const struct define_rule *rule, struct cca_error *err);

#endif
