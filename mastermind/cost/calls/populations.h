/* SPDX-License-Identifier: BSD-3-Clause */
/* populations.h: the distribution of the calls of a method about the typical cost.
 *
 * Most calls belong to the main population, whose location is the typical cost. Rare
 * large (seldom small) costs form further populations: a rehash, the first call, every
 * k-th call, waiting. The mean includes all of them, but not time attributed to the host.
 */
#ifndef MASTERMIND_COST_CALLS_POPULATIONS_H
#define MASTERMIND_COST_CALLS_POPULATIONS_H

#include "mastermind/cost/calls/rules.h"
#include "mastermind/cost/calls/sample_table.h"
#include "mastermind/cost/calls/spread.h"

#define MM_POPULATIONS 4
#define MM_SHAPE 13 /* number of quantiles that a population keeps */

/* Calls with cost typ + factor * typ^power * w; w has mean 1 and its own quantiles. */
struct mm_population {
    double calls; /* number of fitted calls in this population */
    double share; /* the population's share of all calls; with a rule by a parameter, of
                     the calls that match it */
    size_t share_base; /* variable on which the share depends: 1 + index of a parameter;
                          0: the typical cost */
    double share_power, share_at; /* constants of the share at a base: share * (base /
                                     share_at)^share_power, at most 1 */
    double excess;                /* mean cost over the typical cost; may be negative */
    double factor, power;         /* constants of the excess at typical cost typ: factor *
                                     typ^power * w */
    double cv;                    /* coefficient of variation of w */
    double shape[MM_SHAPE]; /* quantiles of w at mm_shape_levels, ascending (of w also
                               where the excess is negative) */
    double known;        /* number of the population's calls that are kept in samples */
    int waits;           /* true if its calls waited for sleep, a lock or I/O */
    struct mm_rule rule; /* the rule that separates the population's calls from other
                            calls; MM_RULE_NONE: none found */
};

extern const double mm_shape_levels[MM_SHAPE];

struct mm_populations {
    struct mm_population item[MM_POPULATIONS]; /* populations beside the main one,
                                                  descending by their total excess */
    size_t count;
    double calls; /* number of timed calls */
    double sum;   /* total time of the timed calls, without time attributed to the host */
    double error; /* relative standard error of the sum of as many future calls of the
                     same sizes, from the spread of calls alone */
    double shift; /* mean of the main population minus typ, in units of its sd */
    double scale; /* factor that makes the predicted sum over the fitted calls equal
                     the measured sum; about 1 */
    struct mm_spread spread;    /* sd of one call of the main population */
    double host_calls, host_ns; /* number of calls with time attributed to the host,
                                   and that time */
    double no_evidence;   /* calls without evidence about the host; 0 for a metric that
                             the host does not disturb */
    double waiting_calls; /* number of calls that waited, among the calls with evidence */
};

/* The costs of the calls of the main population, as distances from the fitted typical
 * cost of their size. */
struct mm_distances {
    struct mm_value *z; /* `value`: cost minus typical cost, over the sd of a single call;
                           `weight`: number of calls */
    size_t count;
};

/* Divide the calls of `table` into populations. `fitted` [count] has the typical costs by
 * a form with `coefficients`. `main` gets the distances of the main population for
 * mm_quantiles_fit; free with mm_distances_done. Returns 0 or -ENOMEM. */
int mm_populations_fit(struct mm_populations *populations,
                       const struct mm_sample_table *table, const double *fitted,
                       size_t coefficients, struct mm_distances *main);
void mm_distances_done(struct mm_distances *distances);

/* Mean and standard deviation of one call over all populations, at parameters `x`
 * [MONITOR_MAX_IN] with typical cost `typ`. If `x` is NULL, rules by parameters are
 * ignored. The means of the fitted calls add up to the measured sum. */
double mm_populations_mean(const struct mm_populations *populations, double typ,
                           const double *x);
double mm_populations_sd(const struct mm_populations *populations, double typ,
                         const double *x);
/* Standard deviation of one call in a sum: the number of calls that match a rule by call
 * number does not vary. */
double mm_populations_sum_sd(const struct mm_populations *populations, double typ,
                             const double *x);
/* Standard error of the mean of a call, from the limited number of calls in each
 * population; `typ` is taken as exact. */
double mm_populations_error(const struct mm_populations *populations, double typ,
                            const double *x);

/* Share of population `p` at typical cost `typ` and parameters `x` (or NULL). */
double mm_population_share(const struct mm_population *p, double typ, const double *x);
/* Mean excess of a call of population `p` at typical cost `typ`. */
double mm_population_excess(const struct mm_population *p, double typ);

#endif
