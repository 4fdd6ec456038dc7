/* SPDX-License-Identifier: BSD-3-Clause */
/* preconditioner_port.h: an approximate inverse of a symmetric positive definite matrix.
 */
#ifndef PRECONDITIONER_PORT_H
#define PRECONDITIONER_PORT_H

#include "ports/cca_port.h"

#define PRECONDITIONER_PORT_TYPE "solver.PreconditionerPort/1"

struct preconditioner_port {
    struct cca_port base;

    /* Prepare for a matrix, in place of the one before. Arguments as matrix_port.load has
     * them; nothing of them is kept but copies.
     *
     * Returns 0; -ENOMEM; -EDOM where a pivot is not positive. */
    int (*setup)(struct preconditioner_port *self, CCA_PARAM int n, CCA_PARAM int nnz,
                 const int *row_start, const int *column, const double *value);

    /* z = M^-1 r, M symmetric and positive definite.
     *
     *   n  in   as in setup
     *   r  in   [n]
     *   z  out  [n], caller's memory, apart from r
     *
     * Returns 0; -EINVAL if n is not that of setup. */
    int (*apply)(struct preconditioner_port *self, CCA_PARAM int n, const double *r,
                 double *z);
};

#endif
