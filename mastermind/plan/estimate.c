/* SPDX-License-Identifier: BSD-3-Clause */
/* estimate.c: estimate the times of planned runs from the completed runs.
 *
 * The logarithm of the time is fitted by terms of the axes: the logarithm of a numeric
 * axis, and an indicator for each name except the first. A ridge penalty keeps terms at 0
 * if the runs do not determine them. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/plan/plan.h"
#include "mastermind/plan/parts.h"

#define RIDGE 1e-4 /* ridge penalty of the fit's constant term */
/* assumed relative spread of runs, before two equal runs are completed */
#define USUAL_SPREAD .02
/* least assumed misfit, relative: no fit of times is more precise */
#define LEAST_MISFIT .02

enum { MOST_CANDIDATES = 2000 };

/* State of the fit: the completed runs of each point, and the terms. */
struct fit {
    const struct mm_plan *plan;
    size_t terms;
    size_t *made;     /* [points] number of completed runs of each point */
    double *log_mean; /* [points] mean logarithm of the time of the completed runs */
    double *factor;   /* [terms][terms] matrix of the fit, then its Cholesky factor */
    double *weights;  /* [terms] coefficients of the fit */
    double *row;      /* [terms] scratch memory for the terms of one point */
    size_t run_count;
};

static size_t term_count(const struct mm_plan *plan)
{
    size_t count = 1;

    for (size_t a = 0; a < plan->axis_count; a++)
        count += plan->axes[a].numbers ? 1 : plan->axes[a].count - 1;
    return count;
}

/* Return the number from 0 to 1 that represents a value of a numeric axis in the fit. */
static double scaled(const struct mm_plan_axis *axis, size_t value)
{
    double low = axis->numbers[0], high = axis->numbers[axis->count - 1];

    if (axis->count == 1)
        return 0;
    return low > 0 ? log(axis->numbers[value] / low) / log(high / low)
                   : (axis->numbers[value] - low) / (high - low);
}

/* Set the terms of the fit for a point (values on the axes). */
static void set_terms(const struct mm_plan *plan, const size_t *point, double *terms)
{
    *terms++ = 1;
    for (size_t a = 0; a < plan->axis_count; a++) {
        const struct mm_plan_axis *axis = &plan->axes[a];

        if (axis->numbers) {
            *terms++ = scaled(axis, point[a]);
            continue;
        }
        for (size_t name = 1; name < axis->count; name++)
            *terms++ = point[a] == name;
    }
}

static const size_t *point_values(const struct mm_plan *plan, size_t point)
{
    return plan->values + point * plan->axis_count;
}

static void fit_done(struct fit *fit)
{
    free(fit->made);
    free(fit->log_mean);
    free(fit->factor);
    free(fit->weights);
    free(fit->row);
}

static int fit_init(struct fit *fit, const struct mm_plan *plan, const double *seconds)
{
    size_t terms = term_count(plan);

    *fit = (struct fit){.plan = plan, .terms = terms};
    fit->made = calloc(plan->point_count, sizeof *fit->made);
    fit->log_mean = calloc(plan->point_count, sizeof *fit->log_mean);
    fit->factor = calloc(terms * terms, sizeof *fit->factor);
    fit->weights = calloc(terms, sizeof *fit->weights);
    fit->row = calloc(terms, sizeof *fit->row);
    if (!fit->made || !fit->log_mean || !fit->factor || !fit->weights || !fit->row)
        return -ENOMEM;
    for (size_t i = 0; i < plan->run_count; i++) {
        size_t point = plan->runs[i].point;

        if (!(seconds[i] > 0))
            continue;
        fit->run_count++;
        fit->log_mean[point] +=
            (log(seconds[i]) - fit->log_mean[point]) / (double)++fit->made[point];
    }
    return 0;
}

/* Replace the lower triangle of a matrix by its Cholesky factor. The ridge penalty makes
 * the matrix positive definite. */
static void factor(double *matrix, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k <= i; k++) {
            double sum = matrix[i * n + k];

            for (size_t j = 0; j < k; j++)
                sum -= matrix[i * n + j] * matrix[k * n + j];
            matrix[i * n + k] =
                i == k ? sqrt(fmax(sum, 1e-300)) : sum / matrix[k * n + k];
        }
}

