/* SPDX-License-Identifier: BSD-3-Clause */
/* planes.c: recursive coordinate bisection by whole planes, with loads from a summed-area
 * table. */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/balance/partition.h"
#include "mesh/balance/parts.h"

/* Return where a box is cut along its longest side; 0: it is a single cell. */
static int32_t best_plane(const struct mesh_table *table, const struct mesh_part_box *box,
                          int parts, int *side)
{
    double all = mesh_table_sum(table, box), best = DBL_MAX;
    struct mesh_part_box left = *box;
    int left_parts = parts / 2, d = 0;
    int32_t at = 0;

    for (int e = 1; e < 3; e++)
        if (box->hi[e] - box->lo[e] > box->hi[d] - box->lo[d])
            d = e;
    *side = d;
    for (int32_t x = box->lo[d] + 1; x < box->hi[d]; x++) {
        double larger;

        left.hi[d] = x;
        larger = all > 0 ? mesh_larger_side(mesh_table_sum(table, &left), all, left_parts,
                                            parts - left_parts)
                         : mesh_larger_side(x - box->lo[d], box->hi[d] - box->lo[d],
                                            left_parts, parts - left_parts);
        if (larger < best) {
            best = larger;
            at = x;
        }
    }
    return at;
}

static void cut_planes(const struct mesh_table *table, struct mesh_part_box box,
                       int parts, struct mesh_partition *out)
{
    struct mesh_part_box right = box;
    int d = 0;
    int32_t at = parts > 1 ? best_plane(table, &box, parts, &d) : 0;

    if (at == 0) {
        out->boxes[out->box_count++] = box;
        return;
    }
    box.hi[d] = right.lo[d] = at;
    right.part += parts / 2;
    cut_planes(table, box, parts / 2, out);
    cut_planes(table, right, parts - parts / 2, out);
}

int mesh_rcb_by_table(const struct mesh_table *table, int parts,
                      struct mesh_partition *out)
{
    struct mesh_part_box all = {{0, 0, 0}, {0, 0, 0}, 0};

    memset(out, 0, sizeof *out);
    out->parts = parts;
    out->boxes = malloc((size_t)parts * sizeof *out->boxes);
    if (!out->boxes)
        return -ENOMEM;
    for (int d = 0; d < 3; d++)
        all.hi[d] = (int32_t)table->n[d];
    cut_planes(table, all, parts, out);
    return 0;
}

static int planes_cut(void *context, const struct mesh_source *source,
                      const float *weights, int parts,
                      const struct mesh_partition *before, struct mesh_partition *out,
                      struct cca_error *err)
{
    struct mesh_table table;
    int rc;

    (void)context;
    (void)before;
    if (source->centres)
        return cca_error_set(err, -EINVAL, "rcb:planes: found elements without a grid");
    rc = mesh_table_new(&table, source->n);
    if (!rc) {
        mesh_table_fill(&table, weights);
        rc = mesh_rcb_by_table(&table, parts, out);
    }
    mesh_table_free(&table);
    return rc ? cca_no_memory(err) : 0;
}

const struct mesh_partitioner mesh_rcb_planes = {"rcb:planes", planes_cut, NULL, NULL};
