/* SPDX-License-Identifier: BSD-3-Clause */
/* mesh.h: an instance of UniformMesh, shared by the files of its folder. */
#ifndef COMPONENTS_UNIFORMMESH_MESH_H
#define COMPONENTS_UNIFORMMESH_MESH_H

#include <stdlib.h>

#include "components/UniformMesh/ghosts.h"
#include "components/UniformMesh/patch.h"
#include "framework/cca.h"

struct field {
    char *name;
    int components;
    enum mesh_field_kind kind;
    double **data; /* [patch_count] */
};

struct uniform_mesh {
    struct mesh_port mesh;
    struct cca_services *services;
    struct mesh_domain domain;
    struct cut x, y;
    struct ghosts ghosts;
    int defined;
    int ghost;
    int patch_count; /* number of this rank's patches */
    struct mesh_patch *patches;
    int field_count;
    struct field *fields;
};

static inline void field_data_free(struct field *field, int patch_count)
{
    for (int i = 0; field->data && i < patch_count; i++)
        free(field->data[i]);
    free(field->data);
}

/* Make descriptions of this rank's patches in `ghosts`, [count], or NULL: out of
 * memory. */
static inline struct mesh_patch *patches_make(const struct uniform_mesh *m,
                                              const struct ghosts *ghosts)
{
    struct mesh_patch *patches = calloc((size_t)ghosts->count + 1, sizeof *patches);

    for (int index = 0; patches && index < ghosts->count; index++)
        patches[index] =
            patch_place(&m->domain, &m->x, &m->y, ghosts->mine[index], index, m->ghost);
    return patches;
}

#endif
