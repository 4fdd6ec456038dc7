/* SPDX-License-Identifier: BSD-3-Clause */
/* explain.h: the mean cost of a call by what the call does.
 *
 *     rk2.integrator.advance   31 us = 2.1 us + 1.16 us * calls of rhs.rhs.evaluate a
 * call
 *
 * A method without parameters costs more in a larger run since it calls others more
 * often, or for larger sizes, or works beside methods that do. Such numbers are counts:
 * they have laws, and no noise. So a few runs tell more by them than a law of the noisy
 * cost in the run's parameters would. */
#ifndef MASTERMIND_FORECAST_EXPLAIN_H
#define MASTERMIND_FORECAST_EXPLAIN_H

#include "mastermind/forecast/cost.h"

#define MM_EXPLANATIONS 8

struct mm_explanation {
    double a, b;              /* mean cost = a + b * number, ns */
    struct mm_quantity *what; /* NULL: a constant */
    size_t cell,
        vertex;   /* the first cell that the number is of, and the explained method */
    int has_work; /* the number is a sum of: */
    struct mm_basis work;
    int is_own;     /* of calls that the method makes itself */
    char text[160]; /* "calls of rhs.rhs.evaluate a call" */
    double error;   /* relative, at sizes left out */
    double worth;   /* cross-validation error times the penalty of its kind: less is
                     * better */
};

/* Explain the mean cost `y` [runs] (NaN: the run has none) of a call of the cell's
 * method. The best ones, ascending by worth; `*count` of them. 0, or -ENOMEM with `err`.
 */
int mm_explain(struct mm_forecaster *forecaster, size_t cell, const double *y,
               struct mm_explanation explanations[MM_EXPLANATIONS], size_t *count,
               struct cca_error *err);

/* Predict the number of an explanation for the requested run. 0, also where it is not
 * known, or -ENOMEM with `err`. */
int mm_explanation_amount(struct mm_forecaster *forecaster, const struct mm_asked *asked,
                          const struct mm_explanation *by, struct mm_amount *what,
                          struct cca_error *err);

#endif
