/* SPDX-License-Identifier: BSD-3-Clause */
/* cost.h: what values would take in a profile with a bound on the error of each, and how
 * far off they would be: packed as the writer packs them, decoded, compared, thrown away.
 *
 *     struct mesh_costing *c = mesh_costing_new(3, .05, err);
 *     for each step: for each box: mesh_costing_add(c, &box, values, decoded, err);
 *     printf("%g: %llu bytes\n", .05, mesh_costing_result(c)->file_bytes);
 *     mesh_costing_free(c);
 *
 * One for each bound and probe. One thread at a time. */
#ifndef MESH_TRACE_COST_H
#define MESH_TRACE_COST_H

#include "mesh/pack/pack.h"
#include "mesh/trace/bricks.h"

struct mesh_costing;

struct mesh_cost {
    double eps;
    uint64_t cells, blocks;
    uint64_t bytes;      /* of packed values; as floats they are 4 * cells */
    uint64_t file_bytes; /* with the heads of their frames */
    double largest;      /* |decoded - given|, of all finite values */
    double rms;
    double sum;       /* of finite values as given */
    double sum_error; /* the largest |sum as decoded - sum as given| of a box in a step */
    int64_t worst_step, worst_cell[3];   /* where `largest` is */
    uint64_t methods[MESH_PACK_METHODS]; /* blocks by method, without additions */
    uint64_t chained;                    /* blocks that need the one before */
};

/* New, for boxes of `dims` dimensions; freed by mesh_costing_free, NULL is fine. NULL
 * with `err`: -EINVAL eps is negative or no number, -ENOMEM. */
struct mesh_costing *mesh_costing_new(int dims, double eps, struct cca_error *err);
void mesh_costing_free(struct mesh_costing *costing);

/* Add the values of a box in a step, C order; steps in ascending order. `decoded`, where
 * not NULL, gets them as a reader will have them. 0 or -ENOMEM. */
int mesh_costing_add(struct mesh_costing *costing, const struct mesh_box *box,
                     const float *values, float *decoded, struct cca_error *err);

/* Of all that was added; owned by `costing`, until the next add. */
const struct mesh_cost *mesh_costing_result(const struct mesh_costing *costing);

#endif
