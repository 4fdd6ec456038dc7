/* SPDX-License-Identifier: BSD-3-Clause */
/* co_solver.c: an iteration whose preconditioner tells when it is done. */
#define CO_NAME "CoSolver"
#define CO_USES                                                                          \
    CCA_USES(CCA_REQUIRED("matrix", CO_WORK_PORT_TYPE, struct co_work_port),             \
             CCA_REQUIRED("prec", CO_WORK_PORT_TYPE, struct co_work_port))
#include "tests/components/known/co_class.h"

static int co_work(struct co *co, int n)
{
    struct co_work_port *matrix = cca_services_get(co->services, "matrix", NULL);
    struct co_work_port *prec = cca_services_get(co->services, "prec", NULL);
    int done = 0;

    while (matrix && prec && !done) {
        matrix->work(matrix, n);
        done = prec->work(prec, n);
        co_spin(co, n);
    }
    if (matrix)
        cca_services_release_port(co->services, "matrix", NULL);
    if (prec)
        cca_services_release_port(co->services, "prec", NULL);
    return 0;
}
