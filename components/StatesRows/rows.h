/* SPDX-License-Identifier: BSD-3-Clause */
/* rows.h: reconstruction of the faces of one patch, row after row.
 *
 * Along y, the cells before and after a cell are in the rows below and above: one row of
 * cells gives one row of faces. Along x, they are in the row itself, one cell away. So
 * one routine on three arrays of cells serves both modes:
 *
 *              before          here            after
 *   x          row j, i - 1    row j, i        row j, i + 1
 *   y          row j - 1, i    row j, i        row j + 1, i
 *
 * A patch is processed in strips of columns, whose primitive variables stay in the cache
 * from row to row. */
#ifndef COMPONENTS_STATESROWS_ROWS_H
#define COMPONENTS_STATESROWS_ROWS_H

#include <stddef.h>

#include "components/limiter.h"

/* One call of the reconstruction: its arguments, and the layout of the faces. */
struct rows {
    enum limiter limiter;
    double gamma;
    int nx, ny;
    ptrdiff_t pitch, plane;     /* strides between cells in memory, in doubles */
    ptrdiff_t f_pitch, f_plane; /* strides between faces */
    const double *u;            /* density of the first interior cell */
    double *left, *right;       /* density at the first face */
};

/* Write the states at all faces of a patch along `axis`. Returns 0, or -EDOM if a cell is
 * no gas. The second function is for CPUs with AVX2: it computes the same bits with wider
 * vectors. */
int rows_reconstruct(const struct rows *rows, int axis);
int rows_reconstruct_avx2(const struct rows *rows, int axis);

#endif
