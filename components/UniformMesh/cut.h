/* SPDX-License-Identifier: BSD-3-Clause */
/* cut.h: cut one axis of the domain into parts, and find the sources of a part's ghost
 * cells. */
#ifndef COMPONENTS_UNIFORMMESH_CUT_H
#define COMPONENTS_UNIFORMMESH_CUT_H

#include <stdint.h>

#include "ports/cca_error.h"

/* A run of cells of a part, including ghost cells, that are all owned by one part. */
struct cut_run {
    int part;  /* the owning part */
    int begin; /* index of the run's first cell, counted from the first interior cell of
                  the part that reads the run */
    int count;
    int from; /* index of the same cell, counted from the owner's first interior cell */
    int interior; /* true for the part's own interior cells, which need no copy */
};

/*    -ghost     0                    n   n+ghost
 *       |  run  |  run, interior     |  run  |        runs of one part; none where the
 *       +-------+--------------------+-------+        axis ends and is not periodic */
struct cut {
    int parts;
    int64_t *start; /* [parts + 1] first cell of each part; the last entry is the number
                       of cells */
    struct cut_run *runs; /* [parts][2 ghost + 1] runs of cells of each part */
    int *run_count;       /* [parts] */
    int runs_per_part;
};

/* Cut `cells` cells into at least `parts` parts whose sizes differ by one at most, so
 * that no part has more than `most` cells (0: no limit). `axis` is 'x' or 'y', for
 * messages. Returns 0; -EINVAL more parts than cells, a part too large for an int, or
 * thinner than the ghost layers on an axis that is not periodic; -ENOMEM. */
int cut_init(struct cut *cut, char axis, int64_t cells, int64_t parts, int64_t most,
             int ghost, int periodic, struct cca_error *err);
/* free the members of the struct; a zeroed struct is accepted */
void cut_done(struct cut *cut);

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
