/* SPDX-License-Identifier: BSD-3-Clause */
/* SSOR: symmetric successive over-relaxation, in C++: a sweep forwards, a sweep
 * backwards.
 *
 *     M = (D / w + L) (w / (2 - w) D^-1) (D / w + L^T),  A = L + D + L^T
 *
 * Y. Saad, Iterative Methods for Sparse Linear Systems (2003), section 10.2. */
#include <cerrno>
#include <new>
#include <vector>

#include "framework/cca.h"
#include "preconditioner_port.h"

namespace
{

/* The matrix, and the place of each row's diagonal entry in it. */
struct Rows {
    std::vector<int> start, column, diagonal;
    std::vector<double> value;
};

struct SSOR {
    preconditioner_port port;
    cca_services *services;
    int n;
    double omega;
    Rows *rows; /* owned */
};

void destroy(void *self)
{
    auto *p = static_cast<SSOR *>(self);

    delete p->rows;
    p->rows = nullptr;
    p->n = 0;
}

bool find_diagonal(Rows &rows, int n)
{
    for (int i = 0; i < n; i++) {
        for (int k = rows.start[i]; k < rows.start[i + 1]; k++)
            if (rows.column[k] == i)
                rows.diagonal[i] = k;
        if (rows.diagonal[i] < 0 || !(rows.value[rows.diagonal[i]] > 0.))
            return false;
    }
    return true;
}

int setup(preconditioner_port *self, int n, int nnz, const int *row_start,
          const int *column, const double *value)
{
    auto *p = reinterpret_cast<SSOR *>(self);

    destroy(p);
    try {
        p->rows = new Rows{{row_start, row_start + n + 1},
                           {column, column + nnz},
                           std::vector<int>(n, -1),
                           {value, value + nnz}};
    } catch (const std::bad_alloc &) {
        return -ENOMEM;
    }
    if (!find_diagonal(*p->rows, n))
        return -EDOM;
    p->omega = cca_services_param_double(p->services, "omega");
    p->n = n;
    return 0;
}

int apply(preconditioner_port *self, int n, const double *r, double *z)
{
    auto *p = reinterpret_cast<SSOR *>(self);

    if (n != p->n)
        return -EINVAL;
    const Rows &a = *p->rows;
    const double w = p->omega;

    for (int i = 0; i < n; i++) {
        double sum = r[i];

        for (int k = a.start[i]; k < a.diagonal[i]; k++)
            sum -= a.value[k] * z[a.column[k]];
        z[i] = sum * w / a.value[a.diagonal[i]];
    }
    for (int i = n - 1; i >= 0; i--) {
        const double diagonal = a.value[a.diagonal[i]];
        double sum = z[i] * diagonal * (2. - w) / w;

        for (int k = a.diagonal[i] + 1; k < a.start[i + 1]; k++)
            sum -= a.value[k] * z[a.column[k]];
        z[i] = sum * w / diagonal;
    }
    return 0;
}

const preconditioner_port port = {
    {PRECONDITIONER_PORT_TYPE, sizeof(preconditioner_port)}, setup, apply};

const cca_port_impl implements[] = {
    {"preconditioner", offsetof(SSOR, port), &port.base},
    {nullptr, 0, nullptr},
};

const cca_param_decl params[] = {
    {"omega", CCA_DOUBLE, "1.5", "0.01", "1.99", nullptr, nullptr,
     "relaxation; 1: symmetric Gauss-Seidel", nullptr},
    {nullptr, CCA_NONE, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr},
};

} // namespace

/* Declared first: g++ warns of one declaration that both says extern and initialises. */
CCA_EXPORT const struct cca_class cca_class;
const struct cca_class cca_class = {
    CCA_ABI,
    sizeof(struct cca_class),
    "SSOR",
    "symmetric successive over-relaxation, in C++",
    nullptr,
    nullptr,
    params,
    nullptr,
    nullptr,
    nullptr,
    0,
    nullptr,
    nullptr,
    destroy,
    sizeof(SSOR),
    offsetof(SSOR, services),
    implements,
    nullptr,
};
