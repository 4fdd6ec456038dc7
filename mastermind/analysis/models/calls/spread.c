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
