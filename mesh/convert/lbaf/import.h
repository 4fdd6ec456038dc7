/* SPDX-License-Identifier: BSD-3-Clause */
/* import.h: import LBDatafiles as a profile. */
#ifndef MESH_CONVERT_LBAF_IMPORT_H
#define MESH_CONVERT_LBAF_IMPORT_H

#include "mesh/convert/parts.h"

struct mesh_lbaf_found {
    char name[MM_MESH_NAME_BYTES]; /* name of the profile */
    uint64_t ranks, tasks, phases, identical, skipped, lost, come_and_go;
    uint64_t communications, subphases; /* subphases: number of different ids */
    double bytes;                       /* bytes of all communications */
    int dims; /* dimensions of the grid that the tasks' indices span; 0: no grid, tasks
                 are elements */
};

/* Import the files at `path`, DIR or DIR/NAME, as the new experiment `output`. A phase
 * becomes a step; a task's time becomes a value of probe `time`, the time of subphase N a
 * value of probe `time.N`, in seconds. Tasks whose indices (one to three dimensions) fill
 * a box become cells of a grid, other tasks become elements with the index as centre.
 * `allow_lost`: phases that a rank lacks are recorded as lost, otherwise they are an
 * error. Returns 0; -ENOENT, -EBADMSG: wrong input; -EEXIST or another error of the path
 * `output`; -ENOMEM or an I/O error. After an error nothing is left at `output`. */
int mesh_import_lbaf(const char *path, const char *output, int allow_lost,
                     mesh_progress_fn *progress, void *context,
                     struct mesh_lbaf_found *found, struct cca_error *err);

#endif
