/* SPDX-License-Identifier: BSD-3-Clause */
/* errors.h: the costs of each bound on the error of a value, computed and printed. */
#ifndef MASTERMIND_CMD_MESH_ERRORS_H
#define MASTERMIND_CMD_MESH_ERRORS_H

#include "mastermind/cmd/mesh/ask.h"
#include "mesh/balance/partition.h"
#include "mesh/trace/cost.h"

/* One bound and its costs. */
struct mesh_bound {
    double eps;
    struct mesh_costing *costing;
    double sum_error;        /* largest relative error of a step's sum */
    double part_error;       /* largest relative error of a part's load in a step */
    double imbalance, worst; /* imbalance of the parts, max / mean - 1: sum over steps;
                              * largest */
    uint64_t balanced;       /* number of steps with an imbalance */
    float *decoded;          /* [cells] decoded values of level 0, with the values of
                              * finer levels */
};

struct mesh_judgement {
    struct mesh_ask *ask;
    const struct mesh_errors *wish;
    int probe;
    struct mesh_bound *bounds;
    size_t count;
    struct mesh_source source; /* the mesh, without values */
    struct mesh_partitioner partitioner;
    int parted; /* 1: the partitioner can partition this mesh */
    int64_t cells;
    float *kept;      /* [cells] values of level 0 as in the profile */
    uint16_t *owners; /* [cells] number of the part that owns each cell */
    double *loads;    /* [2 * parts] load of each part, from original values, then from
                       * decoded ones */
};

/* Print the costs; each returns an exit code. errors_view.c */
int mesh_errors_text(const struct mesh_judgement *e);
int mesh_errors_json(const struct mesh_judgement *e);

#endif
