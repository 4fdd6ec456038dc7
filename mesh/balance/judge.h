/* SPDX-License-Identifier: BSD-3-Clause */
/* judge.h: loads of the parts of partitions under the weights of one step. */
#ifndef MESH_BALANCE_JUDGE_H
#define MESH_BALANCE_JUDGE_H

#include "mesh/balance/partition.h"
#include "mesh/balance/parts.h"

struct mesh_judge {
    const struct mesh_source *source; /* the mesh whose partitions are judged, borrowed */
    int parts;
    int direct; /* true: sum cell by cell, also where a partition is a list of boxes */
    const float *weights;    /* weights of one step, [cells], borrowed */
    struct mesh_table table; /* table of sums of `weights`; unused for elements */
    uint16_t *owners; /* owners of cells in two partitions, [2 * cells], scratch buffer */
    double *load;     /* load of each part, [parts] */
};

/* Initialise. Returns 0 or -ENOMEM; freed by mesh_judge_done in both cases. */
int mesh_judge_init(struct mesh_judge *judge, const struct mesh_source *source, int parts,
                    int direct);
void mesh_judge_done(struct mesh_judge *judge);

/* Set the weights[cells] to judge by, already checked, borrowed until the next call. */
void mesh_judge_by(struct mesh_judge *judge, const float *weights);

/* Make a partition from these weights. Returns 0, or a negative errno with `err`. */
int mesh_judge_cut(struct mesh_judge *judge, const struct mesh_partitioner *partitioner,
                   const struct mesh_partition *before, struct mesh_partition *out,
                   struct cca_error *err);

/* Return the largest load of a part of a partition. */
double mesh_judge_largest(struct mesh_judge *judge,
                          const struct mesh_partition *partition);

/* Return the number of cells that have another owner in `b` than in `a`. */
int64_t mesh_judge_moved(struct mesh_judge *judge, const struct mesh_partition *a,
                         const struct mesh_partition *b);

#endif
