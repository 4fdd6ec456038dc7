/* SPDX-License-Identifier: BSD-3-Clause */
/* form.h: a sum of basis functions with fitted coefficients, and alternative forms. */
#ifndef MASTERMIND_COST_FORMS_FORM_H
#define MASTERMIND_COST_FORMS_FORM_H

#include "mastermind/cost/forms/basis.h"

/* largest number of terms of a form: a constant, three other terms, two breaks */
#define MM_FORM_TERMS 6
#define MM_FORMS 6 /* largest number of forms: the best one and its alternatives */

struct mm_form {
    struct mm_basis basis[MM_FORM_TERMS];     /* basis functions of the form; a constant
                                                 comes last */
    double a[MM_FORM_TERMS];                  /* coefficients of the basis functions; ns,
                                                 or counts */
    double cov[MM_FORM_TERMS][MM_FORM_TERMS]; /* covariance of the coefficients; NaN:
                                                 unknown */
    size_t count;
    double weight; /* probability among the forms of a model; the sum is 1 */
    double score;  /* score as search/judge.h defines it; a smaller score is better */
    double error;  /* median relative error at left-out sizes; NaN: too few sizes */
};

/* Forms that the data cannot distinguish, the best first. */
struct mm_forms {
    struct mm_form form[MM_FORMS];
    size_t count; /* >= 1 once fitted */
    double tau;   /* relative scatter of the costs of sizes about the best form, beyond
                     the noise of single calls */
};

/* Value of the form at `x`, which may be negative or not finite beyond the sizes of the
 * fit. */
double mm_form_value(const struct mm_form *form, const double *x);
/* Variance of the form's value from the covariance of the coefficients; NaN: unknown. */
double mm_form_variance(const struct mm_form *form, const double *x);
/* True if the form is a constant. */
int mm_form_is_constant(const struct mm_form *form);
/* The constant term of the form, or 0. */
double mm_form_constant(const struct mm_form *form);
/* True if a term of the form contains in-value `parameter`. */
int mm_form_uses(const struct mm_form *form, size_t parameter);
/* True if a term of the form is a hinge or a jump. */
int mm_form_has_break(const struct mm_form *form);

#endif
