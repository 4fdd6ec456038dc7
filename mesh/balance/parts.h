/* SPDX-License-Identifier: BSD-3-Clause */
/* parts.h: functions that the files of this folder share. */
#ifndef MESH_BALANCE_PARTS_H
#define MESH_BALANCE_PARTS_H

#include <stdint.h>

#include "mesh/balance/partition.h"
#include "mesh/balance/policy.h"
#include "mesh/balance/source.h"

/* --- ahead --------------------------------------------------------------- */

/* The policies expect (estimates future losses) and look:H (sees H steps of a
 * trace). */

/* Policy expect: whether repartitioning now is worth its price. Returns 1, 0 or -ENOMEM.
 */
int mesh_expect(struct mesh_policy *policy, const struct mesh_seen *seen);

/* Policy look:H: at each step, find the cheapest schedule of the next `ahead` steps, as
 * the oracle does, and take its first decision. Returns 0 or -ENOMEM. */
int mesh_look(const struct mesh_loads *loads, const struct mesh_price *price,
              int64_t ahead, unsigned char *schedule);

/* --- open ---------------------------------------------------------------- */

/* Partitioners that keep data about their source. Each function is like
 * mesh_partitioner_open (partition.h). */

int mesh_rcb_open(struct mesh_partitioner *partitioner, const struct mesh_source *source,
                  struct cca_error *err);
int mesh_hilbert_open(struct mesh_partitioner *partitioner,
                      const struct mesh_source *source, struct cca_error *err);
int mesh_greedy_open(struct mesh_partitioner *partitioner,
                     const struct mesh_source *source, struct cca_error *err);

/* --- places.c ------------------------------------------------------------ */

/* Positions in each dimension: of a cell of a grid, its coordinate; of an element, the
 * rank of its coordinate among the distinct coordinates of all elements. */
struct mesh_places {
    int32_t *at[3];
    double *value[3]; /* [dimension][rank]: the coordinate with this rank; NULL: a grid,
                         where the rank is the coordinate */
};

/* Compute the positions. Returns 0; -EDOM: a coordinate is infinite or not a number;
 * -ENOMEM. Freed by mesh_places_done in all cases. */
int mesh_places_init(struct mesh_places *places, const struct mesh_source *source,
                     struct cca_error *err);
void mesh_places_done(struct mesh_places *places);

/* Return the distance in dimension `d` from the coordinate of rank `lo` to that of rank
 * `hi`. */
static inline double mesh_places_length(const struct mesh_places *places, int d,
                                        int32_t lo, int32_t hi)
{
    return places->value[d] ? places->value[d][hi] - places->value[d][lo]
                            : (double)(hi - lo);
}

/* Return the objective of cutting the load `all` into `left` and the rest: the larger
 * load of the two sides, each divided by the side's number of parts. */
static inline double mesh_larger_side(double left, double all, int left_parts,
                                      int right_parts)
{
    double l = left / left_parts, r = (all - left) / right_parts;

    return l > r ? l : r;
}

/* --- table.c ------------------------------------------------------------- */

struct mesh_table {
    int64_t n[3];
    int64_t stride[2]; /* strides of dimensions 0 and 1 in `sums` */
    double *sums; /* [n0 + 1][n1 + 1][n2 + 1]: at i, j, k the sum of the weights of all
                     cells with smaller coordinates than i, j and k */
};

/* Make a table for n[0] x n[1] x n[2] cells. Returns 0 or -ENOMEM; freed by
 * mesh_table_free in both cases. */
int mesh_table_new(struct mesh_table *table, const int64_t n[3]);
void mesh_table_free(struct mesh_table *table);

/* Fill the table from the weights of all cells, dimension 2 fastest. */
void mesh_table_fill(struct mesh_table *table, const float *weights);

/* Return the sum of the weights of all cells in a box. */
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
 * `table`. Returns 0 or -ENOMEM. */
int mesh_rcb_by_table(const struct mesh_table *table, int parts,
                      struct mesh_partition *out);

#endif
