/* SPDX-License-Identifier: BSD-3-Clause */
/* digest.h: sums, errors and loads of ranks from the heads of a profile's blocks, without
 * decoding the values. */
#ifndef MASTERMIND_CMD_MESH_DIGEST_H
#define MASTERMIND_CMD_MESH_DIGEST_H

#include "mastermind/cmd/mesh/ask.h"

/* Numbers of one probe. An error is the decoded value minus the original one. */
struct mesh_digest_probe {
    uint64_t values, bytes;  /* number of values; bytes when packed */
    double sum;              /* over all steps */
    double least, greatest;  /* least and greatest value; NAN: no value is finite */
    double largest, squares; /* largest error of a value; sum of squared errors */
    double sum_error;        /* largest error of a step's sum, relative to it */
    double part_error;       /* largest relative error of a rank's sum in a step */
    int64_t part_step;       /* step and rank of part_error */
    int part_rank;
    uint64_t balanced;       /* number of steps with a sum > 0 */
    double imbalance, worst; /* max / mean - 1 of the ranks: sum over steps; largest */
    int64_t worst_step;
};

struct mesh_digest {
    struct mesh_digest_probe probes[MM_MESH_PROBES]; /* indexed like the profile's
                                                      * probes */
    double *sums; /* [steps of the request][probes of the profile] sum of a probe's
                   * values in a step */
    int ranks;
};

/* Read the profile for the steps of the request. Returns -1 to go on, or an exit code
 * after a message; call mesh_digest_done either way. */
int mesh_digest_read(struct mesh_digest *digest, struct mesh_ask *ask);
void mesh_digest_done(struct mesh_digest *digest);

#endif
