/* SPDX-License-Identifier: BSD-3-Clause */
/* CSRMatrix: a matrix in compressed rows, as it is given. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "framework/cca.h"
#include "matrix_port.h"

struct csr {
    struct matrix_port port;
    int n, nnz;
    int *row_start, *column;
    double *value;
};

static void csr_destroy(void *self)
{
    struct csr *m = self;

    free(m->row_start);
    free(m->column);
    free(m->value);
    m->row_start = m->column = NULL;
    m->value = NULL;
    m->n = m->nnz = 0;
}

static void *copy(const void *bytes, size_t count, size_t size)
{
    void *made = calloc(count + 1, size); /* no entry at all is no lack of memory */

    if (made)
        memcpy(made, bytes, count * size);
    return made;
}

static int csr_load(struct matrix_port *self, int n, int nnz, const int *row_start,
                    const int *column, const double *value)
{
    struct csr *m = cca_container_of(self, struct csr, port);

    csr_destroy(m);
    m->row_start = copy(row_start, (size_t)n + 1, sizeof *row_start);
    m->column = copy(column, (size_t)nnz, sizeof *column);
    m->value = copy(value, (size_t)nnz, sizeof *value);
    if (!m->row_start || !m->column || !m->value) {
        csr_destroy(m);
        return -ENOMEM;
    }
    m->n = n;
    m->nnz = nnz;
    return 0;
}

static int csr_apply(struct matrix_port *self, int n, int nnz, const double *x, double *y)
{
    struct csr *m = cca_container_of(self, struct csr, port);

    if (n != m->n || nnz != m->nnz)
        return -EINVAL;
    for (int i = 0; i < n; i++) {
        double sum = 0.;

        for (int k = m->row_start[i]; k < m->row_start[i + 1]; k++)
            sum += m->value[k] * x[m->column[k]];
        y[i] = sum;
    }
    return 0;
}

static const struct matrix_port port = {
    .base = {MATRIX_PORT_TYPE, sizeof port}, .load = csr_load, .apply = csr_apply};

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS_WITHOUT_SERVICES(struct csr),
    .name = "CSRMatrix",
    .summary = "a sparse matrix in compressed rows",
    CCA_IMPLEMENTS({"matrix", offsetof(struct csr, port), &port.base}),
    .destroy = csr_destroy,
};
