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
    double sum_error;        /* largest error of a step's sum, relative */
    double part_error;       /* largest error of a part's load in a step, relative */
    double imbalance, worst; /* max / mean - 1: sum over steps; largest */
    uint64_t balanced;       /* steps with an imbalance */
    float *decoded;          /* [cells] of level 0, with the values of finer levels */
};

struct mesh_judgement {
    struct mesh_ask *ask;
    const struct mesh_errors *wish;
    int probe;
    struct mesh_bound *bounds;
    size_t count;
    struct mesh_source source; /* the mesh, without values */
    struct mesh_partitioner partitioner;
    int parted; /* the partitioner can partition this mesh */
    int64_t cells;
    float *kept;      /* [cells] values as in the profile */
    uint16_t *owners; /* [cells] part of each cell */
    double *loads;    /* [2 * parts] from original values, then from decoded ones */
};

/* Print the costs; each returns an exit code. errors_view.c */
int mesh_errors_text(const struct mesh_judgement *e);
int mesh_errors_json(const struct mesh_judgement *e);

#endif
