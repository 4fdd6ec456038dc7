/* SPDX-License-Identifier: BSD-3-Clause */
/* statistics.h: one number of each run for each hypothesis, and the significance of a
 * difference. */
#ifndef MASTERMIND_COMPARE_STATISTICS_H
#define MASTERMIND_COMPARE_STATISTICS_H

#include "mastermind/compare/diff.h"

/* Probability of at least one wrong verdict on equal runs, over all hypotheses. */
#define MM_DIFF_ERROR .05

/* Numbers of a method in each run, as logarithms, so that differences are relative. */
struct mm_diff_numbers {
    double *value[MM_DIFF_RARE]; /* [runs] values for each part of the change (calls,
                                    sizes, dearer); NaN: unknown */
    double *shape;   /* [cells] log cost of a cell relative to the run; NaN: unknown */
    double *clipped; /* [runs][cells] log typical costs, winsorized; NaN: unknown */
    int by_model;
};

/* Compute the numbers of a method. Returns 0 or -ENOMEM; call mm_diff_numbers_done in any
 * case. */
int mm_diff_numbers_of(struct mm_diff_numbers *numbers, const struct mm_diff_table *table,
                       const size_t runs[2]);
void mm_diff_numbers_done(struct mm_diff_numbers *numbers);

/* True if the values of the runs are equal within each side. */
int mm_diff_is_exact(const double *values, const size_t runs[2]);

/* Divisor of |t| for the correlation of successive runs; `when` [runs] or NULL. At least
 * 1; -1: out of memory. */
double mm_diff_serial(const double *when, const size_t runs[2]);

/* Adjusted p of `count` hypotheses tested together: values[i] is [runs[0] + runs[1]], all
 * known; `serial` as above. Returns the number of splits that were compared, 0:
 * Bonferroni; -ENOMEM. */
long mm_diff_adjusted(const double *const *values, size_t count, const size_t runs[2],
                      double serial, double *p);

#endif
