/* SPDX-License-Identifier: BSD-3-Clause */
/* fit.h: weighted linear least squares with a few columns, by our own QR decomposition (a
 * dense library would be a large dependency for a few hundred multiplications). */
#ifndef MASTERMIND_COST_FORMS_FIT_H
#define MASTERMIND_COST_FORMS_FIT_H

#include <stddef.h>

#define MM_FIT_MAX 12 /* largest number of columns, which are the terms of a sum */
/* Least share of a column that must remain after projection on the others; below it the
 * column counts as dependent. It is a share of the square where only inner products are
 * known, and of the length in a fit. Values from 1e-11 to 1e-7 give the same results. */
#define MM_DEPENDENT 1e-9
/* Least 1 - leverage; below it, a row determines a coefficient alone. */
#define MM_FIT_ALONE 1e-9

struct mm_fit {
    double coefficient[MM_FIT_MAX];
    /* Covariance of the coefficients if 1 / weight is the variance of each row; only the
     * first `columns` rows and columns are set. */
    double cov[MM_FIT_MAX][MM_FIT_MAX];
    double press; /* weighted sum of squared left-out residuals, from the hat matrix */
    double chi2;  /* weighted sum of squared residuals */
};

/* Minimise sum of weight[i] (y[i] - sum over k of coefficient[k] column[k][i])^2.
 *
 *   rows, columns    in       columns <= rows, columns <= MM_FIT_MAX
 *   column           in       [columns] pointers to [rows]
 *   y, weight        in       [rows], weight >= 0
 *   work             scratch  [(columns + 1) * rows]
 *   loo              out      [rows] unweighted residual of each row in a fit without it;
 *                             NULL: not wanted
 *
 * Returns 0; -EDOM where the columns are dependent, or a row determines a coefficient
 * alone, so that no fit without it exists. */
int mm_fit_linear(size_t rows, size_t columns, const double *const *column,
                  const double *y, const double *weight, double *work, struct mm_fit *fit,
                  double *loo);
/* Like mm_fit_linear, but a row may determine a coefficient alone: there are no left-out
 * residuals, and press is NaN. */
int mm_fit_plain(size_t rows, size_t columns, const double *const *column,
                 const double *y, const double *weight, double *work, struct mm_fit *fit);

#endif
