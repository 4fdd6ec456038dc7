/* SPDX-License-Identifier: BSD-3-Clause */
/* sheet.h: a sample table prepared for the search for forms.
 *
 * Costs are in units of the largest cost. The weight of a row is the inverse of its
 * variance. That is the sum of the variance due to its calls, from the table, and of the
 * scatter of sizes for other reasons (tau), which is estimated. */
#ifndef MASTERMIND_COST_SEARCH_SHEET_H
#define MASTERMIND_COST_SEARCH_SHEET_H

#include "mastermind/cost/forms/form.h"
#include "mastermind/cost/calls/sample_table.h"

/* Relative errors below this are rounding errors of our own sums. */
#define MM_EXACT 1e-6

/* A parameter that varies. */
struct mm_axis {
    size_t parameter; /* index of the in-value */
    double *x, *log;  /* [rows] value of the parameter, and its log2, or NULL if a
                         value is not positive */
    double low, high;
    size_t distinct; /* number of distinct values of the parameter, counted up to 64 */
    size_t group;    /* axes of one group are powers of each other in all rows */
    double degree;   /* power to which the axis of this group that varies least must be
                        raised to give this axis */
    double price;    /* price (penalty) of a term with this parameter, beside the
                        term's own price */
    int wide;        /* true if the parameter's range is wide enough for predictions at
                        other sizes */
};

struct mm_sheet {
    const struct mm_sample_table *table; /* typical costs of the sizes; borrowed */
    size_t rows, axes;
    struct mm_axis axis[MONITOR_MAX_IN];
    double *y;      /* [rows] cost of each size in units of `unit` */
    double *noise;  /* [rows] variance of y due to the calls of the row */
    double *size;   /* [rows] cost to which relative errors of the row refer */
    double *weight; /* [rows] 1 / (noise + tau^2 size^2) */
    double *root;   /* [rows] square root of weight */
    double unit;    /* unit of y in ns: the largest cost */
    double tau;     /* relative scatter of sizes about the form */
    double known;   /* share of a row's variance due to its calls, 0 to 1 */
    double *memory;
};

/* Take the rows row[0 .. rows) of `table`, or with NULL all rows with a finite cost. A
 * sheet may be empty. Returns 0 or -ENOMEM. Free with mm_sheet_done. */
int mm_sheet_init(struct mm_sheet *sheet, const struct mm_sample_table *table,
                  const size_t *row, size_t rows);
void mm_sheet_done(struct mm_sheet *sheet);
/* Set tau and the weights that depend on it. */
void mm_sheet_set_tau(struct mm_sheet *sheet, double tau);
/* Values of the basis function for the rows (sizes), [rows]. False if one is not
 * finite. */
int mm_sheet_evaluate(const struct mm_sheet *sheet, const struct mm_basis *basis,
                      double *value);
/* The axis of an in-value; NULL: the in-value does not vary. */
const struct mm_axis *mm_sheet_axis(const struct mm_sheet *sheet, size_t parameter);

#endif
