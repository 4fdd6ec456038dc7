/* SPDX-License-Identifier: BSD-3-Clause */
/* loads.h: what every partition of a trace would cost at every later step.
 *
 * A partition that is made at step s depends on the weights of step s alone. So the
 * largest load of a part at step k under the partition of step s, M[s][k], k >= s, and
 * the cells that change owner from the partition of s to that of t, are all that
 * schedules need. */
#ifndef MESH_BALANCE_LOADS_H
#define MESH_BALANCE_LOADS_H

#include "mesh/balance/partition.h"

enum mesh_loads_way {
    MESH_LOADS_BEST = 0, /* tables where a partition is boxes, else cell by cell */
    MESH_LOADS_DIRECT    /* cell by cell: what the tables are compared with */
};

struct mesh_loads {
    int64_t steps;
    int parts;
    int64_t cells;
    double *largest;                   /* [steps * (steps + 1) / 2], see mesh_load */
    int32_t *moved;                    /* the same shape, see mesh_moved */
    double *mean;                      /* [steps]: total weight / parts */
    float *heaviest;                   /* [steps]: the largest weight of a cell */
    int64_t *heaviest_at;              /* [steps]: that cell, the first of equals */
    struct mesh_partition *partitions; /* [steps] */
};

/* Told about progress: `done` of `all` steps; NULL is fine. */
typedef void mesh_progress_fn(void *context, int64_t done, int64_t all);

/* Partition every step and compute all loads. 0; -EDOM a weight, -EINVAL parts out of
 * bounds or fewer than one step, -ENOMEM, or what the source or the partitioner returned.
 * Freed by mesh_loads_free in all cases. */
int mesh_loads_make(struct mesh_loads *loads, const struct mesh_source *source,
                    const struct mesh_partitioner *partitioner, int parts,
                    enum mesh_loads_way way, mesh_progress_fn *progress, void *context,
                    struct cca_error *err);
void mesh_loads_free(struct mesh_loads *loads);

static inline int64_t mesh_pair(const struct mesh_loads *loads, int64_t s, int64_t k)
{
    return s * loads->steps - s * (s - 1) / 2 + (k - s);
}

/* The largest part load at step k under the partition of step s <= k. */
static inline double mesh_load(const struct mesh_loads *loads, int64_t s, int64_t k)
{
    return loads->largest[mesh_pair(loads, s, k)];
}

/* Cells that change owner where the partition of t replaces that of s <= t. */
static inline int64_t mesh_moved(const struct mesh_loads *loads, int64_t s, int64_t t)
{
    return loads->moved[mesh_pair(loads, s, t)];
}

#endif
