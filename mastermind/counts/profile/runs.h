/* SPDX-License-Identifier: BSD-3-Clause */
/* runs.h: variation between runs of the same calls. */
#ifndef MASTERMIND_COUNTS_PROFILE_RUNS_H
#define MASTERMIND_COUNTS_PROFILE_RUNS_H

#include "mastermind/counts/profile/profile.h"

/* A standard deviation, and its degrees of freedom. */
struct mm_run_sd {
    double sd, freedom;
};

/* Relative spread between equal runs in the cost of equal calls. */
struct mm_runs {
    struct mm_run_sd prior, all;      /* prior for the spread between runs, and
                                         posterior after comparing runs */
    double sample_sd, sample_freedom; /* spread measured by pairs of runs; NaN and 0:
                                         no pair was compared */
    size_t pairs;                     /* number of compared pairs */
};

/* Compare methods of the same class, build and in-values between all pairs of runs, over
 * the calls that both have. The scatter of single calls is subtracted and, where classes
 * of other instances differ, the mean difference of pairs with these classes. Returns 0
 * or -ENOMEM. */
int mm_runs_fit(struct mm_runs *runs, struct mm_profile *const *profiles, size_t count);

/* Combine a prior (scaled inverse chi-square) with a sample of `freedom` degrees of
 * freedom, 0: none. Another run then has Student's t distribution with the sum of both
 * degrees. */
struct mm_run_sd mm_run_sd_combine(struct mm_run_sd prior, double sd, double freedom);
/* Half of the interval of `level` for one more run about the mean of `runs`; in
 * logarithms if the sd is of logarithms. */
double mm_run_sd_half(struct mm_run_sd spread, double runs, double level);

/* log(cost in a / cost in b) of equal calls of two methods, and its variance from the
 * scatter of single calls. Takes sizes that both called at least `least` times, and
 * together more than MM_ENOUGH_TO_COMPARE times unless `least` is 1. Returns the cost of
 * the compared calls; 0: too few. */
double mm_runs_ratio(const struct mm_points *a, const struct mm_points *b, uint64_t least,
                     double *logarithm, double *noise);

#define MM_FEW_TO_COMPARE 2 /* least number of calls of a size whose spread is known */
/* least number of calls to compare, summed over all sizes */
#define MM_ENOUGH_TO_COMPARE 8

/* The mean cost of a point's calls less the time lost to the host (an upper bound). */
double mm_point_own_ns(const struct mm_point *point);
/* Variance of one call of the point about its mean own cost; needs `n` >= 2 and the sum
 * of squares. */
double mm_point_own_variance(const struct mm_point *point);
/* True if one of the method's in-values is a parameter. */
int mm_has_parameter(const struct mm_method_info *method);

/* The typical spread between runs: like mm_runs_fit, but the median over methods, without
 * methods of class `without`; NaN: nothing to compare. */
double mm_runs_typical(struct mm_profile *const *profiles, size_t count,
                       const struct mm_method_info *without);

#endif
