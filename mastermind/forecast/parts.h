/* SPDX-License-Identifier: BSD-3-Clause */
/* parts.h: functions that the files of a forecast share. */
#ifndef MASTERMIND_FORECAST_PARTS_H
#define MASTERMIND_FORECAST_PARTS_H

#include "mastermind/forecast/forecast.h"

/* --- forecaster.c -------------------------------------------------------- */

/* The extrapolation error of a model along a parameter, as mm_left_out_slope found it. */
struct mm_left_out {
    const struct mm_model *model;
    size_t parameter;
    double slope;
};

struct mm_forecaster {
    struct mm_structure structure;
    const struct mm_library *library;
    struct mm_forecast_run *runs;       /* [count] measured runs */
    const struct mm_profile **profiles; /* [count] profile of each run */
    size_t count;
    struct mm_forecaster *flat;   /* forecaster with merged mesh levels, made when
                                     needed; NULL: not yet */
    struct mm_left_out *left_out; /* extrapolation errors found so far */
    size_t left_out_count;
};

/* Estimate the relative variation between equal runs, separately for one rank and for
 * `several`, because ranks that wait for each other vary more. Returns 0 or -ENOMEM. */
int mm_run_differences_fit(struct mm_run_sd *spread,
                           const struct mm_forecaster *forecaster, int several);

/* The requested class of a vertex (method of an instance); NULL: the requested run lacks
 * the instance. */
const char *mm_forecast_class(const struct mm_forecaster *forecaster,
                              const struct mm_asked *asked, size_t vertex);

/* A forecaster from the same runs with all mesh levels merged, for runs with more levels
 * than any measured run. Owned by the forecaster; NULL with `err`. */
struct mm_forecaster *mm_forecaster_flat(struct mm_forecaster *forecaster,
                                         struct cca_error *err);

/* Half-width of the logarithm of the total due to the difference between equal runs; 0:
 * none. See forecast.c. */
double mm_forecast_half_of_runs(const struct mm_forecast *forecast);

/* --- doubt.c ------------------------------------------------------------- */

/* The interval of a forecast, from its variance components ("doubts").
 *
 *     Var T = sum over models of (their error)^2 + (scaling functions' own errors)^2
 *           + sum over exogenous counts of (their error)^2 + T^2 s^2 (1 + 1 / runs)
 *
 * Errors of one model are common to all its calls and add up; so do errors of scaling
 * functions, because sums over one mesh deviate together. s is the relative standard
 * deviation between equal runs.
 */

/* Set the variance components and the interval of a forecast whose parts are known.
 * Returns 0 or -ENOMEM. */
int mm_doubts_find(struct mm_forecast *forecast, const struct mm_forecaster *forecaster);

/* --- limits.c ------------------------------------------------------------ */

/* Narrow the interval of a run of a command that is larger than all measured ones, if one
 * parameter varies and no size costs less than a smaller one. `runs`: variation between
 * equal runs. */
void mm_limits_apply(struct mm_forecast *forecast, const struct mm_forecaster *forecaster,
                     struct mm_run_sd runs);

/* --- mpi.c --------------------------------------------------------------- */

/* Time inside MPI of a run on several ranks: transfer and waiting.
 *
 *     T = compute of the busiest rank + transfer + waiting
 *
 * Time inside MPI does not depend on one call alone, because a rank waits for others. So
 * transfer and waiting each have a scaling function of their own, fitted to the times of
 * the runs on several ranks, which contain noise, unlike counts. */

/* Set transfer and waiting of a forecast and add them to its total. Returns 0, or -ENOMEM
 * with `err`. */
int mm_forecast_mpi(struct mm_forecaster *forecaster, struct mm_forecast *forecast,
                    struct cca_error *err);

/* --- numbers ------------------------------------------------------------- */

/* Tuning constants for the width of forecast intervals.
 *
 * Comments give the median half-width of 90 % intervals of whole runs (26.9 % unchanged)
 * with half and with double the value; bench/models/constants.md has all results. Less
 * influential constants are in the files that use them. */

/* Least degrees of freedom of a model's interval: the spread of few sizes is uncertain,
 * but not unrelated to other models. Half-width 36.4 % with half, 23.7 % with double the
 * value. */
#define MM_INTERVAL_FREEDOM 4.
/* Degrees of freedom from equal runs on as many ranks, from which on runs on other
 * numbers of ranks are ignored. Half or double the value changes one result of the
 * benchmark. */
#define MM_EQUAL_RUNS_FREEDOM 2.
/* Least number of sizes for a trial without the largest. Half-width 14.3 % with half the
 * value. */
#define MM_LEAST_BELOW 3
/* Explanations whose worth is within this factor of the best are ranked by their
 * intervals. Half-width 27.1 % with half the value, with a median error of 1.95 % (2.04 %
 * unchanged). */
#define MM_NEARLY 2.

#endif
