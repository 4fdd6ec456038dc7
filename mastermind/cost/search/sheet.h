/* SPDX-License-Identifier: BSD-3-Clause */
/* sheet.h: the numbers of a sample table made ready for the search of forms.
 *
 * Costs are in units of the largest one. A row's weight is one over its variance: that of
 * the calls, which the table has, and that by which sizes scatter for other reasons
 * (tau), which is estimated. */
#ifndef MASTERMIND_COST_SEARCH_SHEET_H
#define MASTERMIND_COST_SEARCH_SHEET_H

#include "mastermind/cost/forms/form.h"
#include "mastermind/cost/calls/sample_table.h"

/* Errors relative to a cost that are the rounding of our own sums. */
#define MM_EXACT 1e-6

/* A parameter that varies. */
struct mm_axis {
    size_t parameter; /* index of the in-value */
    double *x, *log;  /* [rows]; log2, NULL where a value is not above 0 */
    double low, high;
    size_t distinct; /* distinct values, counted up to 64 */
    size_t group;    /* axes of one group are powers of each other in all rows */
    double degree;   /* of this axis as a power of the slowest axis of its group */
    double price;    /* of a term with it, beyond the price of the term */
    int wide;        /* it varies enough to tell of other sizes */
};

struct mm_sheet {
    const struct mm_sample_table *table; /* borrowed */
    size_t rows, axes;
    struct mm_axis axis[MONITOR_MAX_IN];
    double *y;      /* [rows] cost, of units */
    double *noise;  /* [rows] variance of y by the calls of the row */
    double *size;   /* [rows] what errors of the row are relative to */
    double *weight; /* [rows] 1 / (noise + tau^2 size^2) */
    double *root;   /* [rows] its root */
    double unit;    /* ns */
    double tau;     /* relative */
    double known;   /* share of a row's variance that its calls explain, 0 to 1 */
    double *memory;
};

/* Take rows of `table`: those whose numbers are row[0 .. rows), or with NULL all that
 * have a finite cost. A sheet may have no row. 0 or -ENOMEM; mm_sheet_done frees it. */
int mm_sheet_init(struct mm_sheet *sheet, const struct mm_sample_table *table,
                  const size_t *row, size_t rows);
void mm_sheet_done(struct mm_sheet *sheet);
/* Set tau, and with it the weights. */
void mm_sheet_set_tau(struct mm_sheet *sheet, double tau);
/* Values of `basis` for the rows, [rows]. False where one is not finite. */
int mm_sheet_evaluate(const struct mm_sheet *sheet, const struct mm_basis *basis,
                      double *value);
/* The axis of an in-value; NULL: it does not vary. */
const struct mm_axis *mm_sheet_axis(const struct mm_sheet *sheet, size_t parameter);

#endif
