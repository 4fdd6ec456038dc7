/* SPDX-License-Identifier: BSD-3-Clause */
/* digest.h: sums, errors and loads of ranks of a profile from the heads of its blocks:
 * nothing is decoded. */
#ifndef MASTERMIND_CMD_MESH_DIGEST_H
#define MASTERMIND_CMD_MESH_DIGEST_H

#include "mastermind/cmd/mesh/ask.h"

/* Of one probe. Errors are of decoded values less those given. */
struct mesh_digest_probe {
    uint64_t values, bytes;  /* told; of packed payloads */
    double sum;              /* of all steps */
    double least, greatest;  /* NAN: none is finite */
    double largest, squares; /* largest error of a value; sum of squared errors */
    double sum_error;        /* of a step, the largest share of its sum */
    double part_error;       /* of a rank in a step, the largest share of its sum */
    int64_t part_step;       /* where that is */
    int part_rank;
    uint64_t balanced;       /* steps with a sum */
    double imbalance, worst; /* max / mean - 1 of the ranks: sum over steps, largest */
    int64_t worst_step;
};

struct mesh_digest {
    struct mesh_digest_probe probes[MM_MESH_PROBES]; /* by number of the profile */
    double *sums; /* [steps of the ask][probes of the profile] */
    int ranks;
};

/* Read it for the steps of the ask. -1 to go on, or an exit code after a message;
 * mesh_digest_done either way. */
int mesh_digest_read(struct mesh_digest *digest, struct mesh_ask *ask);
void mesh_digest_done(struct mesh_digest *digest);

#endif
