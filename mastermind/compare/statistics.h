/* SPDX-License-Identifier: BSD-3-Clause */
/* statistics.h: compute, for each hypothesis, one number for each run, and the
 * significance of its difference between the sides. */
#ifndef MASTERMIND_COMPARE_STATISTICS_H
#define MASTERMIND_COMPARE_STATISTICS_H

#include "mastermind/compare/diff.h"

/* Probability that at least one of all hypotheses gets a verdict although the runs of
 * both sides are equal. */
#define MM_DIFF_ERROR .05

/* Numbers of a method in each run, as logarithms, so that differences are relative. */
struct mm_diff_numbers {
    /* [runs] for each part of the change (calls, sizes, dearer) one number for each run;
     * NaN: unknown */
    double *value[MM_DIFF_RARE];
    /* [cells] logarithm of a cell's cost relative to the run; NaN: unknown */
    double *shape;
    /* [runs][cells] logarithm of the typical cost, winsorized; NaN: unknown */
    double *clipped;
    int by_model;
};

/* Compute the numbers of a method. Returns 0 or -ENOMEM; call mm_diff_numbers_done in any
 * case. */
int mm_diff_numbers_of(struct mm_diff_numbers *numbers, const struct mm_diff_table *table,
                       const size_t runs[2]);
void mm_diff_numbers_done(struct mm_diff_numbers *numbers);

/* True if the values of the runs are equal within each side. */
int mm_diff_is_exact(const double *values, const size_t runs[2]);

/* Return a divisor of |t|, at least 1, that allows for a correlation of successive runs;
 * -1: out of memory. when[runs] are the start times, or NULL. */
double mm_diff_serial(const double *when, const size_t runs[2]);

/* Compute the adjusted p of `count` hypotheses that are tested together. values[i] has
 * the runs[0] + runs[1] numbers of hypothesis i, all known; `serial` is from
 * mm_diff_serial. Returns the number of splits that were compared, 0 if Bonferroni's
 * inequality was used; or -ENOMEM. */
long mm_diff_adjusted(const double *const *values, size_t count, const size_t runs[2],
                      double serial, double *p);

/* Return the cost that a run's calls of a method would have if each had the typical cost
 * of its cell. */
double mm_diff_run_cost(const struct mm_diff_numbers *numbers,
                        const struct mm_diff_table *table, size_t run);

/* A change that was found by other means: a part of a method's cost, or a total as in
 * struct mm_diff_change. */
struct mm_diff_found {
    size_t table; /* index in the tables */
    enum mm_diff_part part;
    int total; /* -1: a method's */
    double p;
};

/* Compare two sides as mm_diff_compare does, but with the significance of all changes
 * given: the changes in `found` are no chance, all others are. Returns 0 or -ENOMEM; call
 * mm_diff_done in any case. The methods are in the order of the tables. */
int mm_diff_conclude_found(struct mm_diff *diff, const struct mm_diff_tables *tables,
                           const struct mm_diff_limits *limits,
                           const struct mm_diff_found *found, size_t count);

#endif
