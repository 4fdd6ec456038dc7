/* SPDX-License-Identifier: BSD-3-Clause */
/* model.h: the exclusive time of one method of one class in one mode, as a function of
 * its parameters.
 *
 *   points ──▶ sample_table ──▶ search ──▶ forms ─┐
 *      └─────▶ populations, spread, quantiles ────┴─▶ model ──▶ estimate
 *
 * The forms give the typical cost: the cost of the main population of calls. Sums over
 * calls use the mean, which covers all populations. Neither includes time in which the
 * host (computer) ran something else than the thread. */
#ifndef MASTERMIND_COST_MODEL_H
#define MASTERMIND_COST_MODEL_H

#include "mastermind/cost/calls/drift.h"
#include "mastermind/cost/calls/points.h"
#include "mastermind/cost/calls/quantiles.h"
#include "mastermind/cost/doubts.h"
#include "mastermind/cost/search/search.h"

#define MM_MODEL_POOR .5 /* a model with a larger error predicts other sizes badly */

struct mm_model {
    struct mm_method_info *method; /* method with the names, types and
                                      labels of its values; owned */
    /* values of the modes (in-values that select behaviour), at the modes' indexes among
     * the in-values; 0 at other indexes */
    union monitor_value modes[MONITOR_MAX_IN];
    struct mm_forms forms;             /* forms of the typical cost: form[0], then the
                                          alternatives */
    struct mm_populations populations; /* distribution of all calls about the typical
                                          cost: mean, sd */
    struct mm_quantiles quantiles;     /* quantiles of the main population */
    struct mm_drift drift;
    struct mm_run_spread runs; /* variation between runs */
    double least_ns;           /* smallest typical cost measured; it replaces estimates
                                  below 0 within the sizes */
    double low[MONITOR_MAX_IN], high[MONITOR_MAX_IN]; /* measured range of each
                                                         parameter */
    /* Standard error of an additional power of each parameter that multiplies the form;
     * NaN: unknown. */
    double exponent_error[MONITOR_MAX_IN];
    struct mm_doubts doubts;
    double scatter; /* relative scatter of sizes about the form, beyond the noise of
                       their calls; includes the error at left-out sizes */
    double cache_bytes[MM_CACHE_LEVELS]; /* cache sizes of the machine; 0: no such
                                            cache, or unknown */
    double unit_bytes; /* growth of the peak of memory for each unit of the parameters
                        * (caches.h); 0: unknown */
    int narrow;        /* true if no parameter varied enough to predict other sizes */
    int poor; /* true if the parameters explain little: the form is the mean of all calls
               */
    size_t lacks;          /* 1 + index of a parameter that all calls lack: the model is a
                              constant without a range; 0: none */
    double lacking_ns;     /* mean cost of calls that lack a parameter, where other calls
                              have all; NaN: no such calls */
    uint64_t n;            /* number of invocations to which the model was fitted */
    size_t sizes;          /* number of distinct tuples of parameters */
    double typical_sum_ns; /* sum of the typical costs of all calls; populations.sum is
                              the measured sum */
    int counts;            /* true if the metric is a count: members in ns are counts */
};

/* Fit a model to the points that have the modes `modes` (only indexes of modes matter).
 * `options` may be NULL. Free with mm_model_done.
 *
 * Returns 0; -ENODATA where no such point has a timed invocation; -ENOMEM. */
int mm_model_fit(struct mm_model *model, const struct mm_points *points,
                 const union monitor_value *modes,
                 const struct mm_search_options *options, struct cca_error *err);
void mm_model_done(struct mm_model *model);

/* Convert in-values `in` to x[MONITOR_MAX_IN], the argument of forms. */
void mm_model_tuple(const struct mm_model *model, const union monitor_value *in,
                    double *x);
/* Median relative error of a model at left-out sizes; NaN: too few sizes. */
double mm_model_error(const struct mm_model *model);

/* Typical cost of one invocation; where the form is not positive, the least measured
 * cost. `in` has the in-values of model->method. */
double mm_model_typical_ns(const struct mm_model *model, const union monitor_value *in);
/* Mean cost of one invocation, the summand of sums. For a call that lacks a parameter it
 * is lacking_ns. */
double mm_model_mean_ns(const struct mm_model *model, const union monitor_value *in);
/* Standard deviation of the cost of one invocation over all populations; NaN: unknown. */
double mm_model_sd_ns(const struct mm_model *model, const union monitor_value *in);
/* True if `in` lacks a parameter of the model; mm_model_mean_ns then uses no formula. */
int mm_model_is_lacking(const struct mm_model *model, const union monitor_value *in);
/* The factor by which `in` is outside the measured ranges of parameters that varied: 1
 * inside; 4: four times the largest or a fourth of the smallest value. `*parameter` gets
 * the index of the farthest. */
double mm_model_beyond(const struct mm_model *model, const union monitor_value *in,
                       size_t *parameter);
double mm_model_beyond_tuple(const struct mm_model *model, const double *x,
                             size_t *parameter);

/* Factor beyond its sizes up to which a narrow model predicts. */
#define MM_NARROW_NEAR 1.25
/* False where the model has no prediction for `in`: the model is narrow and `in` is not
 * near its sizes, or `in` has the parameter that all measured calls lacked. */
int mm_model_knows(const struct mm_model *model, const union monitor_value *in);

#endif
