/* SPDX-License-Identifier: BSD-3-Clause */
/* cost.h: measure the size of values in a profile for a given bound on each error, and
 * the actual errors: values are packed as the writer packs them, decoded, compared and
 * discarded.
 *
 *     struct mesh_costing *c = mesh_costing_new(3, .05, err);
 *     for each step: for each box: mesh_costing_add(c, &box, values, decoded, err);
 *     printf("%g: %llu bytes\n", .05, mesh_costing_result(c)->file_bytes);
 *     mesh_costing_free(c);
 *
 * Use one object for each bound and probe. One thread at a time. */
#ifndef MESH_TRACE_COST_H
#define MESH_TRACE_COST_H

#include "mesh/pack/pack.h"
#include "mesh/trace/bricks.h"

struct mesh_costing;

struct mesh_cost {
    double eps;
    uint64_t cells, blocks;
    uint64_t bytes;      /* bytes of packed values; as floats they would take 4 * cells */
    uint64_t file_bytes; /* bytes of packed values with the headers of their frames */
    double largest;      /* maximum of |decoded - given| over finite values */
    double rms;
    double sum;       /* sum of the given values that are finite */
    double sum_error; /* maximum of |sum of decoded - sum of given| over boxes */
    int64_t worst_step, worst_cell[3];   /* step and cell of the largest error */
    uint64_t methods[MESH_PACK_METHODS]; /* number of blocks by method, without flags */
    uint64_t chained; /* number of blocks whose decoding needs the previous block */
};

/* Make an object that measures boxes of `dims` dimensions. Returns NULL with `err`:
 * -EINVAL: eps is negative or not a number; -ENOMEM. mesh_costing_free frees it; NULL is
 * fine. */
struct mesh_costing *mesh_costing_new(int dims, double eps, struct cca_error *err);
void mesh_costing_free(struct mesh_costing *costing);

/* Add the values of a box in a step, C order; steps ascend. `decoded`, if not NULL, gets
 * the values as a reader will decode them. Returns 0 or -ENOMEM. */
int mesh_costing_add(struct mesh_costing *costing, const struct mesh_box *box,
                     const float *values, float *decoded, struct cca_error *err);

/* Return the totals over all values that were added; owned by `costing`, valid until the
 * next call of mesh_costing_add. */
const struct mesh_cost *mesh_costing_result(const struct mesh_costing *costing);

#endif
