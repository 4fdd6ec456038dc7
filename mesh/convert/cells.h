/* SPDX-License-Identifier: BSD-3-Clause */
/* cells.h: import a profile from a CSV file with a line for each cell of each step. */
#ifndef MESH_CONVERT_CELLS_H
#define MESH_CONVERT_CELLS_H

#include "mesh/convert/parts.h"

/* A column to import as a probe. */
struct mesh_cells_probe {
    char column[MM_MESH_NAME_BYTES];
    char unit[16]; /* unit of the values; "": they are counts */
};

/* Options of an import. Strings are borrowed for the call. */
struct mesh_cells {
    const char *file; /* path of the CSV file; "-": standard input */
    /* name of the profile; NULL: the file's name */
    const char *name;
    int dims;         /* number of dimensions, 1 to 3 */
    int64_t shape[3]; /* cells per dimension, 1 in unused ones */
    /* columns to import; none: the column "value" */
    const struct mesh_cells_probe *probes;
    size_t probe_count;
    const char *rank; /* column of the owning rank; NULL: rank 0 owns all cells */
    double eps;       /* bound on the error of each value; 0: exact */
    int allow_lost; /* true: record missing cells and steps as missing; false: they are an
                       error */
    mesh_progress_fn *progress;
    void *context;
};

/* Results of an import. */
struct mesh_cells_found {
    char name[MM_MESH_NAME_BYTES]; /* name of the profile */
    uint64_t lines, steps;
    uint64_t lost_steps, lost_cells; /* lost_cells: missing cells of existing steps */
    int ranks;
};

/* Import the file as the new experiment `output`. Columns: step; i, j, k for as many
 * dimensions as there are, from 0; probes; other columns are ignored. Lines may come in
 * any order. Values are finite and at least 0.
 *
 * Returns 0; -EBADMSG with "file:line: found, expected" (also step and cell); -EEXIST or
 * another error of the path `output`; -EINVAL: shape or name out of bounds; -ENOMEM or an
 * I/O error. On an error nothing is left at `output`. */
int mesh_import_cells(const struct mesh_cells *asked, const char *output,
                      struct mesh_cells_found *found, struct cca_error *err);

#endif
