/* SPDX-License-Identifier: BSD-3-Clause */
/* sheet.h: fits of trends, judged by runs outside the fit: each single one, and the
 * larger ones after the smaller ones. */
#ifndef MASTERMIND_COUNTS_LAWS_SHEET_H
#define MASTERMIND_COUNTS_LAWS_SHEET_H

#include "mastermind/counts/laws/trend.h"

/* The runs as the columns of a regression. */
struct mm_law_sheet {
    const struct mm_law_data *data;
    double *values;   /* memory of all arrays below, owned */
    double *variable; /* [factors][runs] value of each variable */
    double *shape; /* [factors][MM_LAW_SHAPES][runs] value of each shape of each variable;
                      not finite: the shape has no value */
    double *made;  /* [MM_LAW_TERMS][runs] terms of a sum */
    double *ones, *logs, *target, *weight, *work;
    double most;                        /* largest count of all runs */
    const double *column[MM_LAW_TERMS]; /* columns of the member being fitted */
    double floor;                       /* least variance of a fit, from rounding to
                                           whole numbers */
};

/* Returns 0 or -ENOMEM; free with mm_law_sheet_done in any case. */
int mm_law_sheet_init(struct mm_law_sheet *sheet, const struct mm_law_data *data);
void mm_law_sheet_done(struct mm_law_sheet *sheet);
/* Set the regression to the product of a member, with the member's recency. */
int mm_law_sheet_product(struct mm_law_sheet *sheet, const struct mm_law_member *member);
/* Set the regression to a member that is a sum of terms, with the runs' weights. */
void mm_law_sheet_sum(struct mm_law_sheet *sheet, const struct mm_law_member *member,
                      const struct mm_law_term *const *term, const double *weight);
/* Fit the member and set its score. `chosen` is the number of powers that were chosen
 * among many to fit the runs, beside its columns. Returns 0, or -EDOM if the runs do not
 * determine its coefficients. */
int mm_law_sheet_fit(struct mm_law_sheet *sheet, struct mm_law_member *member,
                     size_t chosen, double price, int is_judged_forward);
/* Values of a variable's shape in the runs, as a column of the regression. */
const double *mm_law_sheet_shape(const struct mm_law_sheet *sheet, size_t variable,
                                 enum mm_law_shape shape);

#endif
