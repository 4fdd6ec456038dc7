/* SPDX-License-Identifier: BSD-3-Clause */
/* model.h: the exclusive time of one method of one class in one mode, as a function of
 * its parameters.
 *
 *   points ──▶ sample_table ──▶ search ──▶ forms ─┐
 *      └─────▶ populations, spread, quantiles ────┴─▶ model ──▶ estimate
 *
 * The forms are the typical cost: that of the main population of calls. The mean, which
 * sums are made of, has all populations, without what the host is shown to have done. */
#ifndef MASTERMIND_COST_MODEL_H
#define MASTERMIND_COST_MODEL_H

#include "mastermind/cost/calls/drift.h"
#include "mastermind/cost/calls/points.h"
#include "mastermind/cost/calls/quantiles.h"
#include "mastermind/cost/search/search.h"

#define MM_MODEL_POOR .5 /* error of a model that predicts other sizes badly */

struct mm_model {
    struct mm_method_info *method;             /* names, types, labels; owned */
    union monitor_value modes[MONITOR_MAX_IN]; /* at the indexes of modes; else 0 */
    struct mm_forms forms;             /* typical cost: form[0], then its rivals */
    struct mm_populations populations; /* what calls cost beside it: mean, sd */
    struct mm_quantiles quantiles;     /* of the main population */
    struct mm_drift drift;
    struct mm_run_spread runs; /* how runs differ */
    double least_ns;           /* smallest typical cost seen: estimates below 0 inside
                                  the sizes become this */
    double low[MONITOR_MAX_IN], high[MONITOR_MAX_IN]; /* range of the parameters seen */
    /* Standard error of one more power of the parameter on top of the form: how well the
     * sizes tell its exponent; NaN: not at all. */
    double exponent_error[MONITOR_MAX_IN];
    double scatter; /* relative; of sizes about the form, beyond the noise of their calls,
                       also by what sizes that were left out show */
    double cache_bytes[MM_CACHE_LEVELS]; /* of the machine; 0: none, or not known */
    int narrow;   /* no parameter varied enough to predict other sizes */
    int poor;     /* the parameters explain little: the form is the mean of all calls */
    size_t lacks; /* 1 + index of a parameter that no call has: a constant, without any
                     range; 0: none */
    double lacking_ns; /* mean cost of calls that lack a parameter beside others that have
                          all; NaN: none do */
    uint64_t n;        /* invocations */
    size_t sizes;      /* distinct tuples of parameters */
    double typical_sum_ns; /* of the typical costs of its calls; populations.sum is the
                              measured one */
    int counts;            /* a count: the members in ns are counts */
};

/* Fit the points of `points` whose modes are those of `modes` (indexes of modes count).
 * `options` may be NULL. mm_model_done frees what the model owns.
 *
 * Returns 0; -ENODATA where none of them has a timed invocation; -ENOMEM. */
int mm_model_fit(struct mm_model *model, const struct mm_points *points,
                 const union monitor_value *modes,
                 const struct mm_search_options *options, struct cca_error *err);
void mm_model_done(struct mm_model *model);

/* The tuple of `in` that forms take: x[MONITOR_MAX_IN]. */
void mm_model_tuple(const struct mm_model *model, const union monitor_value *in,
                    double *x);
/* Median relative error at sizes that were left out; NaN: too few. */
double mm_model_error(const struct mm_model *model);

/* Typical cost of one invocation, > 0, or the least seen. `in` has the in-values of
 * model->method. */
double mm_model_typical_ns(const struct mm_model *model, const union monitor_value *in);
/* Mean cost of one invocation; sums are made of it. Of a call that lacks a parameter it
 * is lacking_ns. */
double mm_model_mean_ns(const struct mm_model *model, const union monitor_value *in);
/* Standard deviation of one invocation over all populations, NaN where unknown. */
double mm_model_sd_ns(const struct mm_model *model, const union monitor_value *in);
/* True if `in` lacks a parameter of the model: mm_model_mean_ns is no formula then. */
int mm_model_is_lacking(const struct mm_model *model, const union monitor_value *in);
/* How far `in` is beyond the ranges of the parameters that varied: 1 inside, 4: four
 * times the largest or a fourth of the smallest. `*parameter` is the index of the worst.
 */
double mm_model_beyond(const struct mm_model *model, const union monitor_value *in,
                       size_t *parameter);
double mm_model_beyond_tuple(const struct mm_model *model, const double *x,
                             size_t *parameter);

/* Factor beyond its sizes up to which a narrow model is believed. */
#define MM_NARROW_NEAR 1.25
/* False where the model predicts nothing for `in`: the model is narrow and `in` is not
 * near its sizes, or `in` has the parameter that all calls lacked. */
int mm_model_knows(const struct mm_model *model, const union monitor_value *in);

#endif
