/* SPDX-License-Identifier: BSD-3-Clause */
/* solver_port.h: solution of A x = b. */
#ifndef SOLVER_PORT_H
#define SOLVER_PORT_H

#include "ports/cca_port.h"

#define SOLVER_PORT_TYPE "solver.SolverPort/1"

struct solver_port {
    struct cca_port base;

    /* Solve A x = b from x = 0 until the solver's residual is below `tolerance` times b
     * (2-norms).
     *
     *   n, nnz      in   of the matrix that the connected matrix port holds
     *   b           in   [n]
     *   x           out  [n], caller's memory; on failure the last iterate
     *   tolerance   in   > 0
     *   iterations  out  matrix applications; may be NULL
     *
     * Returns 0; -ENOMEM; -EDOM where matrix or preconditioner are found not positive
     * definite; -ERANGE if 2 n + 100 iterations do not suffice; what a port returned. */
    int (*solve)(struct solver_port *self, CCA_PARAM int n, CCA_PARAM int nnz,
                 const double *b, double *x, double tolerance,
                 CCA_OUT_PARAM int64_t *iterations);
};

#endif