static void solve_lower(const double *matrix, size_t n, double *x)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++)
            x[i] -= matrix[i * n + k] * x[k];
        x[i] /= matrix[i * n + i];
    }
}

static void solve_upper(const double *matrix, size_t n, double *x)
{
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++)
            x[i] -= matrix[k * n + i] * x[k];
        x[i] /= matrix[i * n + i];
    }
}

/* Fit the terms to the points with completed runs, with weights from the variances
 * `noise` and `misfit`. Afterwards fit->factor is the Cholesky factor. */
static void fit_terms(struct fit *fit, double noise, double misfit)
{
    size_t n = fit->terms, seen = 0;
    double mean = 0;

    memset(fit->factor, 0, n * n * sizeof *fit->factor);
    memset(fit->weights, 0, n * sizeof *fit->weights);
    for (size_t p = 0; p < fit->plan->point_count; p++)
        if (fit->made[p])
            mean += (fit->log_mean[p] - mean) / (double)++seen;
    for (size_t p = 0; p < fit->plan->point_count; p++) {
        double weight;

        if (!fit->made[p])
            continue;
        weight = 1 / (misfit * misfit + noise * noise / (double)fit->made[p]);
        set_terms(fit->plan, point_values(fit->plan, p), fit->row);
        for (size_t i = 0; i < n; i++) {
            for (size_t k = 0; k <= i; k++)
                fit->factor[i * n + k] += weight * fit->row[i] * fit->row[k];
            fit->weights[i] += weight * fit->row[i] * (fit->log_mean[p] - mean);
        }
    }
    /* prior: a term changes the time by a factor of about e */
    for (size_t i = 0; i < n; i++)
        fit->factor[i * n + i] += i ? 1 : RIDGE;
    factor(fit->factor, n);
    solve_lower(fit->factor, n, fit->weights);
    solve_upper(fit->factor, n, fit->weights);
    fit->weights[0] += mean;
}

static double fit_value(struct fit *fit, const size_t *point)
{
    double sum = 0;

    set_terms(fit->plan, point, fit->row);
    for (size_t i = 0; i < fit->terms; i++)
        sum += fit->weights[i] * fit->row[i];
    return sum;
}

int mm_plan_estimate(const struct mm_plan *plan, const double *seconds, double *points)
{
    struct fit fit;
    int result = fit_init(&fit, plan, seconds);

    if (!result && fit.run_count)
        fit_terms(&fit, USUAL_SPREAD, LEAST_MISFIT);
    for (size_t p = 0; p < plan->point_count && !result; p++) {
        points[p] = !fit.run_count ? NAN
                    : fit.made[p]  ? exp(fit.log_mean[p])
                                   : exp(fit_value(&fit, point_values(plan, p)));
    }
    fit_done(&fit);
    return result;
}

double mm_plan_spread(const struct mm_plan *plan, const double *seconds, size_t *freedom)
{
    double squares = 0, *sums = calloc(plan->point_count * 3, sizeof *sums);

    *freedom = 0;
    for (size_t i = 0; i < plan->run_count && sums; i++) {
        double *sum = &sums[plan->runs[i].point * 3], before;

        if (!(seconds[i] > 0)) /* update the mean and the variance of the point's runs by
                                  Welford's method */
            continue;
        before = log(seconds[i]) - sum[1];
        sum[0]++;
        sum[1] += before / sum[0];
        sum[2] += before * (log(seconds[i]) - sum[1]);
    }
    for (size_t p = 0; p < plan->point_count && sums; p++)
        if (sums[p * 3] > 1) {
            squares += sums[p * 3 + 2];
            *freedom += (size_t)sums[p * 3] - 1;
        }
    free(sums);
    return *freedom ? sqrt(squares / (double)*freedom) : NAN;
}

/* --- Expected times of all points -----------------------------------------------------
 */

