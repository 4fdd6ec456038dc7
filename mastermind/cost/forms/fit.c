/* SPDX-License-Identifier: BSD-3-Clause */
/* fit.c: weighted linear least squares with leave-one-out residuals in closed form. */
#include "mastermind/cost/forms/fit.h"

#include <errno.h>
#include <math.h>

#include "mastermind/cost/forms/dot.h"

/* share of a column's length that remains after projection on the other columns; below
 * it, coefficients are refined */
#define ILL .05

/* Orthonormalise the weighted columns into q by modified Gram-Schmidt, twice; r is upper
 * triangular. For few columns this is as precise as Householder reflections, and it gives
 * Q itself, whose rows yield the leverages. */
static int orthonormalise(size_t rows, size_t columns, double *q, double r[][MM_FIT_MAX])
{
    for (size_t k = 0; k < columns; k++) {
        double *column = q + k * rows;
        double length = sqrt(mm_dot(column, column, rows)), rest;

        if (!(length > 0) || !isfinite(length))
            return -EDOM;
        for (size_t j = 0; j < k; j++)
            r[j][k] = 0;
        for (int pass = 0; pass < 2; pass++) {
            for (size_t j = 0; j < k; j++) {
                const double *other = q + j * rows;
                double part = mm_dot(other, column, rows);

                r[j][k] += part;
                for (size_t i = 0; i < rows; i++)
                    column[i] -= part * other[i];
            }
        }
        rest = sqrt(mm_dot(column, column, rows));
        if (!(rest > MM_DEPENDENT * length))
            return -EDOM;
        r[k][k] = rest;
        for (size_t i = 0; i < rows; i++)
            column[i] /= rest;
    }
    return 0;
}

/* For one column: the residual of row `i` in a fit without it. Exact even where the row
 * has almost all weight, so that 1 - leverage would be rounding. */
static int without_row(size_t rows, const double *column, const double *y,
                       const double *weight, size_t i, double *without)
{
    double squares = 0, product = 0;

    for (size_t k = 0; k < rows; k++) {
        if (k == i)
            continue;
        squares += weight[k] * column[k] * column[k];
        product += weight[k] * column[k] * y[k];
    }
    if (!(squares > 0))
        return -EDOM;
    *without = sqrt(weight[i]) * (y[i] - column[i] * product / squares);
    return 0;
}

static int leave_one_out(size_t rows, size_t columns, const double *const *column,
                         const double *y, const double *q, const double *residual,
                         const double *weight, struct mm_fit *fit, double *loo)
{
    fit->press = fit->chi2 = 0;
    for (size_t i = 0; i < rows; i++) {
        double root = sqrt(weight[i]), leverage = 0, without;

        for (size_t k = 0; k < columns; k++)
            leverage += q[k * rows + i] * q[k * rows + i];
        if (1 - leverage >= MM_FIT_ALONE)
            without = residual[i] / (1 - leverage);
        else if (columns > 1 || without_row(rows, column[0], y, weight, i, &without) < 0)
            return -EDOM;
        fit->press += without * without;
        fit->chi2 += residual[i] * residual[i];
        if (loo)
            loo[i] = root > 0 ? without / root : 0;
    }
    return 0;
}

/* Compute the coefficients from R and the projections of y on Q. */
static void solve_back(size_t columns, double r[][MM_FIT_MAX], const double *projected,
                       double *coefficient)
{
    for (size_t k = columns; k-- > 0;) {
        double value = projected[k];

        for (size_t j = k + 1; j < columns; j++)
            value -= r[k][j] * coefficient[j];
        coefficient[k] = value / r[k][k];
    }
}

/* Set the covariance, (R'R)^-1. */
static void set_covariance(size_t columns, double r[][MM_FIT_MAX], struct mm_fit *fit)
{
    double inverse[MM_FIT_MAX][MM_FIT_MAX]; /* inverse of the triangular matrix R;
                                               column k solves R x = unit vector k */

    for (size_t k = 0; k < columns; k++) {
        double unit[MM_FIT_MAX] = {0}, x[MM_FIT_MAX];

        unit[k] = 1;
        solve_back(columns, r, unit, x);
        for (size_t j = 0; j < columns; j++)
            inverse[j][k] = x[j];
    }
    for (size_t j = 0; j < columns; j++) {
        for (size_t k = 0; k <= j; k++) {
            fit->cov[j][k] = mm_dot(inverse[j], inverse[k], columns);
            fit->cov[k][j] = fit->cov[j][k];
        }
    }
}

