/* SPDX-License-Identifier: BSD-3-Clause */
/* fit.h: weighted linear least squares with a few columns, by a QR of our own (a
 * dense library would be a dependency for a few hundred multiplications). */
#ifndef MASTERMIND_COST_FORMS_FIT_H
#define MASTERMIND_COST_FORMS_FIT_H

#include <stddef.h>

#define MM_FIT_MAX 12 /* columns */
/* Share of a column that must remain after projection on others, else it depends on them:
 * of its square where only inner products are known, of its length in a fit. From 1e-11
 * to 1e-7 it moves nothing. */
#define MM_DEPENDENT 1e-9
/* 1 - leverage of a row that decides a coefficient alone, at most. */
#define MM_FIT_ALONE 1e-9

struct mm_fit {
    double coefficient[MM_FIT_MAX];
    /* Covariance of the coefficients if 1 / weight is the variance of each row; of the
     * first `columns` rows and columns. */
    double cov[MM_FIT_MAX][MM_FIT_MAX];
    double
        press; /* weighted sum of squared leave-one-out residuals, from the hat matrix */
    double chi2; /* weighted sum of squared residuals */
};

/* Minimise sum of weight[i] (y[i] - sum over k of coefficient[k] column[k][i])^2.
 *
 *   rows, columns    in       columns <= rows, columns <= MM_FIT_MAX
 *   column           in       [columns] pointers to [rows]
 *   y, weight        in       [rows], weight >= 0
 *   work             scratch  [(columns + 1) * rows]
 *   loo              out      [rows] residual of each row, unweighted, in a fit without
 * it; NULL: not wanted
 *
 * Returns 0; -EDOM where the columns are dependent, or a row decides a coefficient alone
 * so that no fit without it exists. */
int mm_fit_linear(size_t rows, size_t columns, const double *const *column,
                  const double *y, const double *weight, double *work, struct mm_fit *fit,
                  double *loo);
/* Like it, but a row may decide a coefficient alone: no leave-one-out residuals, and
 * press is NaN. */
int mm_fit_plain(size_t rows, size_t columns, const double *const *column,
                 const double *y, const double *weight, double *work, struct mm_fit *fit);

#endif
