/* SPDX-License-Identifier: BSD-3-Clause */
/* SolverDriver: -div(k grad u) = 1 on the unit square, u = 0 on its border, on a grid of
 * n x n inner points (5 points, k at the middles between them), solved and checked.
 *
 * k = exp(sin(2 pi x) cos(2 pi y)), from 0.37 to 2.7. The matrix is symmetric and
 * positive definite; all is multiplied by the square of the distance of points. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "framework/cca.h"
#include "matrix_port.h"
#include "ports/go_port.h"
#include "preconditioner_port.h"
#include "solver_port.h"

struct driver {
    struct go_port go;
    struct cca_services *services;
};

struct problem {
    int grid, n, nnz;
    int *row_start, *column;
    double *value, *b, *x;
};

static void problem_done(struct problem *p)
{
    free(p->row_start);
    free(p->column);
    free(p->value);
    free(p->b);
    free(p->x);
}

/* Conductivity at grid point (i, j), which may be halves; the border is at -1 and grid.
 */
static double conductivity(int grid, double i, double j)
{
    double h = 2. * 3.14159265358979323846 / (grid + 1);

    return exp(sin((i + 1.) * h) * cos((j + 1.) * h));
}

static void entry_put(struct problem *p, int column, double value)
{
    p->column[p->nnz] = column;
    p->value[p->nnz++] = value;
}

static void row_put(struct problem *p, int i, int j)
{
    int grid = p->grid, row = j * grid + i;
    double south = conductivity(grid, i, j - .5), north = conductivity(grid, i, j + .5);
    double west = conductivity(grid, i - .5, j), east = conductivity(grid, i + .5, j);

    p->row_start[row] = p->nnz;
    if (j > 0)
        entry_put(p, row - grid, -south);
    if (i > 0)
        entry_put(p, row - 1, -west);
    entry_put(p, row, south + north + west + east);
    if (i < grid - 1)
        entry_put(p, row + 1, -east);
    if (j < grid - 1)
        entry_put(p, row + grid, -north);
    p->b[row] = 1. / (grid + 1.) / (grid + 1.);
}

static int problem_make(struct problem *p)
{
    size_t n = (size_t)p->grid * (size_t)p->grid;

    p->n = (int)n;
    p->row_start = malloc((n + 1) * sizeof *p->row_start);
    p->column = malloc(5 * n * sizeof *p->column);
    p->value = malloc(5 * n * sizeof *p->value);
    p->b = malloc(n * sizeof *p->b);
    p->x = calloc(n, sizeof *p->x);
    if (!p->row_start || !p->column || !p->value || !p->b || !p->x)
        return -ENOMEM;
    for (int j = 0; j < p->grid; j++)
        for (int i = 0; i < p->grid; i++)
            row_put(p, i, j);
    p->row_start[n] = p->nnz;
    return 0;
}

/* |b - A x| / |b|, from the driver's own matrix. */
static double residual(const struct problem *p)
{
    double left = 0., all = 0.;

    for (int i = 0; i < p->n; i++) {
        double r = p->b[i];

        for (int k = p->row_start[i]; k < p->row_start[i + 1]; k++)
            r -= p->value[k] * p->x[p->column[k]];
        left += r * r;
        all += p->b[i] * p->b[i];
    }
    return sqrt(left / all);
}

static int problem_solve(struct driver *d, struct problem *p)
{
    double tolerance = cca_services_param_double(d->services, "tolerance"), found;
    int64_t iterations = 0;
    int code;
    CCA_USE(struct matrix_port, matrix, d->services, "matrix");
    CCA_USE(struct preconditioner_port, preconditioner, d->services, "preconditioner");
    CCA_USE(struct solver_port, solver, d->services, "solver");

    if (!matrix || !preconditioner || !solver)
        return -ENOTCONN;
    code = matrix->load(matrix, p->n, p->nnz, p->row_start, p->column, p->value);
    if (!code)
        code = preconditioner->setup(preconditioner, p->n, p->nnz, p->row_start,
                                     p->column, p->value);
    if (!code)
        code = solver->solve(solver, p->n, p->nnz, p->b, p->x, tolerance, &iterations);
    if (code)
        return code;
    found = residual(p);
    printf("grid %d x %d: %" PRId64 " iterations, residual %.3g, u in the middle %.9g\n",
           p->grid, p->grid, iterations, found, p->x[(p->grid / 2) * (p->grid + 1)]);
    /* The solver knows its residual up to rounding. */
    if (!(found <= 2. * tolerance))
        return cca_services_fail(d->services, -ERANGE,
                                 "residual: found %g, expected at most %g", found,
                                 tolerance);
    return 0;
}

static int driver_go(struct go_port *self)
{
    struct driver *d = cca_container_of(self, struct driver, go);
    struct problem problem = {.grid = (int)cca_services_param_long(d->services, "grid")};
    int code = problem_make(&problem);

    if (!code)
        code = problem_solve(d, &problem);
    problem_done(&problem);
    return code;
}

static const struct go_port port = {.base = {GO_PORT_TYPE, sizeof port}, .go = driver_go};

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct driver, services),
    .name = "SolverDriver",
    .summary = "solves for the temperature of a square with smooth conductivity",
    CCA_IMPLEMENTS({"go", offsetof(struct driver, go), &port.base}),
    CCA_USES(CCA_REQUIRED("matrix", MATRIX_PORT_TYPE, struct matrix_port),
             CCA_REQUIRED("preconditioner", PRECONDITIONER_PORT_TYPE,
                          struct preconditioner_port),
             CCA_REQUIRED("solver", SOLVER_PORT_TYPE, struct solver_port)),
    CCA_PARAMS({"grid", CCA_LONG, "64", "1", "10000", NULL, NULL,
                "inner points of the grid, in x and in y", NULL},
               {"tolerance", CCA_DOUBLE, "1e-8", "1e-12", "0.1", NULL, NULL,
                "residual over right side", NULL}),
};
