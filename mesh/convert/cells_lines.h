/* SPDX-License-Identifier: BSD-3-Clause */
/* cells_lines.h: read and check lines of a CSV file. */
#ifndef MESH_CONVERT_CELLS_LINES_H
#define MESH_CONVERT_CELLS_LINES_H

#include "mastermind/csv/csv.h"
#include "mesh/convert/cells.h"

/* The CSV file and the positions of its columns. */
struct mesh_lines {
    const struct mesh_cells *asked;
    /* [probe_count] columns that are imported as probes */
    const struct mesh_cells_probe *probes;
    size_t probe_count;
    struct mm_csv csv;
    /* positions of the columns with step, cell index and rank */
    size_t step, index[3], rank;
    size_t values[MM_MESH_PROBES];
};

struct mesh_line {
    int64_t step, cell;
    size_t line;
    int rank;
    float values[MM_MESH_PROBES];
};

/* Open the CSV file and find its columns. Returns 0, -EBADMSG, -ENOMEM or an I/O error;
 * call mesh_lines_done in either case. */
int mesh_lines_open(struct mesh_lines *lines, const struct mesh_cells *asked,
                    struct cca_error *err);
void mesh_lines_done(struct mesh_lines *lines);

/* Read the next line. mesh_lines_peek reads only step and rank, and checks only their
 * bounds; mesh_lines_next reads the whole line. Returns 1; 0: no line is left; -EBADMSG.
 */
int mesh_lines_peek(struct mesh_lines *lines, struct mesh_line *line,
                    struct cca_error *err);
int mesh_lines_next(struct mesh_lines *lines, struct mesh_line *line,
                    struct cca_error *err);

/* Format a cell as "4,10,10"; returns `text`. */
const char *mesh_lines_cell(const struct mesh_lines *lines, int64_t cell, char text[64]);

#endif
