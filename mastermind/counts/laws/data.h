/* SPDX-License-Identifier: BSD-3-Clause */
/* data.h: the different runs of a table, and the variables that formulas may use. */
#ifndef MASTERMIND_COUNTS_LAWS_DATA_H
#define MASTERMIND_COUNTS_LAWS_DATA_H

#include "mastermind/counts/laws/law.h"
#include "mastermind/counts/laws/variable.h"

#define MM_LAW_FACTORS 40 /* largest number of variables in products */
/* largest number of variables, including those used alone as terms */
#define MM_LAW_VARIABLES 100
/* Part of a unit vector, or of its square, that rounding may leave. */
#define MM_LAW_ROUNDING 1e-13

struct mm_law_data {
    char *name[MM_LAW_AXES]; /* names of the axes (parameters); owned */
    int is_driver[MM_LAW_AXES];
    int varies[MM_LAW_AXES];
    int is_positive[MM_LAW_AXES]; /* true if the axis is positive in all runs */
    int matters[MM_LAW_AXES];  /* false if runs that differ on this axis alone have equal
                                  counts */
    int is_whole[MM_LAW_AXES]; /* true if the axis is a parameter with whole numbers from
                                  0 in all runs */
    size_t axes;
    double *x;    /* [runs][axes] parameters of the runs, owned; ascending by size, the
                     sum of the logarithms of parameters */
    double *y;    /* [runs] counts or costs, owned */
    double *half; /* [runs] half the difference between the counts of equal runs, owned */
    size_t runs, disagreeing;
    int is_rounded; /* `is_rounded` of the table (mm_law_table) */
    struct mm_law_variable variable[MM_LAW_VARIABLES]; /* variables that vary */
    /* the first `factors` variables may be factors of products */
    size_t variables, factors;
};

/* Returns 0, -ENOMEM, -E2BIG or -ENODATA; free `data` in any case. */
int mm_law_data_init(struct mm_law_data *data, const struct mm_law_table *table,
                     struct cca_error *err);
void mm_law_data_done(struct mm_law_data *data);
/* List the variables of terms in `data`; called once, at the end of mm_law_data_init. */
void mm_law_data_list(struct mm_law_data *data);
/* Compute the values of the variables at parameters `x` [axes]. */
void mm_law_data_variables(const struct mm_law_data *data, const double *x,
                           double *value);
/* Number of pieces of at most b into which a is cut at parameters `x`, if a was one piece
 * in all runs; else 1. */
double mm_law_data_new_pieces(const struct mm_law_data *data, size_t a, size_t b,
                              const double *x);
/* Weights of `runs` counts or costs `y`: errors count relative to y, where a y below 1 %
 * of the largest counts as 1 %. */
void mm_law_weigh(const double *y, size_t runs, double *weight);
/* The run with parameters and exogenous counts `x`; `runs` if there is none. */
size_t mm_law_data_find(const struct mm_law_data *data, const double *x);
/* The first parameter that is 0 at `x` but in no run, and so may mean "no bound"; `axes`
 * if there is none. */
size_t mm_law_data_zero(const struct mm_law_data *data, const double *x);
/* The first parameter that takes `x` out of the span of the runs; `axes` if there is
 * none. */
size_t mm_law_data_outside(const struct mm_law_data *data, const double *x);

#endif
