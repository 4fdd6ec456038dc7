/* SPDX-License-Identifier: BSD-3-Clause */
/* matrix_port.h: a square sparse matrix that can be applied to a vector. */
#ifndef MATRIX_PORT_H
#define MATRIX_PORT_H

#include "ports/cca_port.h"

#define MATRIX_PORT_TYPE "solver.MatrixPort/1"

struct matrix_port {
    struct cca_port base;

    /* Take a copy of a matrix in compressed rows, in place of the one before.
     *
     *   n          in  rows and columns, > 0
     *   nnz        in  entries, row_start[n]
     *   row_start  in  [n + 1]: the first entry of each row, from 0
     *   column     in  [nnz]: columns from 0, ascending in each row
     *   value      in  [nnz]
     *
     * Returns 0; -ENOMEM. */
    int (*load)(struct matrix_port *self, CCA_PARAM int n, CCA_PARAM int nnz,
                const int *row_start, const int *column, const double *value);

    /* y = A x.
     *
     *   n, nnz  in   as loaded
     *   x       in   [n]
     *   y       out  [n], caller's memory, apart from x
     *
     * Returns 0; -EINVAL if n or nnz are not those of the matrix. */
    int (*apply)(struct matrix_port *self, CCA_PARAM int n, CCA_PARAM int nnz,
                 const double *x, double *y);
};

#endif
