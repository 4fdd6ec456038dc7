/* SPDX-License-Identifier: BSD-3-Clause */
/* Jacobi: the inverse of the diagonal. */
#include <errno.h>
#include <stdlib.h>

#include "framework/cca.h"
#include "preconditioner_port.h"

struct jacobi {
    struct preconditioner_port port;
    int n;
    double *inverse; /* [n] */
};

static void jacobi_destroy(void *self)
{
    struct jacobi *p = self;

    free(p->inverse);
    p->inverse = NULL;
    p->n = 0;
}

static int jacobi_setup(struct preconditioner_port *self, int n, int nnz,
                        const int *row_start, const int *column, const double *value)
{
    struct jacobi *p = cca_container_of(self, struct jacobi, port);

    (void)nnz;
    jacobi_destroy(p);
    p->inverse = malloc((size_t)n * sizeof *p->inverse);
    if (!p->inverse)
        return -ENOMEM;
    for (int i = 0; i < n; i++) {
        double diagonal = 0.;

        for (int k = row_start[i]; k < row_start[i + 1]; k++)
            if (column[k] == i)
                diagonal = value[k];
        if (!(diagonal > 0.))
            return -EDOM;
        p->inverse[i] = 1. / diagonal;
    }
    p->n = n;
    return 0;
}

static int jacobi_apply(struct preconditioner_port *self, int n, const double *r,
                        double *z)
{
    struct jacobi *p = cca_container_of(self, struct jacobi, port);

    if (n != p->n)
        return -EINVAL;
    for (int i = 0; i < n; i++)
        z[i] = p->inverse[i] * r[i];
    return 0;
}

static const struct preconditioner_port port = {
    .base = {PRECONDITIONER_PORT_TYPE, sizeof port},
    .setup = jacobi_setup,
    .apply = jacobi_apply};

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS_WITHOUT_SERVICES(struct jacobi),
    .name = "Jacobi",
    .summary = "the inverse of the diagonal",
    CCA_IMPLEMENTS({"preconditioner", offsetof(struct jacobi, port), &port.base}),
    .destroy = jacobi_destroy,
};
