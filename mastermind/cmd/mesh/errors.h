/* SPDX-License-Identifier: BSD-3-Clause */
/* errors.h: what each bound on the error of a value costs, found and printed. */
#ifndef MASTERMIND_CMD_MESH_ERRORS_H
#define MASTERMIND_CMD_MESH_ERRORS_H

#include "mastermind/cmd/mesh/ask.h"
#include "mesh/balance/partition.h"
#include "mesh/trace/cost.h"

/* One bound. */
struct mesh_bound {
    double eps;
    struct mesh_costing *costing;
    double sum_error;        /* of a step, the largest share of its sum */
    double part_error;       /* of a part in a step, the largest share of its sum */
    double imbalance, worst; /* max / mean - 1: sum over steps, largest */
    uint64_t balanced;       /* steps that have it */
    float *decoded;          /* [cells] of level 0, with the work above */
};

struct mesh_judgement {
    struct mesh_ask *ask;
    const struct mesh_errors *wish;
    int probe;
    struct mesh_bound *bounds;
    size_t count;
    struct mesh_source source; /* the mesh alone */
    struct mesh_partitioner partitioner;
    int parted; /* the partitioner serves this mesh */
    int64_t cells;
    float *kept;      /* [cells], as in the profile */
    uint16_t *owners; /* [cells] */
    double *loads;    /* [2 * parts]: by kept values, by decoded ones */
};

/* Print it; return an exit code. errors_view.c */
int mesh_errors_text(const struct mesh_judgement *e);
int mesh_errors_json(const struct mesh_judgement *e);

#endif
