/* SPDX-License-Identifier: BSD-3-Clause */
/* spread.c: fit the spread of invocations against their mean. */
#include "mastermind/analysis/models/calls/spread.h"

#include <math.h>

#define STEEPEST 2. /* power; beyond it the means are too close to tell */

struct line {
    double slope, level, misfit;
};

/* log sd = level + slope * log mean, with weights (n - 1) / 2: the variance of a log sd
 * of n normal values is 1 / (2 (n - 1)). `slope` is given, or NaN: fitted. */
static struct line line_fit(const double *mean, const double *sd, const double *n,
                            size_t count, double slope)
{
    double weights = 0, x0 = 0, y0 = 0, xx = 0, xy = 0;
    struct line line = {0};

    for (size_t i = 0; i < count; i++) {
        if (n[i] < 2 || !(sd[i] > 0) || !(mean[i] > 0))
            continue;
        weights += (n[i] - 1) * 2;
        x0 += (n[i] - 1) * 2 * log(mean[i]);
        y0 += (n[i] - 1) * 2 * log(sd[i]);
    }
    x0 /= weights;
    y0 /= weights;
    for (size_t i = 0; i < count; i++) {
        if (n[i] < 2 || !(sd[i] > 0) || !(mean[i] > 0))
            continue;
        xx += (n[i] - 1) * 2 * (log(mean[i]) - x0) * (log(mean[i]) - x0);
        xy += (n[i] - 1) * 2 * (log(mean[i]) - x0) * (log(sd[i]) - y0);
    }
    line.slope = isnan(slope) ? (xx > 0 ? xy / xx : 1) : slope;
    line.level = y0 - line.slope * x0;
    for (size_t i = 0; i < count; i++) {
        double rest;

        if (n[i] < 2 || !(sd[i] > 0) || !(mean[i] > 0))
            continue;
        rest = log(sd[i]) - line.level - line.slope * log(mean[i]);
        line.misfit += (n[i] - 1) * 2 * rest * rest;
    }
    return line;
}

struct mm_spread mm_spread_fit(const double *mean, const double *sd, const double *n,
                               size_t count)
{
    static const double slopes[] = {1, 0, .5, NAN};
    struct line best = {0};
    double best_score = INFINITY;
    size_t usable = 0, equal = 0;

    for (size_t i = 0; i < count; i++) {
        usable += n[i] >= 2 && sd[i] > 0 && mean[i] > 0;
        equal += n[i] >= 2 && sd[i] == 0;
    }
    if (!usable)
        return (struct mm_spread){.known = equal > 0, .power = 1};
    for (size_t k = 0; k < sizeof slopes / sizeof *slopes; k++) {
        struct line line;
        double misfit, score;

        if (isnan(slopes[k]) && usable < 5)
            continue;
        line = line_fit(mean, sd, n, count, slopes[k]);
        if (!(line.slope >= 0 && line.slope <= STEEPEST))
            continue;
        /* Points scatter more than their counts predict, so the misfit sets the unit. */
        misfit = line.misfit / (double)usable;
        score = (double)usable * log(misfit + .1) +
                (isnan(slopes[k]) ? 2 : 0) * log((double)usable) + (k == 0 ? 0 : 1);
        if (score < best_score) {
            best_score = score;
            best = line;
        }
    }
    return (struct mm_spread){.known = 1, .factor = exp(best.level), .power = best.slope};
}

/* --- From calls one by one -------------------------------------------------------- */

#define STEP .125       /* of powers that are tried */
#define ODD_PRICE 2.    /* of a power that is not 1, in units of log likelihood */
#define FREE_PRICE 4.   /* of one that is not 0 or 1/2 either */
#define GROUP 12        /* least calls of a knot */
#define PSEUDO 10.      /* calls as the power law predicts them, beside those of a knot */
#define LOG_VARIANCE 1. /* of the log of a mean absolute distance of one call */

double mm_spread_at(const struct mm_spread *s, double typ)
{
    double x, correction = 0;
    size_t k = 0;

    if (!s->known)
        return NAN;
    if (!s->factor || !(typ > 0))
        return 0;
    x = log(typ);
    if (s->knots) {
        while (k < s->knots && s->at[k] < x)
            k++;
        if (k == 0 || k == s->knots)
            correction = s->correction[k ? k - 1 : 0];
        else
            correction =
                s->correction[k - 1] + (s->correction[k] - s->correction[k - 1]) *
                                           (x - s->at[k - 1]) / (s->at[k] - s->at[k - 1]);
    }
    return s->factor * pow(typ, s->power) * exp(correction);
}

/* Log likelihood, less its constant, of `power` if distances are Laplace distributed,
 * which few far ones hardly move; `*factor` is the best one. 0: all distances are. */
static double power_likelihood(const struct mm_distance *sizes, size_t count,
                               double power, double *factor)
{
    double calls = 0, sum = 0, logs = 0;

    for (size_t i = 0; i < count; i++) {
        calls += sizes[i].calls;
        sum += sizes[i].calls * sizes[i].distance * pow(sizes[i].typ, -power);
        logs += sizes[i].calls * log(sizes[i].typ);
    }
    *factor = calls > 0 ? sum / calls : 0;
    return *factor > 0 ? -calls * (log(*factor) + power * logs / calls) : 0;
}

/* Add a knot of the sizes from `from` on, of at least `target` calls. Returns the end of
 * these sizes. */
static size_t knot_add(struct mm_spread *s, const struct mm_distance *sizes, size_t from,
                       size_t count, double target, double *misfit)
{
    double calls = 0, sum = 0, logs = 0, ratio;
    size_t to = from;

    while (to < count && calls < target) {
        calls += sizes[to].calls;
        sum += sizes[to].calls * sizes[to].distance * pow(sizes[to].typ, -s->power);
        logs += sizes[to].calls * log(sizes[to].typ);
        to++;
    }
    ratio = sum > 0 ? log(sum / calls / s->factor) : -1;
    *misfit += calls * ratio * ratio / LOG_VARIANCE;
    s->at[s->knots] = logs / calls;
    s->correction[s->knots] = ratio * calls / (calls + PSEUDO);
    if (!s->knots || s->at[s->knots] > s->at[s->knots - 1] + 1e-9)
        s->knots++;
    return to;
}

/* Correct the power law where groups of neighbouring sizes depart from it. */
static void correct_spread(struct mm_spread *s, const struct mm_distance *sizes,
                           size_t count)
{
    struct mm_spread corrected = *s;
    double calls = 0, misfit = 0;
    size_t from = 0;

    for (size_t i = 0; i < count; i++)
        calls += sizes[i].calls;
    while (from < count && corrected.knots < MM_SPREAD_KNOTS)
        from = knot_add(&corrected, sizes, from, count,
                        fmax(calls / MM_SPREAD_KNOTS, GROUP), &misfit);
    if (corrected.knots >= 2 && misfit > 3. * (double)corrected.knots + 4)
        *s = corrected;
}

struct mm_spread mm_spread_of(const struct mm_distance *sizes, size_t count)
{
    struct mm_spread spread = {.known = count > 0, .power = 1};
    double best = -INFINITY, factor;

    if (!count || power_likelihood(sizes, count, 1, &spread.factor) == 0)
        return spread;
    for (double power = 0; power <= STEEPEST; power += STEP) {
        double score = power_likelihood(sizes, count, power, &factor);

        if (power != 1)
            score -= power == 0 || power == .5 ? ODD_PRICE : FREE_PRICE;
        if (score > best) {
            best = score;
            spread.power = power;
            spread.factor = factor;
        }
    }
    correct_spread(&spread, sizes, count);
    return spread;
}
