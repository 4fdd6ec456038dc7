/* SPDX-License-Identifier: BSD-3-Clause */
/* cells.h: a profile from a CSV file with a line for each cell of each step. */
#ifndef MESH_CONVERT_CELLS_H
#define MESH_CONVERT_CELLS_H

#include "mesh/convert/given_profile.h"

/* A column that is a probe. */
struct mesh_cells_probe {
    char column[MM_MESH_NAME_BYTES];
    char unit[16]; /* "": a count */
};

/* What is asked for. Strings are borrowed for the call. */
struct mesh_cells {
    const char *file;                      /* "-": standard input */
    const char *name;                      /* of the profile; NULL: the file's */
    int dims;                              /* 1 to 3 */
    int64_t shape[3];                      /* cells, unused ones 1 */
    const struct mesh_cells_probe *probes; /* none: the column "value" */
    size_t probe_count;
    const char *rank; /* column of the rank that has the cell; NULL: rank 0 has all */
    double eps;       /* bound on the error of each value; 0: exact */
    int allow_lost;   /* missing cells and steps are kept as missing, else an error */
    mesh_progress_fn *progress;
    void *context;
};

/* What was found. */
struct mesh_cells_found {
    char name[MM_MESH_NAME_BYTES]; /* of the profile */
    uint64_t lines, steps;
    uint64_t lost_steps, lost_cells; /* cells of steps that are there */
    int ranks;
};

/* Make the experiment `output` of the file. Columns: step; i, j, k as far as there are
 * dimensions, from 0; probes; others are left alone. Lines may come in any order. Values
 * are finite and at least 0.
 *
 * 0; -EBADMSG with "file:line: found, expected" (also step and cell); -EEXIST or another
 * error of the place; -EINVAL a shape or name out of its bounds; -ENOMEM or an I/O error.
 * Nothing is left at `output` then. */
int mesh_import_cells(const struct mesh_cells *asked, const char *output,
                      struct mesh_cells_found *found, struct cca_error *err);

#endif
