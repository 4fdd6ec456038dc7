/* SPDX-License-Identifier: BSD-3-Clause */
/* estimate.h: what a model answers about one call with given parameters.
 *
 * Three intervals that are never mixed: of one call (low, high), of the curve (fit_low,
 * fit_high), and of a sum over many calls (predict.h), which also has what runs differ
 * by. */
#ifndef MASTERMIND_COST_ESTIMATE_H
#define MASTERMIND_COST_ESTIMATE_H

#include "mastermind/cost/model.h"

/* Why an estimate is weaker than it looks; docs/reference/mastermind.md has the words. */
enum mm_estimate_flag {
    MM_BEYOND = 1,         /* a parameter is outside the sizes measured */
    MM_RIVALS = 2,         /* the two best forms differ by more than 2 here */
    MM_ONE_CALL = 4,       /* one call a size: the spread is that of the sizes */
    MM_ONE_RUN = 8,        /* one run: how runs differ is not in the intervals */
    MM_NARROW = 16,        /* sizes too near each other to predict others */
    MM_NO_PARAMETER = 32,  /* nothing is marked: one cost for all calls */
    MM_NOISY = 64,         /* the host took part of the calls' time */
    MM_LACKING = 128,      /* the call lacks a parameter: the mean of such calls */
    MM_NO_EVIDENCE = 256,  /* whether the host disturbed calls was not recorded */
    MM_DRIFT = 512,        /* equal calls changed their cost in the course of the run */
    MM_IN_TURN = 1024,     /* one size after the other: that could not have been seen */
    MM_POOR = 2048,        /* the parameters explain little of the cost */
    MM_SINGLE = 4096,      /* one call in all: nothing is known of the spread */
    MM_FEW_SIZES = 8192,   /* three sizes or fewer: how the cost grows is unknown */
    MM_OTHER_STEP = 16384, /* sizes seen are multiples or powers of 2, this one is not */
    MM_CATEGORY = 32768,   /* a parameter that the cost follows in no order */
    MM_ODD_END = 65536,    /* a break that only the smallest or largest size shows */
    MM_COARSE = 131072,    /* few distinct times: a coarse clock */
    MM_CACHE = 262144      /* beyond the sizes the data may leave a cache */
};

struct mm_estimate {
    double typ;    /* main population, undisturbed */
    double mean;   /* of one call, all populations, without what the host is shown to have
                      done */
    double sd;     /* of one call, about `mean` */
    double sum_sd; /* of one call as sums have it: calls that come by number, as the
                      first one, do so again */
    double q50, q90, q99;     /* quantiles of one call */
    double low, high;         /* interval of one call */
    double fit_low, fit_high; /* interval of the typical cost */
    double mean_half;         /* half of a 95 % interval of `mean`, as the mean of very
                                 many calls: curve, rivals, populations */
    double count_sd;          /* standard error of `mean` because calls of rare costs were
                                 counted; a part of mean_half */
    double rival;             /* answer of a rival where MM_RIVALS, else NaN */
    double beyond;    /* 1: inside; else how many times outside, of the worst parameter */
    size_t parameter; /* index of that in-value */
    int cache;        /* level of the first cache that the data may leave; 0: none */
    unsigned flags;
};

/* Sizes in between scatter about the form by so many times what those do that it was
 * fitted to. */
#define MM_SIZES_SCATTER 2
#define MM_CALL_LEVEL .95 /* of low, high */
#define MM_FIT_LEVEL .90  /* of fit_low, fit_high */

/* Answer for one call with in-values `in` of model->method; ns or counts, NaN: unknown.
 * Nothing is negative, and nothing is infinite. Any thread. */
void mm_model_estimate(const struct mm_model *model, const union monitor_value *in,
                       struct mm_estimate *estimate);
/* The same at x[MONITOR_MAX_IN], numbers that need not be of the parameters' types; it
 * has all parameters. */
void mm_model_estimate_tuple(const struct mm_model *model, const double *x,
                             struct mm_estimate *estimate);

/* The cost in ns (>= 0, finite) where a form of the model is not positive or not defined:
 * the smallest positive value between 0 and the lowest sizes seen, 0 where it falls to 0
 * there. Where it is not positive at the lowest sizes: model->least_ns. */
double mm_model_floor_ns(const struct mm_model *model, const struct mm_form *form);

/* Freedom of Student's t for the curve: of the sizes where these scatter, or are too few
 * to show whether they do; else of the calls. The choice of the form counts as one more
 * number. */
double mm_model_freedom(const struct mm_model *model);

#endif
