/* SPDX-License-Identifier: BSD-3-Clause */
/* CGSolver: the preconditioned conjugate gradient method.
 *
 * M. R. Hestenes and E. Stiefel, J. Res. Nat. Bur. Standards 49 (1952) 409-436; in the
 * form of Saad, Iterative Methods for Sparse Linear Systems (2003), algorithm 9.1. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "framework/cca.h"
#include "matrix_port.h"
#include "preconditioner_port.h"
#include "solver_port.h"

struct solver {
    struct solver_port port;
    struct cca_services *services;
};

struct system {
    struct matrix_port *matrix;
    struct preconditioner_port *preconditioner;
    int n, nnz;
    double *x;             /* caller's */
    double *r, *z, *p, *q; /* residual, M^-1 r, direction, A p: [n] */
};

static double dot(int n, const double *a, const double *b)
{
    double sum = 0.;

    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* to += factor a */
static void add(int n, double *to, double factor, const double *a)
{
    for (int i = 0; i < n; i++)
        to[i] += factor * a[i];
}

static int work_make(struct system *s, const double *b)
{
    s->r = calloc((size_t)s->n, 4 * sizeof *s->r);
    if (!s->r)
        return -ENOMEM;
    s->z = s->r + s->n;
    s->p = s->z + s->n;
    s->q = s->p + s->n;
    memset(s->x, 0, (size_t)s->n * sizeof *s->x);
    memcpy(s->r, b, (size_t)s->n * sizeof *s->r);
    return 0;
}

/* z = M^-1 r, and the next direction p. `rz` is r'z, of the residual before, 0 at first.
 */
static int direction_make(struct system *s, double *rz)
{
    double before = *rz;
    int code = s->preconditioner->apply(s->preconditioner, s->n, s->r, s->z);

    if (code)
        return code;
    *rz = dot(s->n, s->r, s->z);
    if (!(*rz > 0.))
        return -EDOM;
    for (int i = 0; i < s->n; i++)
        s->p[i] = s->z[i] + (before > 0. ? *rz / before : 0.) * s->p[i];
    return 0;
}

static int step_make(struct system *s, double *rz)
{
    int code = direction_make(s, rz);
    double pq;

    if (!code)
        code = s->matrix->apply(s->matrix, s->n, s->nnz, s->p, s->q);
    if (code)
        return code;
    pq = dot(s->n, s->p, s->q);
    if (!(pq > 0.))
        return -EDOM;
    add(s->n, s->x, *rz / pq, s->p);
    add(s->n, s->r, -*rz / pq, s->q);
    return 0;
}

static int iterate(struct system *s, double tolerance, int64_t *iterations)
{
    double wanted = tolerance * sqrt(dot(s->n, s->r, s->r)), rz = 0.;
    int64_t most = 2 * (int64_t)s->n + 100;
    int code = 0;

    for (; !code && sqrt(dot(s->n, s->r, s->r)) > wanted; ++*iterations)
        code = *iterations < most ? step_make(s, &rz) : -ERANGE;
    return code;
}

static int solver_solve(struct solver_port *self, int n, int nnz, const double *b,
                        double *x, double tolerance, int64_t *iterations)
{
    struct solver *k = cca_container_of(self, struct solver, port);
    CCA_USE(struct matrix_port, matrix, k->services, "matrix");
    CCA_USE(struct preconditioner_port, preconditioner, k->services, "preconditioner");
    struct system s = {matrix, preconditioner, n, nnz, x, NULL, NULL, NULL, NULL};
    int64_t count = 0;
    int code;

    if (!matrix || !preconditioner)
        return -ENOTCONN;
    code = work_make(&s, b);
    if (!code)
        code = iterate(&s, tolerance, &count);
    free(s.r);
    if (iterations)
        *iterations = count;
    return code;
}

static const struct solver_port port = {.base = {SOLVER_PORT_TYPE, sizeof port},
                                        .solve = solver_solve};

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct solver, services),
    .name = "CGSolver",
    .summary = "preconditioned conjugate gradients",
    CCA_IMPLEMENTS({"solver", offsetof(struct solver, port), &port.base}),
    CCA_USES(CCA_REQUIRED("matrix", MATRIX_PORT_TYPE, struct matrix_port),
             CCA_REQUIRED("preconditioner", PRECONDITIONER_PORT_TYPE,
                          struct preconditioner_port)),
};
