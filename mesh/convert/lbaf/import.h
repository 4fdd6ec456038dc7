/* SPDX-License-Identifier: BSD-3-Clause */
/* import.h: LBDatafiles as a profile. */
#ifndef MESH_CONVERT_LBAF_IMPORT_H
#define MESH_CONVERT_LBAF_IMPORT_H

#include "mesh/convert/given_profile.h"

struct mesh_lbaf_found {
    char name[MM_MESH_NAME_BYTES]; /* of the profile */
    uint64_t ranks, tasks, phases, identical, skipped, lost, come_and_go;
    uint64_t communications, subphases; /* kinds of subphases */
    double bytes;                       /* of communications */
    int dims; /* of the grid that the indices make; 0: none, tasks are elements */
};

/* Make the experiment `output` of the files at `path`, DIR or DIR/NAME. A phase is a
 * step, the time of a task a value of probe `time`, that of subphase N one of `time.N`,
 * in seconds. Tasks whose indices of one to three dimensions fill a box are cells of a
 * grid, others elements; their centre is the index. `allow_lost`: phases that one rank
 * lacks are lost, else an error. 0; -ENOENT, -EBADMSG wrong input; -EEXIST or another
 * error of the place; -ENOMEM or an I/O error: then nothing is left at `output`. */
int mesh_import_lbaf(const char *path, const char *output, int allow_lost,
                     mesh_progress_fn *progress, void *context,
                     struct mesh_lbaf_found *found, struct cca_error *err);

#endif
