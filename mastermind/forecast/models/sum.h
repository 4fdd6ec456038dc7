/* SPDX-License-Identifier: BSD-3-Clause */
/* sum.h: the cost of many calls of one method by its models, and its uncertainty.
 *
 * Errors of a model are common to all its calls: errors of the curve add up through the
 * covariance of its coefficients, errors from alternative forms and populations add up
 * linearly. The scatter of sizes about the curve is independent, and so are models of
 * different modes. The spread of single calls averages out. A size at which the class was
 * measured often enough counts with its measured mean. */
#ifndef MASTERMIND_FORECAST_MODELS_SUM_H
#define MASTERMIND_FORECAST_MODELS_SUM_H

#include "mastermind/forecast/models/library.h"
#include "mastermind/cost/cost.h"

/* Standard errors that a model contributes to a sum over calls. */
struct mm_model_sum {
    const struct mm_model *model;
    double slope[MM_FORM_TERMS]; /* derivative of the sum by each coefficient of the
                                    best form */
    double scatter2; /* variance from the scatter of sizes about the curve, which is
                        independent */
    double count_ns; /* standard error from the limited number of rare calls, common to
                        all calls */
    double rest_ns;  /* standard error from all other causes, common to all calls; NaN:
                        unknown */
};

struct mm_cost_sum {
    int own; /* true for the run's own calls, for which the mean of calls without a
                parameter is exact */
    struct mm_model_sum *models;
    size_t model_count;
    double cost_ns, calls; /* cost and number of calls with a known cost */
    double direct2;        /* squared half-width of a 95 % interval, over calls with a
                              measured mean */
    double variance_ns2;   /* variance of the sum, from the spread of single calls */
};

/* Add `calls` calls with in-values `in` of model->method. Returns 0 or -ENOMEM. */
int mm_cost_sum_add(struct mm_cost_sum *sum, const struct mm_model *model,
                    const union monitor_value *in, double calls);
/* Add `calls` calls at a size that the set itself has, with their measured mean. Returns
 * 1; 0: there were too few calls, the host took part of their time, or rare costs recur
 * by call number, which the model predicts better. */
int mm_cost_sum_direct(struct mm_cost_sum *sum, const struct mm_model *model,
                       const struct mm_point *point, double calls);
/* Half-width of the 95 % interval of a sum, from errors of the models; NaN: unknown. */
double mm_cost_sum_half(const struct mm_cost_sum *sum);
void mm_cost_sum_done(struct mm_cost_sum *sum);

/* --- callees.c ----------------------------------------------------------- */

/* Add the calls made by method `at` of a profile to the set's callees, which are
 * ascending by port type and method. Returns 0 or -ENOMEM. */
int mm_callees_add(struct mm_model_set *set, const struct mm_profile *profile, size_t at);

/* --- pool.c -------------------------------------------------------------- */

/* Decide which rows of a method form one set of models.
 *
 * Rows of one class, build and method that were measured together with the same classes,
 * and with the same callees, form one set. Rows from another context join it only if they
 * have the same costs at equal parameters (without parameters, on average), within the
 * variation between runs. */

/* Pool the rows of all methods of all library->profiles into library->sets, and note
 * which are separate. Returns 0 or -ENOMEM. */
int mm_pool_profiles(struct mm_library *library);

/* Return the context of method `at` of a profile, as text: the classes of all called
 * instances other than the method's own, a vertical bar, and the methods that method `at`
 * calls. The result is new; NULL: out of memory. */
char *mm_context_of(const struct mm_profile *profile, size_t at);
/* True if two contexts (texts of mm_context_of) have the same classes. */
int mm_context_same_classes(const char *a, const char *b);
/* The classes of context `a` that context `b` lacks: "A, B", or "" */
void mm_context_difference(const char *a, const char *b, char *text, size_t size);

#endif
