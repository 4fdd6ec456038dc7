/* SPDX-License-Identifier: BSD-3-Clause */
/* table.h: a summed-area table (Crow 1984) in three dimensions: the weight of any box of
 * cells in eight look-ups. */
#ifndef MESH_BALANCE_TABLE_H
#define MESH_BALANCE_TABLE_H

#include <stdint.h>

#include "mesh/balance/partition.h"

struct mesh_table {
    int64_t n[3];
    int64_t stride[2]; /* strides of dimensions 0 and 1 in `sums` */
    double *sums; /* [n0 + 1][n1 + 1][n2 + 1]: at i, j, k the sum of the weights of all
                   * cells below i, j and k */
};

/* A table for n[0] x n[1] x n[2] cells. 0 or -ENOMEM; freed by mesh_table_free in both
 * cases. */
int mesh_table_new(struct mesh_table *table, const int64_t n[3]);
void mesh_table_free(struct mesh_table *table);

/* Fill the table from the weights of all cells, dimension 2 fastest. */
void mesh_table_fill(struct mesh_table *table, const float *weights);

/* The sum of the weights of all cells in a box. */
static inline double mesh_table_sum(const struct mesh_table *table,
                                    const struct mesh_part_box *box)
{
    const double *a = table->sums + box->lo[0] * table->stride[0];
    const double *b = table->sums + box->hi[0] * table->stride[0];
    int64_t ll = box->lo[1] * table->stride[1] + box->lo[2];
    int64_t lh = box->lo[1] * table->stride[1] + box->hi[2];
    int64_t hl = box->hi[1] * table->stride[1] + box->lo[2];
    int64_t hh = box->hi[1] * table->stride[1] + box->hi[2];

    return ((b[hh] - b[hl]) - (b[lh] - b[ll])) - ((a[hh] - a[hl]) - (a[lh] - a[ll]));
}

/* Partition like mesh_rcb_planes, with the weights that mesh_table_fill has summed in
 * `table`. 0 or -ENOMEM. */
int mesh_rcb_by_table(const struct mesh_table *table, int parts,
                      struct mesh_partition *out);

#endif
