/* SPDX-License-Identifier: BSD-3-Clause */
/* quantiles.c: quantiles of the mixture of all populations. */
#include "mastermind/cost/calls/quantiles.h"

#include <math.h>
#include <stdlib.h>

#include "common/statistics.h"

#define STEPS 60 /* number of steps of a bisection, enough for full precision */
/* from this number of calls on, empirical quantiles are used */
#define MANY_CALLS 1000.
/* limit of the skewness and kurtosis of a normal distribution, in standard errors */
#define SHAPED 2.
#define SUMS_FREEDOM 30. /* degrees of freedom where only sums of calls are known */

static const double levels[MM_LEVELS] = {
    .0005, .001, .0025, .005, .01, .025, .05,   .075, .1,   .15, .2,
    .25,   .3,   .35,   .4,   .5,  .6,   .65,   .7,   .75,  .8,  .85,
    .9,    .925, .95,   .975, .99, .995, .9975, .999, .9995};

/* Set the quantiles beyond the measured calls to quantiles of Student's t, but never
 * inside the range of the measured quantiles. */
static void extend_tails(struct mm_quantiles *q, double mean, const char *seen)
{
    double wider = sqrt(1 + 1 / (q->freedom + 1)), low = INFINITY, high = -INFINITY;

    for (size_t i = 0; i < MM_LEVELS; i++) {
        low = seen[i] ? fmin(low, q->z[i]) : low;
        high = seen[i] ? fmax(high, q->z[i]) : high;
    }
    for (size_t i = 0; i <= MM_LEVELS / 2;
         i++) { /* `levels` and Student's t are symmetric */
        size_t other = MM_LEVELS - 1 - i;
        double t;

        if (seen[i] && seen[other])
            continue;
        t = cca_student_quantile(levels[i], q->freedom) * wider;
        q->z[i] = seen[i] ? q->z[i] : fmin(mean + t, low);
        q->z[other] = seen[other] || other == i ? q->z[other] : fmax(mean - t, high);
    }
}

/* True for few calls whose skewness and kurtosis agree with a normal distribution, whose
 * quantiles are then more precise than the empirical ones. */
static int is_normal(const struct mm_distances *main, double mean, double count)
{
    double weight = 0, squares = 0, cubes = 0, fourths = 0;

    if (count > MANY_CALLS)
        return 0;
    for (size_t i = 0; i < main->count; i++) {
        double rest = main->z[i].value - mean, square = rest * rest;

        weight += main->z[i].weight;
        squares += main->z[i].weight * square;
        cubes += main->z[i].weight * square * rest;
        fourths += main->z[i].weight * square * square;
    }
    squares /= weight;
    return squares > 0 &&
           fabs(cubes / weight / pow(squares, 1.5)) < SHAPED * sqrt(6 / count) &&
           fabs(fourths / weight / (squares * squares) - 3) < SHAPED * sqrt(24 / count);
}

struct mm_quantiles mm_quantiles_fit(const struct mm_distances *main, size_t coefficients)
{
    struct mm_quantiles q = {.freedom =
                                 fmax((double)main->count - (double)coefficients, 1)};
    double squares = 0, count = 0, mean = 0;
    char seen[MM_LEVELS] = {0};
    int normal;

    for (size_t i = 0; i < main->count; i++) {
        count += main->z[i].weight;
        squares += main->z[i].weight * main->z[i].weight;
        mean += main->z[i].weight * main->z[i].value;
    }
    if (main->count) {
        mean /= count;
        count = count * count / squares; /* effective number of equal weights */
    } else {
        q.freedom = SUMS_FREEDOM;
    }
    normal = main->count && is_normal(main, mean, count);
    if (!normal)
        mm_values_sort(main->z, main->count);
    for (size_t i = 0; i < MM_LEVELS; i++) {
        /* A further call is above the largest of n calls with probability 1 / (n + 1). */
        double at = levels[i] * (count + 1);

        seen[i] = main->count && !normal && at >= 1 && at <= count;
        if (seen[i])
            q.z[i] = mm_values_quantile(main->z, main->count, (at - .5) / count);
    }
    extend_tails(&q, mean, seen);
    return q;
}

/* Quantile of the main population, in sd from the typical cost. */
static double main_quantile(const struct mm_quantiles *q, double p)
{
    size_t k = 0;

    if (p <= levels[0])
        return q->z[0];
    while (k + 2 < MM_LEVELS && levels[k + 1] < p)
        k++;
    return q->z[k] + (q->z[k + 1] - q->z[k]) *
                         (fmin(p, levels[MM_LEVELS - 1]) - levels[k]) /
                         (levels[k + 1] - levels[k]);
}

/* Share of calls of the main population less than z standard deviations above the typical
 * cost: the inverse of main_quantile. */
static double main_below(const struct mm_quantiles *q, double z)
{
    size_t k = 0;

    if (z < q->z[0])
        return 0;
    while (k + 1 < MM_LEVELS && q->z[k + 1] <= z)
        k++;
    if (k + 1 == MM_LEVELS)
        return 1;
    return levels[k] +
           (levels[k + 1] - levels[k]) * (z - q->z[k]) / (q->z[k + 1] - q->z[k]);
}

/* Share of a population's calls whose excess is below w times its mean. Interpolates in
 * the logarithm of w, as tails are long. */
static double shape_below(const struct mm_population *p, double w)
{
    double low, high, part;
    size_t k = 0;

    if (w < p->shape[0])
        return 0;
    while (k + 1 < MM_SHAPE && p->shape[k + 1] <= w)
        k++;
    if (k + 1 == MM_SHAPE)
        return 1;
    low = p->shape[k];
    high = p->shape[k + 1];
    part = low > 0 ? log(w / low) / log(high / low) : (w - low) / (high - low);
    return mm_shape_levels[k] + (mm_shape_levels[k + 1] - mm_shape_levels[k]) * part;
}

/* Share of the calls of all populations with a cost below `value`. */
static double all_below(const struct mm_quantiles *q, const struct mm_populations *p,
                        double typ, double sd, const double *x, double value)
{
    double rest = 1, below = 0;

    for (size_t k = 0; k < p->count; k++) {
        double share = mm_population_share(&p->item[k], typ, x);
        double excess = mm_population_excess(&p->item[k], typ), part;

        if (excess == 0)
            continue;
        part = shape_below(&p->item[k], (value - typ) / excess);
        below += share * (excess > 0 ? part : 1 - part);
        rest -= share;
    }
    return below +
           fmax(rest, 0) * (sd > 0 ? main_below(q, (value - typ) / sd) : value >= typ);
}

double mm_quantiles_at(const struct mm_quantiles *q, const struct mm_populations *p,
                       double typ, const double *x, double level)
{
    double sd = mm_spread_at(&p->spread, typ), low, high;

    if (isnan(sd))
        return NAN;
    low = fmin(0, typ + sd * q->z[0]);
    high = typ + sd * q->z[MM_LEVELS - 1];
    if (!p->count)
        return fmax(typ + sd * main_quantile(q, level), 0);
    for (size_t k = 0; k < p->count; k++) {
        double excess = mm_population_excess(&p->item[k], typ);

        high = fmax(high, typ + excess * p->item[k].shape[MM_SHAPE - 1]);
        high = fmax(high, typ + excess * p->item[k].shape[0]);
    }
    for (int i = 0; i < STEPS; i++) {
        double middle = (low + high) / 2;

        if (all_below(q, p, typ, sd, x, middle) < level)
            low = middle;
        else
            high = middle;
    }
    return fmax(high, 0);
}
