/* SPDX-License-Identifier: BSD-3-Clause */
/* law.h: scaling functions (struct mm_law) of counts and sums, in a run's parameters.
 *
 * A count (calls, bytes, a sum of sizes) has no clock noise. It often follows a closed
 * form in the parameters of the run, such as 2 NX NY ceil(NX / PATCH), which a few runs
 * determine. Where it depends on the solution (cells of an adaptive mesh), it follows a
 * power law with scatter.
 *
 * An exogenous count (a "driver" in names of the code) is another counted quantity of the
 * same runs, such as the number of cells, which the solution determines. A scaling
 * function may use exogenous counts beside parameters; for a prediction the caller passes
 * their values, which their own scaling functions predict. */
#ifndef MASTERMIND_COUNTS_LAWS_LAW_H
#define MASTERMIND_COUNTS_LAWS_LAW_H

#include <stddef.h>

#include "ports/cca_error.h"

#define MM_LAW_AXES 16  /* largest number of parameters and exogenous counts */
#define MM_LAW_RUNS 400 /* largest number of runs with different parameters */

struct mm_law;

struct mm_law_axis {
    const char *name;
    int is_driver;
};

/* Runs; borrowed. Runs with a number that is not finite are ignored. Equal runs are
 * replaced by their mean; if they differ, no scaling function is exact. */
struct mm_law_table {
    const struct mm_law_axis *axis; /* [axes] names and kinds of the axes */
    size_t axes;
    size_t runs;
    const double *x; /* [runs][axes] parameters and exogenous counts of the runs */
    const double *y; /* [runs] values of the quantity */
    int is_rounded;  /* y is a whole number that the solution may determine, such as the
                        number of time steps: a form with fractions like 1.125 * NX is not
                        exact, even if it fits all runs */
};

enum mm_law_kind {
    MM_LAW_NONE,  /* too few runs: only the values of the runs themselves are known */
    MM_LAW_EXACT, /* a closed form fits every run to 1e-10, and is much shorter than the
                     runs */
    MM_LAW_TREND  /* a fit with scatter */
};

/* A number and its interval; exact: low = value = high. */
struct mm_law_number {
    double value, low, high;
};

enum mm_law_reason {
    MM_LAW_IS_KNOWN,
    MM_LAW_AXIS_DID_NOT_VARY, /* the axis was the same in all runs, but differs in the
                                 request */
    MM_LAW_AXIS_NOT_ALONE, /* the axis varied in step with other axes in the runs, but not
                              in the request */
    MM_LAW_TOO_FEW_RUNS,
    MM_LAW_AXIS_OUTSIDE, /* the scaling function has no value at this parameter, such as
                            the logarithm of 0 */
    MM_LAW_AXIS_IS_ZERO  /* a size is 0, which may mean "no bound", but was positive in
                            all runs */
};

struct mm_law_prediction {
    struct mm_law_number number; /* predicted value with a 90 % interval unless exact;
                                    NaN unless known */
    enum mm_law_reason reason;
    const char *axis; /* name of the axis that is the reason, borrowed from the scaling
                         function; NULL: none */
    int exact; /* true if the scaling function is a closed form, all forms that fit the
                  runs agree, and the exogenous counts are exact */
    double
        beyond; /* factor by which the farthest parameter is beyond the runs; 1: inside */
    double own; /* half-width of the interval relative to the value, due to the scaling
                   function alone */
    /* half-width relative to the value, due to the exogenous counts alone */
    double drivers;
};

/* Find the scaling function of a table. The result is new: free it with mm_law_free; NULL
 * with an error: out of memory (-ENOMEM), more than MM_LAW_AXES axes (-E2BIG), more than
 * MM_LAW_RUNS different runs (-E2BIG), or no run with finite numbers (-ENODATA).
 * Deterministic; the order of runs does not matter. */
struct mm_law *mm_law_find(const struct mm_law_table *table, struct cca_error *err);
void mm_law_free(struct mm_law *law);

enum mm_law_kind mm_law_kind(const struct mm_law *law);
/* Number of different runs that the scaling function is fitted to. */
size_t mm_law_runs(const struct mm_law *law);
/* True for a plain closed form, or if a power of one axis, fitted to smaller runs,
 * predicts larger runs of two sizes or more far better than a constant. A form chosen
 * from hundreds would prove nothing. */
int mm_law_is_proven(const struct mm_law *law);
/* Logarithmic error (rms) at larger runs of a scaling function fitted to smaller ones; 0:
 * a closed form; infinite: too few runs. */
double mm_law_ahead(const struct mm_law *law);
/* Like mm_law_ahead, for a constant instead of the scaling function. */
double mm_law_level_ahead(const struct mm_law *law);
/* Predict at `x` [axes]; uses the value of parameters, value and interval of exogenous
 * counts. At a recorded run the answer is its count.
 *
 * The interval of a trend has two parts. First the scatter in runs left out, one by one
 * and the largest ones ahead of the smaller ones, times the leverage of `x`, so that it
 * grows with the logarithmic distance from the runs. Second the differences between forms
 * that fit the runs equally well. Errors of exogenous counts are added as if fully
 * correlated; they are independent of the scaling function's own. */
void mm_law_predict(const struct mm_law *law, const struct mm_law_number *x,
                    struct mm_law_prediction *prediction);
/* Print the (best) form: "2 * NX * ceil(NX/PATCH) + 4". Returns the length, like
 * snprintf. */
int mm_law_print(const struct mm_law *law, char *text, size_t size);
/* Print the reason why a scaling function has no value: "NY did not vary". */
int mm_law_print_reason(const struct mm_law_prediction *prediction, char *text,
                        size_t size);

#endif
