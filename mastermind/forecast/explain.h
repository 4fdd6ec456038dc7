/* SPDX-License-Identifier: BSD-3-Clause */
/* explain.h: the mean cost of a call as a function of a count.
 *
 *     rk2.integrator.advance   31 us a call = 2.1 us + 1.16 us * calls of
 *                                             rhs.rhs.evaluate in it
 *
 * A method without parameters costs more in a larger run because it calls other methods
 * more often, or with larger sizes, or works on the data of methods that do. Such numbers
 * are counts, which have scaling functions and no noise. So with few runs they
 * predict better than a scaling function of the noisy cost in the run's parameters. */
#ifndef MASTERMIND_FORECAST_EXPLAIN_H
#define MASTERMIND_FORECAST_EXPLAIN_H

#include "mastermind/forecast/cost.h"

#define MM_EXPLANATIONS 8

struct mm_explanation {
    double a, b;              /* coefficients of the mean cost = a + b * number, ns */
    struct mm_quantity *what; /* number that explains the cost; NULL: a constant */
    size_t cell, vertex; /* indexes of the first cell with the counted calls, and of the
                            vertex of the explained method */
    int has_work;        /* true if the number is a sum of `work` over calls */
    struct mm_basis work;
    int is_own;     /* true if the number counts calls that the method itself makes */
    char text[160]; /* text of the number: "calls of rhs.rhs.evaluate a call" */
    double error;   /* relative error at left-out sizes */
    double worth; /* cross-validation error times the penalty of this kind of explanation:
                     less is better */
};

/* Explain the mean cost `y` [runs] (NaN: the run has none) of a call of the cell's
 * method. `found` gets the best explanations, ascending by worth; `*count` of them.
 * Returns 0, or -ENOMEM with `err`. */
int mm_explain(struct mm_forecaster *forecaster, size_t cell, const double *y,
               struct mm_explanation explanations[MM_EXPLANATIONS], size_t *count,
               struct cca_error *err);

/* Predict the number of an explanation for the requested run. Returns 0, also if it is
 * unknown, or -ENOMEM with `err`. */
int mm_explanation_amount(struct mm_forecaster *forecaster, const struct mm_asked *asked,
                          const struct mm_explanation *by, struct mm_amount *what,
                          struct cca_error *err);

#endif
