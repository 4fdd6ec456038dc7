/* SPDX-License-Identifier: BSD-3-Clause */
/* partitioners.c: the table of partitioners by name, and the partitioner `mesh_keep`,
 * which never changes a partition. */
#include <stdlib.h>
#include <string.h>

#include "common/nearest.h"
#include "mesh/balance/parts.h"

static int keep_cut(void *context, const struct mesh_source *source, const float *weights,
                    int parts, const struct mesh_partition *before,
                    struct mesh_partition *out, struct cca_error *err)
{
    if (!before)
        return mesh_rcb.cut(context, source, weights, parts, before, out, err);
    return mesh_partition_copy(source, before, out) ? cca_no_memory(err) : 0;
}

const struct mesh_partitioner mesh_keep = {"keep", keep_cut, NULL, NULL};

const char *const mesh_partitioner_names[] = {"rcb",    "rcb:planes", "hilbert",
                                              "greedy", "keep",       NULL};

static int unknown(const char *name, struct cca_error *err)
{
    struct cca_nearest nearest;
    char hint[96];

    cca_nearest_init(&nearest, name);
    for (int i = 0; mesh_partitioner_names[i]; i++)
        cca_nearest_offer(&nearest, mesh_partitioner_names[i]);
    return cca_error_set(
        err, -EINVAL,
        "partitioner: found %.80s, expected rcb, rcb:planes, hilbert, greedy or keep%s",
        name, cca_nearest_hint(nearest.best, hint, sizeof hint));
}

int mesh_partitioner_open(struct mesh_partitioner *partitioner, const char *name,
                          const struct mesh_source *source, struct cca_error *err)
{
    memset(partitioner, 0, sizeof *partitioner);
    if (strcmp(name, "rcb") == 0)
        return mesh_rcb_open(partitioner, source, err);
    if (strcmp(name, "hilbert") == 0)
        return mesh_hilbert_open(partitioner, source, err);
    if (strcmp(name, "greedy") == 0)
        return mesh_greedy_open(partitioner, source, err);
    if (strcmp(name, "rcb:planes") != 0 && strcmp(name, "keep") != 0)
        return unknown(name, err);
    *partitioner = *name == 'k' ? mesh_keep : mesh_rcb_planes;
    if (source->centres && *name != 'k')
        return cca_error_set(err, -EINVAL, "rcb:planes: found elements without a grid");
    return 0;
}

void mesh_partitioner_close(struct mesh_partitioner *partitioner)
{
    if (partitioner->close)
        partitioner->close(partitioner->context);
    memset(partitioner, 0, sizeof *partitioner);
}
