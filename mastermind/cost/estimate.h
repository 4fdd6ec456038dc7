/* SPDX-License-Identifier: BSD-3-Clause */
/* estimate.h: the prediction of a model for one call with given parameters.
 *
 * Lower ends come from intervals of the logarithm, as a cost is above 0.
 *
 * There are three kinds of intervals, which are never mixed: of one call (low, high); of
 * the typical cost (fit_low, fit_high); of a sum over many calls (forecast/), which also
 * includes the variation between runs. */
#ifndef MASTERMIND_COST_ESTIMATE_H
#define MASTERMIND_COST_ESTIMATE_H

#include "mastermind/cost/model.h"

/* Reasons why an estimate is weaker than it looks; docs/reference/mastermind.md has their
 * messages. */
enum mm_estimate_flag {
    MM_BEYOND = 1,   /* a parameter is outside its measured range */
    MM_RIVALS = 2,   /* the best two forms differ by more than 2 times here */
    MM_ONE_CALL = 4, /* one call for each size: the spread is the spread between sizes */
    MM_ONE_RUN = 8,  /* one run: the intervals lack the variation between runs */
    MM_NARROW = 16,  /* measured sizes are too close together to predict others */
    MM_NO_PARAMETER = 32, /* no parameter is marked: all calls have one cost */
    MM_NOISY = 64,        /* the host took part of the calls' time */
    /* the call lacks a parameter: estimated is the mean of such calls */
    MM_LACKING = 128,
    MM_NO_EVIDENCE = 256,  /* no record of whether the host disturbed the calls */
    MM_DRIFT = 512,        /* the cost of equal calls changed during the run */
    MM_IN_TURN = 1024,     /* sizes ran one after the other: a drift would be invisible */
    MM_POOR = 2048,        /* the parameters explain little of the cost */
    MM_SINGLE = 4096,      /* a single call: the spread is unknown */
    MM_FEW_SIZES = 8192,   /* three sizes or fewer: the growth of the cost is unknown */
    MM_OTHER_STEP = 16384, /* all measured sizes are multiples or powers of 2, this one
                              is not */
    MM_CATEGORY = 32768,   /* a parameter is a category: its effect on the cost has no
                              order */
    MM_ODD_END = 65536,    /* only the smallest or largest size supports a jump */
    MM_COARSE = 131072,    /* few distinct times: the clock is coarse */
    MM_CACHE = 262144      /* at this size the data may no longer fit a cache */
};

struct mm_estimate {
    double typ;    /* typical cost: mean of the main population, undisturbed by the
                      host */
    double mean;   /* mean cost of one call over all populations, without time
                      attributed to the host */
    double sd;     /* standard deviation of one call, about `mean` */
    double sum_sd; /* sd of one call in a sum: populations that recur by call number,
                      as the first call does, add no variance */
    double q50, q90, q99;     /* quantiles of the cost of one call: 50, 90 and 99 % */
    double low, high;         /* interval of the cost of one call */
    double fit_low, fit_high; /* interval of the typical cost, from the uncertainty of
                                 the curve */
    double mean_half;         /* half of a 95 % interval of the true mean: uncertainty
                                 of curve, alternative forms and populations */
    double mean_low;          /* lower end of that interval: `mean` less `mean_half`, in
                                 the logarithm */
    double count_sd;          /* standard error of `mean` because calls of rare
                                 populations were counted; part of mean_half */
    double rival;  /* prediction of an alternative form if MM_RIVALS is set, else NaN */
    double beyond; /* 1 inside the measured ranges; else the factor by which the parameter
                      that is farthest outside leaves its range */
    size_t parameter; /* index of the parameter that is farthest outside its measured
                         range */
    int cache;        /* level of the first cache that the data may exceed; 0: none */
    unsigned flags;
};

/* Scatter of other sizes about the form, as a multiple of the scatter of the fitted ones.
 */
#define MM_SIZES_SCATTER 2
#define MM_CALL_LEVEL .95 /* probability of the interval low .. high */
#define MM_FIT_LEVEL .90  /* probability of the interval fit_low .. fit_high */

/* Estimate one call with in-values `in` of model->method; in ns or counts, NaN: unknown.
 * No member is negative or infinite. Any thread. */
void mm_model_estimate(const struct mm_model *model, const union monitor_value *in,
                       struct mm_estimate *estimate);
/* Like mm_model_estimate, with in-values x[MONITOR_MAX_IN] as doubles; all parameters
 * must be present. */
void mm_model_estimate_tuple(const struct mm_model *model, const double *x,
                             struct mm_estimate *estimate);

/* The cost in ns (>= 0, finite) where a form of the model is not positive or not defined:
 * the smallest positive value of the form from the lowest measured sizes down to 0, or 0
 * where the form falls to 0 there. If the form is not positive at the lowest sizes:
 * model->least_ns. */
double mm_model_floor_ns(const struct mm_model *model, const struct mm_form *form);

/* Degrees of freedom of Student's t for the typical cost: from the sizes where these
 * scatter or are too few to show it, else from the calls. The choice of the form counts
 * as one more coefficient. */
double mm_model_freedom(const struct mm_model *model);

#endif
