/* SPDX-License-Identifier: BSD-3-Clause */
/* runs.h: how much runs of the same calls differ from each other. */
#ifndef MASTERMIND_COUNTS_PROFILE_RUNS_H
#define MASTERMIND_COUNTS_PROFILE_RUNS_H

#include "mastermind/counts/profile/profile.h"

/* A standard deviation, and its degrees of freedom. */
struct mm_run_sd {
    double sd, freedom;
};

/* How equal runs differ in the cost of equal calls, relative. */
struct mm_runs {
    struct mm_run_sd prior, all;      /* before runs were compared, and after it */
    double sample_sd, sample_freedom; /* from pairs; NaN and 0: no two were compared */
    size_t pairs;                     /* pairs of runs that were compared */
};

/* Compare methods of the same class, build and in-values between all pairs of runs, over
 * the calls that both have. What single calls scatter is taken off, and, where classes of
 * other instances differ, what pairs of runs with these classes differ by in the mean. 0
 * or -ENOMEM. */
int mm_runs_fit(struct mm_runs *runs, struct mm_profile *const *profiles, size_t count);

/* What is known before runs are compared: a usual spread, and how parts of the runs
 * differ. It is of time without what the host took. */
struct mm_run_sd mm_runs_prior(struct mm_profile *const *profiles, size_t count);
/* A prior (scaled inverse chi-square) and a sample of `freedom` degrees of freedom, 0:
 * none: Student's t with the sum of both degrees is the distribution of another run. */
struct mm_run_sd mm_run_sd_combine(struct mm_run_sd prior, double sd, double freedom);
/* Half of the interval of `level` for one more run about the mean of `runs`; of its
 * logarithm, where that is what the sd is of. */
double mm_run_sd_half(struct mm_run_sd spread, double runs, double level);

/* log(cost in a / cost in b) of equal calls of two methods, and its variance by the
 * scatter of single calls; of sizes that both called at least `least` times, and
 * together more than MM_ENOUGH_TO_COMPARE times unless that is 1. Returns the cost of the
 * calls compared, 0: there are too few. */
double mm_runs_ratio(const struct mm_points *a, const struct mm_points *b, uint64_t least,
                     double *logarithm, double *noise);

#define MM_FEW_TO_COMPARE 2    /* calls of a size: fewer have no spread */
#define MM_ENOUGH_TO_COMPARE 8 /* calls of all sizes */

/* The mean of the calls of a point without what the host is shown to have taken of them
 * at most. */
double mm_point_own_ns(const struct mm_point *point);
/* Variance of one call of such a point about that mean; n >= 2 with spreads. */
double mm_point_own_variance(const struct mm_point *point);
/* True for a method with a parameter among its in-values. */
int mm_has_parameter(const struct mm_method_info *method);

/* The usual spread between runs: like mm_runs_fit, but the median over the methods, none
 * of them of the class of `without`; NaN: nothing to compare. */
double mm_runs_typical(struct mm_profile *const *profiles, size_t count,
                       const struct mm_method_info *without);

#endif
