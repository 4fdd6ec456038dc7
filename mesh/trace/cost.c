/* SPDX-License-Identifier: BSD-3-Clause */
/* cost.c: pack boxes to measure size and errors. Errors are computed from the decoded
 * values, not taken from the packer. */
#include "mesh/trace/cost.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

struct mesh_costing {
    struct mesh_bricks *bricks;
    struct mesh_cost cost;
    double squares;
    uint64_t finite;
    const struct mesh_box *box; /* the box that is being added */
    float *decoded; /* decoded values of the box: the caller's buffer, or `own` */
    float *own;
    size_t own_cells;
};

struct mesh_costing *mesh_costing_new(int dims, double eps, struct cca_error *err)
{
    struct mesh_costing *c;

    if (!(eps >= 0)) {
        cca_error_set(err, -EINVAL, "found eps %g, expected at least 0", eps);
        return NULL;
    }
    c = calloc(1, sizeof *c);
    if (!c || !(c->bricks = mesh_bricks_new(dims))) {
        cca_no_memory(err);
        free(c);
        return NULL;
    }
    c->cost.eps = eps;
    return c;
}

void mesh_costing_free(struct mesh_costing *costing)
{
    if (!costing)
        return;
    mesh_bricks_free(costing->bricks);
    free(costing->own);
    free(costing);
}

const struct mesh_cost *mesh_costing_result(const struct mesh_costing *costing)
{
    return &costing->cost;
}

/* Copy a decoded brick to its place in the box. */
static void scatter(const struct mesh_box *box, const struct mm_mesh_frame *brick,
                    const float *from, float *values)
{
    int64_t n1 = box->hi[1] - box->lo[1], n2 = box->hi[2] - box->lo[2];
    size_t row = (size_t)(brick->hi[2] - brick->lo[2]);

    for (int64_t i = brick->lo[0]; i < brick->hi[0]; i++)
        for (int64_t j = brick->lo[1]; j < brick->hi[1]; j++, from += row)
            memcpy(values + ((i - box->lo[0]) * n1 + j - box->lo[1]) * n2 + brick->lo[2] -
                       box->lo[2],
                   from, row * sizeof *from);
}

static int add_brick(void *context, const struct mm_mesh_frame *frame,
                     const void *payload, struct cca_error *err)
{
    struct mesh_costing *c = context;
    int method = mesh_pack_method_of(payload) & ~(MESH_PACK_TIME | MESH_PACK_SNAKE);

    (void)err;
    c->cost.blocks++;
    c->cost.bytes += frame->bytes;
    c->cost.file_bytes += sizeof *frame + (frame->bytes + 7) / 8 * 8;
    c->cost.methods[method]++;
    c->cost.chained += frame->previous != 0;
    scatter(c->box, frame, mesh_bricks_decoded(c->bricks), c->decoded);
    return 0;
}

static void compare(struct mesh_costing *c, const float *values, int64_t cells)
{
    const int64_t *lo = c->box->lo, *hi = c->box->hi;
    int64_t n1 = hi[1] - lo[1], n2 = hi[2] - lo[2], worst = -1;
    double sum = 0;

    for (int64_t i = 0; i < cells; i++) {
        double e = (double)c->decoded[i] - (double)values[i];

        if (!isfinite(values[i]))
            continue;
        c->finite++;
        c->squares += e * e;
        c->cost.sum += (double)values[i];
        sum += e;
        if (fabs(e) > c->cost.largest) {
            c->cost.largest = fabs(e);
            worst = i;
        }
    }
    c->cost.cells += (uint64_t)cells;
    c->cost.rms = c->finite ? sqrt(c->squares / (double)c->finite) : 0;
    c->cost.sum_error = fmax(c->cost.sum_error, fabs(sum));
    if (worst < 0)
        return;
    c->cost.worst_step = c->box->step;
    c->cost.worst_cell[0] = lo[0] + worst / n2 / n1;
    c->cost.worst_cell[1] = lo[1] + worst / n2 % n1;
    c->cost.worst_cell[2] = lo[2] + worst % n2;
}

int mesh_costing_add(struct mesh_costing *costing, const struct mesh_box *box,
                     const float *values, float *decoded, struct cca_error *err)
{
    int64_t cells =
        (box->hi[0] - box->lo[0]) * (box->hi[1] - box->lo[1]) * (box->hi[2] - box->lo[2]);
    int rc;

    if (!decoded && cca_array_extend(&costing->own, &costing->own_cells,
                                     sizeof *costing->own, (size_t)cells))
        return cca_no_memory(err);
    costing->box = box;
    costing->decoded = decoded ? decoded : costing->own;
    rc = mesh_bricks_pack(costing->bricks, box, costing->cost.eps, values, add_brick,
                          costing, err);
    if (!rc)
        compare(costing, values, cells);
    return rc;
}
