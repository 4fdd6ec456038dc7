/* SPDX-License-Identifier: BSD-3-Clause */
/* partitioners.c: the partitioners by name, and the one that never changes. */
#include <stdlib.h>
#include <string.h>

#include "mesh/balance/partition.h"

static void *copy(const void *from, size_t size)
{
    void *to = from ? malloc(size) : NULL;

    if (to)
        memcpy(to, from, size);
    return to;
}

static int keep_cut(void *context, const struct mesh_source *source, const float *weights,
                    int parts, const struct mesh_partition *before,
                    struct mesh_partition *out, struct cca_error *err)
{
    if (!before)
        return mesh_rcb.cut(context, source, weights, parts, before, out, err);
    *out = *before;
    out->boxes = copy(before->boxes, before->box_count * sizeof *out->boxes);
    out->owner =
        copy(before->owner, (size_t)mesh_source_cells(source) * sizeof *out->owner);
    return out->boxes || out->owner ? 0 : cca_no_memory(err);
}

const struct mesh_partitioner mesh_keep = {"keep", keep_cut, NULL};

const struct mesh_partitioner *const mesh_partitioners[] = {&mesh_rcb, &mesh_rcb_planes,
                                                            &mesh_keep, NULL};

const struct mesh_partitioner *mesh_partitioner_find(const char *name)
{
    for (int i = 0; mesh_partitioners[i]; i++)
        if (strcmp(mesh_partitioners[i]->name, name) == 0)
            return mesh_partitioners[i];
    return NULL;
}