/* Relative spread of equal runs, with a prior: 6 % with the weight of three runs. */
static double noise_of(const struct mm_plan *plan, const double *seconds)
{
    enum { WEIGHT = 3 };
    const double usual = .06;
    size_t freedom;
    double spread = mm_plan_spread(plan, seconds, &freedom), n = (double)freedom;

    return sqrt((WEIGHT * usual * usual + (freedom ? n * spread * spread : 0)) /
                (WEIGHT + n));
}

/* Variance of the fit at a point, from the errors of its terms. */
static double fit_variance(struct fit *fit, const size_t *point)
{
    double sum = 0;

    set_terms(fit->plan, point, fit->row);
    solve_lower(fit->factor, fit->terms, fit->row);
    for (size_t i = 0; i < fit->terms; i++)
        sum += fit->row[i] * fit->row[i];
    return sum;
}

/* Relative distance of points from the fit to the others (leave-one-out), with a prior: a
 * factor of 1.5 with the weight of two points. `fit` was made with the misfit `apart`. */
static double apart_of(struct fit *fit, double noise, double apart)
{
    enum { WEIGHT = 2 };
    const double usual = log(1.5), most = .95;
    double squares = WEIGHT * usual * usual, count = WEIGHT;

    for (size_t p = 0; p < fit->plan->point_count; p++) {
        const size_t *values = point_values(fit->plan, p);
        double own, rest, share;

        if (!fit->made[p])
            continue;
        own = noise * noise / (double)fit->made[p];
        share = fmin(fit_variance(fit, values) / (apart * apart + own), most);
        rest = (fit->log_mean[p] - fit_value(fit, values)) / (1 - share);
        squares += fmax(rest * rest - own, 0);
        count++;
    }
    return sqrt(squares / count);
}

int mm_plan_know(const struct mm_plan *plan, const double *seconds, double *mean,
                 double *sd)
{
    struct fit fit;
    int result = fit_init(&fit, plan, seconds);
    double noise = 0, apart = 0;

    if (!result && fit.run_count) {
        noise = noise_of(plan, seconds);
        fit_terms(&fit, noise, log(1.5));
        apart = apart_of(&fit, noise, log(1.5));
        fit_terms(&fit, noise, apart);
    }
    for (size_t p = 0; p < plan->point_count && !result; p++) {
        const size_t *values = point_values(plan, p);
        double structure, variance, own;

        mean[p] = sd[p] = NAN;
        if (!fit.run_count)
            continue;
        structure = fit_value(&fit, values);
        variance = apart * apart + fit_variance(&fit, values);
        own = fit.made[p] ? noise * noise / (double)fit.made[p] : INFINITY;
        /* runs of the point and the fit to the others, weighted by their variances */
        mean[p] = fit.made[p]
                      ? (fit.log_mean[p] * variance + structure * own) / (variance + own)
                      : structure;
        sd[p] = sqrt(fit.made[p] ? variance * own / (variance + own) : variance);
    }
    fit_done(&fit);
    return result;
}

/* --- Advice ---------------------------------------------------------------------------
 */

/* Return the relative deviation of the points' times from the fit, if there are more
 * points than terms. */
static double misfit_of(struct fit *fit)
{
    double squares = 0;
    size_t points = 0;

    for (size_t p = 0; p < fit->plan->point_count; p++) {
        double rest;

        if (!fit->made[p])
            continue;
        rest = fit->log_mean[p] - fit_value(fit, point_values(fit->plan, p));
        squares += rest * rest;
        points++;
    }
    return points > fit->terms
               ? fmax(LEAST_MISFIT, sqrt(squares / (double)(points - fit->terms)))
               : LEAST_MISFIT;
}

/* Candidates for the next run: the points of the plan, then other points of the full
 * grid. */
struct candidates {
    size_t *values; /* [count][axis_count] points: for each axis the index of a value */
    /* [count][terms] terms of each candidate, multiplied by the inverse of the Cholesky
     * factor */
    double *terms;
    size_t count;
};

static int is_planned(const struct mm_plan *plan, const size_t *point)
{
    for (size_t p = 0; p < plan->point_count; p++)
        if (memcmp(point, point_values(plan, p), plan->axis_count * sizeof *point) == 0)
            return 1;
    return 0;
}

