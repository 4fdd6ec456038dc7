/* SPDX-License-Identifier: BSD-3-Clause */
/* populations.h: what the calls of a method cost beside the typical cost.
 *
 * Most calls are of the main population, whose location is the typical cost. Rare large
 * (or, seldom, small) costs are populations of their own: a rehash, the first call, every
 * k-th one, waiting. All of them are in the mean. Only what the host is shown to have
 * done is not. */
#ifndef MASTERMIND_COST_CALLS_POPULATIONS_H
#define MASTERMIND_COST_CALLS_POPULATIONS_H

#include "mastermind/cost/calls/rules.h"
#include "mastermind/cost/calls/sample_table.h"
#include "mastermind/cost/calls/spread.h"

#define MM_POPULATIONS 4
#define MM_SHAPE 13 /* quantiles kept of a population */

/* Calls that cost typ + factor * typ^power * w, w by quantiles with mean 1. */
struct mm_population {
    double calls; /* of all calls that were fitted, these are of the population */
    double share; /* of all calls; with a rule by a parameter, of those that it names */
    size_t
        share_base; /* what the share goes with: 1 + index of a parameter; 0: the cost */
    double share_power, share_at; /* share * (base / share_at)^share_power, at most 1 */
    double excess;          /* in the mean, over the typical cost; may be negative */
    double factor, power;   /* excess as a function of the typical cost */
    double cv;              /* sd over mean of w */
    double shape[MM_SHAPE]; /* quantiles of w at mm_shape_levels; ascending, or, where
                               the excess is negative, still those of w */
    double known; /* calls of the population that are known one by one or by sample */
    int waits;    /* its calls waited: sleep, lock or I/O */
    struct mm_rule rule; /* what explains membership; MM_RULE_NONE: nothing found */
};

extern const double mm_shape_levels[MM_SHAPE];

struct mm_populations {
    struct mm_population item[MM_POPULATIONS]; /* descending by what they add up to */
    size_t count;
    double calls; /* timed calls, all */
    double sum;   /* their time, without what the host is shown to have done */
    double error; /* relative standard error of that sum as one of as many calls to come,
                     of the same sizes: what the calls' spread alone makes */
    double shift; /* mean of the main population less typ, in sd of the main one */
    double scale; /* makes the sum over the own calls the one measured; about 1 */
    struct mm_spread spread;    /* sd of one call of the main population */
    double host_calls, host_ns; /* put down to the host: these calls, this time */
    double no_evidence;   /* calls of which nothing is known about the host; 0 where the
                             host does not matter */
    double waiting_calls; /* calls that waited, of those with evidence */
};

/* The calls of the main population, as distances from the fitted typical cost. */
struct mm_distances {
    struct mm_value *z; /* in sd of the spread; weight: calls */
    size_t count;
};

/* Find the populations of the calls of `table`, whose typical costs by the model are
 * `fitted` [count], with `coefficients` fitted ones. `main` gets the distances of the
 * main population for mm_quantiles_fit; mm_distances_done frees them. 0 or -ENOMEM. */
int mm_populations_fit(struct mm_populations *populations,
                       const struct mm_sample_table *table, const double *fitted,
                       size_t coefficients, struct mm_distances *main);
void mm_distances_done(struct mm_distances *distances);

/* Of one call at parameters `x` [MONITOR_MAX_IN], whose typical cost is `typ`: mean and
 * sd over all populations. `x` may be NULL: rules by parameters are then ignored. The sum
 * of the mean over the calls of the fit is the sum measured. */
double mm_populations_mean(const struct mm_populations *populations, double typ,
                           const double *x);
double mm_populations_sd(const struct mm_populations *populations, double typ,
                         const double *x);
/* sd of one call as sums have it: calls that a rule names by number come as often as it
 * says, so how often does not vary. */
double mm_populations_sum_sd(const struct mm_populations *populations, double typ,
                             const double *x);
/* sd of that mean as an estimate, because calls of a population are counted, typ being
 * exact. */
double mm_populations_error(const struct mm_populations *populations, double typ,
                            const double *x);

/* Share of population `p` at typical cost `typ` and parameters `x` (or NULL). */
double mm_population_share(const struct mm_population *p, double typ, const double *x);
/* Mean excess of a call of population `p` at typical cost `typ`. */
double mm_population_excess(const struct mm_population *p, double typ);

#endif
