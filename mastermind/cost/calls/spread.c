/* SPDX-License-Identifier: BSD-3-Clause */
/* spread.c: fit the spread of calls against their typical cost. */
#include "mastermind/cost/calls/spread.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* largest power of the typical cost with which the spread grows */
#define STEEPEST 2.
#define STEP .125     /* step between the powers tried */
#define ODD_PRICE 2.  /* penalty of a power other than 1, in units of log likelihood */
#define FREE_PRICE 4. /* additional penalty of a power other than 1, 0 and 1/2 */
/* least number of calls from which a knot of the correction (spread.h) is estimated */
#define GROUP 12
/* weight of the power law at a knot of its correction, as a number of calls */
#define PSEUDO 10.
#define LOG_VARIANCE 1. /* variance of the log of the absolute distance of one call */

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
    /* With a power above 1 the relative spread would grow without end beyond the sizes;
     * there the power becomes 1. */
    if (s->knots && s->power > 1 && x > s->at[s->knots - 1])
        return s->factor * exp((s->power - 1) * s->at[s->knots - 1] + correction) * typ;
    return s->factor * pow(typ, s->power) * exp(correction);
}

/* Log likelihood of `power`, without its constant, for Laplace distributed distances,
 * which makes it robust against outliers; `*factor` gets the best factor. `scaled` has
 * calls times distances over typ^power, `logs` is the sum of calls times log typ. 0: all
 * distances are 0. */
static double power_likelihood(const double *scaled, size_t count, double calls,
                               double logs, double power, double *factor)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += scaled[i];
    *factor = calls > 0 ? sum / calls : 0;
    return *factor > 0 ? -calls * (log(*factor) + power * logs / calls) : 0;
}

/* Add a knot of the correction for sizes from index `from` on with at least `target`
 * calls together. Returns the index after these sizes. */
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

/* Choose the power of the typical cost with which the spread grows, from 0 to STEEPEST in
 * steps. `scaled` and `step` [count] are scratch memory. */
static void choose_spread(struct mm_spread *spread, const struct mm_distance *sizes,
                          size_t count, double *scaled, double *step)
{
    double best = -INFINITY, calls = 0, logs = 0;

    for (size_t i = 0; i < count; i++) {
        double x = log(sizes[i].typ);

        calls += sizes[i].calls;
        logs += sizes[i].calls * x;
        scaled[i] = sizes[i].calls * sizes[i].distance;
        step[i] = exp(-STEP * x);
    }
    for (double power = 0; power <= STEEPEST; power += STEP) {
        double factor;
        double score = power_likelihood(scaled, count, calls, logs, power, &factor);

        if (power != 1)
            score -= power == 0 || power == .5 ? ODD_PRICE : FREE_PRICE;
        if (factor > 0 && score > best) {
            best = score;
            spread->power = power;
            spread->factor = factor;
        }
        for (size_t i = 0; i < count; i++)
            scaled[i] *= step[i];
    }
}

int mm_spread_of(const struct mm_distance *sizes, size_t count, struct mm_spread *spread)
{
    double *room = malloc((2 * count + 1) * sizeof *room);

    *spread = (struct mm_spread){.known = count > 0, .power = 1};
    if (!room)
        return -ENOMEM;
    choose_spread(spread, sizes, count, room, room + count);
    free(room);
    if (spread->factor > 0)
        correct_spread(spread, sizes, count);
    return 0;
}
