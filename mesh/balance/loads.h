/* SPDX-License-Identifier: BSD-3-Clause */
/* loads.h: the load of every partition of a trace at every later step.
 *
 * A partition made at step s depends on the weights of step s only. So schedules need two
 * tables: M[s][k], k >= s, the largest load of a part at step k under the partition of
 * step s, and the number of cells that change owner between the partitions of s and t. */
#ifndef MESH_BALANCE_LOADS_H
#define MESH_BALANCE_LOADS_H

#include "mesh/balance/partition.h"

struct mesh_loads {
    int64_t steps;
    int parts, lag;
    int64_t cells;
    double *largest; /* [steps * (steps + 1) / 2] by mesh_pair(c, k): the largest load of
                        a part at step k under partitions[c] */
    int32_t *moved;  /* by mesh_pair(c, k): number of cells that have another owner in
                        partitions[k] than in partitions[c] */
    double *mean;    /* [steps]: total weight / parts */
    float *heaviest; /* [steps]: the largest weight of a cell */
    int64_t *heaviest_at; /* [steps]: index of the cell with the largest weight, the first
                             on a tie */
    struct mesh_partition *partitions; /* [steps]: the partition made of the weights of
                                        * each step */
};

/* Called to report progress: `done` of `all` steps. May be NULL. */
typedef void mesh_progress_fn(void *context, int64_t done, int64_t all);

struct mesh_loads_wish {
    int parts; /* number of parts, 1 to MESH_PARTS */
    int lag; /* 0: a partition that begins at step s is made of the weights of step s, as
                in docs/papers/mesh.md; 1: it is made of the weights of step s - 1, as in
                a running program (at step 0 of step 0) */
    int direct; /* true: sum cell by cell, also where a partition is a list of boxes, to
                   check the tables of sums */
    mesh_progress_fn *progress; /* function called with progress; NULL: none */
    void *context;              /* first argument of `progress` */
};

/* Partition every step and compute all loads. Returns 0; -EDOM: an invalid weight;
 * -EINVAL: parts or lag out of bounds, or no step; -ENOMEM; or the error of the source or
 * the partitioner. Freed by mesh_loads_free in all cases. */
int mesh_loads_make(struct mesh_loads *loads, const struct mesh_source *source,
                    const struct mesh_partitioner *partitioner,
                    const struct mesh_loads_wish *wish, struct cca_error *err);
void mesh_loads_free(struct mesh_loads *loads);

/* Return the index of (c, k) in a triangular array, 0 <= c <= k < steps. */
static inline int64_t mesh_pair(const struct mesh_loads *loads, int64_t c, int64_t k)
{
    return c * loads->steps - c * (c - 1) / 2 + (k - c);
}

/* Return the step whose weights made the partition that begins at step s. */
static inline int64_t mesh_cut(const struct mesh_loads *loads, int64_t s)
{
    return s > loads->lag ? s - loads->lag : 0;
}

/* Return the partition that begins at step s. */
static inline const struct mesh_partition *
mesh_partition_at(const struct mesh_loads *loads, int64_t s)
{
    return &loads->partitions[mesh_cut(loads, s)];
}

/* Return the largest load of a part at step k under the partition of step s <= k.
 */
static inline double mesh_load(const struct mesh_loads *loads, int64_t s, int64_t k)
{
    return loads->largest[mesh_pair(loads, mesh_cut(loads, s), k)];
}

/* Return the number of cells that change owner if the partition that begins at step t
 * replaces the partition that begins at step s <= t. */
static inline int64_t mesh_moved(const struct mesh_loads *loads, int64_t s, int64_t t)
{
    return loads->moved[mesh_pair(loads, mesh_cut(loads, s), mesh_cut(loads, t))];
}

#endif
