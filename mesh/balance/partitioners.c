/* SPDX-License-Identifier: BSD-3-Clause */
/* partitioners.c: the partitioners by name, and the one that never changes. */
#include <stdlib.h>
#include <string.h>

#include "common/nearest.h"
#include "mesh/balance/open.h"

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

static int no_weights(void *context, int64_t t, float *weights, struct cca_error *err)
{
    (void)context;
    (void)t;
    (void)weights;
    return cca_error_set(err, -ENOTSUP, "the weights of a shape");
}

int mesh_partition_grid(const char *partitioner, const int64_t n[3], const float *weights,
                        int parts, int32_t *owners, struct cca_error *err)
{
    struct mesh_source source = {3, {n[0], n[1], n[2]}, NULL, 1, NULL, no_weights, NULL};
    struct mesh_partition partition = {0};
    struct mesh_partitioner way;
    int64_t cells = mesh_source_cells(&source);
    uint16_t *small = malloc((size_t)cells * sizeof *small);
    int rc = small ? mesh_partitioner_open(&way, partitioner, &source, err)
                   : cca_no_memory(err);

    if (!small)
        return rc;
    if (!rc)
        rc = way.cut(way.context, &source, weights, parts, NULL, &partition, err);
    if (!rc) {
        mesh_partition_owners(&source, &partition, small);
        for (int64_t c = 0; c < cells; c++)
            owners[c] = small[c];
    }
    mesh_partition_free(&partition);
    mesh_partitioner_close(&way);
    free(small);
    return rc;
}