static int candidates_init(struct candidates *candidates, const struct fit *fit)
{
    const struct mm_plan *plan = fit->plan;
    size_t planned = plan->point_count, axes = plan->axis_count, count = planned;
    uint64_t random = 1;

    if (!plan->is_grid && planned < MOST_CANDIDATES)
        count = MOST_CANDIDATES;
    *candidates = (struct candidates){.count = count};
    candidates->values = malloc(count * (axes + 1) * sizeof *candidates->values);
    candidates->terms = malloc(count * fit->terms * sizeof *candidates->terms);
    if (!candidates->values || !candidates->terms)
        return -ENOMEM;
    if (axes)
        memcpy(candidates->values, plan->values, planned * axes * sizeof *plan->values);
    for (size_t i = planned; i < count; i++) {
        size_t *point = &candidates->values[i * axes];

        for (size_t a = 0; a < axes; a++)
            point[a] = mm_random_below(&random, plan->axes[a].count);
        if (is_planned(plan, point)) /* a planned point is already a candidate */
            memcpy(point, plan->values, axes * sizeof *point);
    }
    for (size_t i = 0; i < count; i++) {
        double *terms = &candidates->terms[i * fit->terms];

        set_terms(plan, &candidates->values[i * axes], terms);
        solve_lower(fit->factor, fit->terms, terms);
    }
    return 0;
}

static double product(const double *a, const double *b, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Return the share by which one more run at a candidate would reduce the mean variance
 * over the plan's points (Sherman and Morrison). */
static double gain_of(const struct fit *fit, const struct candidates *candidates,
                      size_t at, double noise, double misfit, double all)
{
    size_t n = fit->terms, planned = fit->plan->point_count;
    size_t made = at < planned ? fit->made[at] : 0;
    double before = made ? 1 / (misfit * misfit + noise * noise / (double)made) : 0;
    double more = 1 / (misfit * misfit + noise * noise / (double)(made + 1)) - before;
    const double *terms = &candidates->terms[at * n];
    double sum = 0;

    for (size_t p = 0; p < planned; p++) {
        double both = product(terms, &candidates->terms[p * n], n);

        sum += both * both;
    }
    return more * sum / (1 + more * product(terms, terms, n)) / all;
}

static void choose_candidate(const struct fit *fit, const struct candidates *candidates,
                             double noise, double misfit, struct mm_plan_advice *advice)
{
    size_t n = fit->terms, best = 0, axes = fit->plan->axis_count;
    double all = 0, best_gain = -1;

    for (size_t p = 0; p < fit->plan->point_count; p++)
        all += product(&candidates->terms[p * n], &candidates->terms[p * n], n);
    for (size_t i = 0; i < candidates->count; i++) {
        double gain;

        if (i >= fit->plan->point_count &&
            memcmp(&candidates->values[i * axes], fit->plan->values,
                   axes * sizeof *candidates->values) == 0)
            continue;
        gain = gain_of(fit, candidates, i, noise, misfit, all);

        if (gain <= best_gain * (1 + 1e-9))
            continue;
        best_gain = gain;
        best = i;
    }
    *advice = (struct mm_plan_advice){
        .made = best < fit->plan->point_count ? fit->made[best] : 0, .gain = best_gain};
    for (size_t a = 0; a < axes; a++)
        advice->values[a] = candidates->values[best * axes + a];
}

int mm_plan_advise(const struct mm_plan *plan, const double *seconds,
                   struct mm_plan_advice *advice)
{
    struct candidates candidates = {0};
    struct fit fit;
    size_t freedom;
    double noise = mm_plan_spread(plan, seconds, &freedom), misfit;
    int result = fit_init(&fit, plan, seconds);

    noise = freedom ? fmax(noise, 1e-4) : USUAL_SPREAD;
    if (!result && fit.run_count < 2)
        result = -ENODATA;
    if (!result) {
        fit_terms(&fit, noise, LEAST_MISFIT);
        misfit = misfit_of(&fit);
        fit_terms(&fit, noise, misfit);
        result = candidates_init(&candidates, &fit);
        if (!result)
            choose_candidate(&fit, &candidates, noise, misfit, advice);
    }
    free(candidates.values);
    free(candidates.terms);
    fit_done(&fit);
    return result;
}
