/* SPDX-License-Identifier: BSD-3-Clause */
/* ELLMatrix: a matrix whose rows all have the length of the longest one, stored by
 * columns, in C++: entry k of all rows, then entry k + 1 of all rows. */
#include <algorithm>
#include <cerrno>
#include <new>
#include <vector>

#include "framework/cca.h"
#include "matrix_port.h"

namespace
{

struct ELLMatrix {
    matrix_port port;
    int n, nnz, width;
    /* Owned; behind pointers, because the framework makes an instance of zeroed bytes. */
    std::vector<int> *column;
    std::vector<double> *value;
};

void destroy(void *self)
{
    auto *m = static_cast<ELLMatrix *>(self);

    delete m->column;
    delete m->value;
    m->column = nullptr;
    m->value = nullptr;
    m->n = m->nnz = m->width = 0;
}

/* Entries that a row does not have multiply its own x by zero. */
void fill(ELLMatrix *m, const int *row_start, const int *column, const double *value)
{
    for (int i = 0; i < m->n; i++)
        for (int k = 0; k < m->width; k++) {
            const size_t to = static_cast<size_t>(k) * m->n + i;
            const int from = row_start[i] + k;
            const bool there = from < row_start[i + 1];

            (*m->column)[to] = there ? column[from] : i;
            (*m->value)[to] = there ? value[from] : 0.;
        }
}

int load(matrix_port *self, int n, int nnz, const int *row_start, const int *column,
         const double *value)
{
    auto *m = reinterpret_cast<ELLMatrix *>(self);
    int width = 0;

    destroy(m);
    for (int i = 0; i < n; i++)
        width = std::max(width, row_start[i + 1] - row_start[i]);
    try {
        const size_t entries = static_cast<size_t>(width) * n;

        m->column = new std::vector<int>(entries);
        m->value = new std::vector<double>(entries);
    } catch (const std::bad_alloc &) {
        destroy(m);
        return -ENOMEM;
    }
    m->n = n;
    m->nnz = nnz;
    m->width = width;
    fill(m, row_start, column, value);
    return 0;
}

int apply(matrix_port *self, int n, int nnz, const double *x, double *y)
{
    auto *m = reinterpret_cast<ELLMatrix *>(self);

    if (n != m->n || nnz != m->nnz)
        return -EINVAL;
    std::fill(y, y + n, 0.);
    for (int k = 0; k < m->width; k++) {
        const int *column = m->column->data() + static_cast<size_t>(k) * n;
        const double *value = m->value->data() + static_cast<size_t>(k) * n;

        for (int i = 0; i < n; i++)
            y[i] += value[i] * x[column[i]];
    }
    return 0;
}

const matrix_port port = {{MATRIX_PORT_TYPE, sizeof(matrix_port)}, load, apply};

const cca_port_impl implements[] = {
    {"matrix", offsetof(ELLMatrix, port), &port.base},
    {nullptr, 0, nullptr},
};

} // namespace

/* Declared first: g++ warns of one declaration that both says extern and initialises. */
CCA_EXPORT const struct cca_class cca_class;
const struct cca_class cca_class = {
    CCA_ABI,
    sizeof(struct cca_class),
    "ELLMatrix",
    "a sparse matrix in rows of equal length, in C++",
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    0,
    nullptr,
    nullptr,
    destroy,
    sizeof(ELLMatrix),
    CCA_NO_SERVICES,
    implements,
    nullptr,
};