/* Refine coefficients and residuals iteratively (Bjoerck 1967): compute the residuals of
 * residual + A x = y and A' residual = 0 with more digits, and solve for them. Needed
 * where columns are nearly dependent or residuals large, which magnifies rounding. */
static void refine(size_t rows, size_t columns, const double *const *column,
                   const double *y, const double *weight, const double *q,
                   double r[][MM_FIT_MAX], double *residual, struct mm_fit *fit)
{
    double step[MM_FIT_MAX], along[MM_FIT_MAX], change[MM_FIT_MAX];

    for (size_t k = 0; k < columns; k++) {
        long double left = 0;

        for (size_t i = 0; i < rows; i++)
            left -= (long double)column[k][i] * sqrt(weight[i]) * residual[i];
        along[k] = (double)left;
        for (size_t j = 0; j < k; j++)
            along[k] -= r[j][k] * along[j];
        along[k] /= r[k][k];
        step[k] = -along[k];
    }
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < rows; i++) {
            long double left = y[i];

            for (size_t k = 0; k < columns; k++)
                left -= (long double)column[k][i] * fit->coefficient[k];
            left = left * sqrt(weight[i]) - residual[i];
            for (size_t k = 0; k < columns; k++) {
                if (pass)
                    left -= q[k * rows + i] * step[k];
                else
                    step[k] += q[k * rows + i] * (double)left;
            }
            if (pass)
                residual[i] += (double)left;
        }
    }
    solve_back(columns, r, step, change);
    for (size_t k = 0; k < columns; k++)
        fit->coefficient[k] += change[k];
}

/* True where a column of the matrix is nearly dependent on earlier ones. */
static int is_ill(size_t columns, double r[][MM_FIT_MAX])
{
    for (size_t k = 1; k < columns; k++) {
        double before = 0;

        for (size_t j = 0; j < k; j++)
            before += r[j][k] * r[j][k];
        if (r[k][k] * r[k][k] < ILL * ILL * before)
            return 1;
    }
    return 0;
}

/* Fit the coefficients; the orthonormal columns Q stay in work[0 .. columns * rows),
 * followed by the weighted residuals. */
static int fit_columns(size_t rows, size_t columns, const double *const *column,
                       const double *y, const double *weight, double *work,
                       struct mm_fit *fit)
{
    double r[MM_FIT_MAX][MM_FIT_MAX], projected[MM_FIT_MAX];
    double *q = work, *residual = work + columns * rows;

    if (!columns || columns > MM_FIT_MAX || columns > rows)
        return -EDOM;
    for (size_t i = 0; i < rows; i++) {
        double root = sqrt(weight[i]);

        for (size_t k = 0; k < columns; k++)
            q[k * rows + i] = root * column[k][i];
        residual[i] = root * y[i];
    }
    if (orthonormalise(rows, columns, q, r) < 0)
        return -EDOM;
    for (size_t k = 0; k < columns; k++) {
        projected[k] = mm_dot(q + k * rows, residual, rows);
        for (size_t i = 0; i < rows; i++)
            residual[i] -= projected[k] * q[k * rows + i];
    }
    solve_back(columns, r, projected, fit->coefficient);
    for (int pass = 0; pass < 2 && is_ill(columns, r); pass++)
        refine(rows, columns, column, y, weight, q, r, residual, fit);
    set_covariance(columns, r, fit);
    return 0;
}

int mm_fit_linear(size_t rows, size_t columns, const double *const *column,
                  const double *y, const double *weight, double *work, struct mm_fit *fit,
                  double *loo)
{
    if (fit_columns(rows, columns, column, y, weight, work, fit) < 0)
        return -EDOM;
    return leave_one_out(rows, columns, column, y, work, work + columns * rows, weight,
                         fit, loo);
}

int mm_fit_plain(size_t rows, size_t columns, const double *const *column,
                 const double *y, const double *weight, double *work, struct mm_fit *fit)
{
    if (fit_columns(rows, columns, column, y, weight, work, fit) < 0)
        return -EDOM;
    fit->press = NAN;
    fit->chi2 = mm_dot(work + columns * rows, work + columns * rows, rows);
    return 0;
}
