/* SPDX-License-Identifier: BSD-3-Clause */
/* cut.h: one axis of the domain cut into parts, and where the ghost cells of a part come
 * from. */
#ifndef COMPONENTS_UNIFORMMESH_CUT_H
#define COMPONENTS_UNIFORMMESH_CUT_H

#include <stdint.h>

#include "ports/cca_error.h"

/* A run of cells of a part, ghost cells included, that one part of the axis owns. */
struct cut_run {
    int part;  /* the owner */
    int begin; /* first cell, counted from the reader's first interior cell */
    int count;
    int from;     /* the same cell, counted from the first interior cell of the owner */
    int interior; /* the part's own cells where they stand: nothing to copy */
};

/*    -ghost     0                    n   n+ghost
 *       |  run  |  run, interior     |  run  |        runs of one part; none where the
 *       +-------+--------------------+-------+        axis ends and is not periodic */
struct cut {
    int parts;
    int64_t *start;       /* [parts + 1], the last is the number of cells */
    struct cut_run *runs; /* [parts][2 ghost + 1] */
    int *run_count;       /* [parts] */
    int runs_per_part;
};

/* Cut `cells` cells into `parts` parts whose sizes differ by one at most, into more where
 * a part would have more than `most` cells (0: any number). `axis` is 'x' or 'y', for
 * messages. 0; -EINVAL more parts than cells, a part too large for an int, or thinner
 * than the ghost layers where the axis is not periodic; -ENOMEM. */
int cut_init(struct cut *cut, char axis, int64_t cells, int64_t parts, int64_t most,
             int ghost, int periodic, struct cca_error *err);
void cut_done(struct cut *cut); /* also of a zeroed one */

static inline int cut_size(const struct cut *cut, int part)
{
    return (int)(cut->start[part + 1] - cut->start[part]);
}

static inline const struct cut_run *cut_runs(const struct cut *cut, int part, int *count)
{
    *count = cut->run_count[part];
    return cut->runs + (size_t)part * (size_t)cut->runs_per_part;
}

#endif
