/* SPDX-License-Identifier: BSD-3-Clause */
/* population.c: mean, share and variance of the populations beside the main one. */
#include <math.h>

#include "mastermind/cost/calls/populations.h"

#define LOCAL 3. /* ratio of all members to the members near one size */

const double mm_shape_levels[MM_SHAPE] = {0,  .05, .2,  .35, .5,   .65, .8,
                                          .9, .95, .98, .99, .999, 1};

double mm_population_share(const struct mm_population *p, double typ, const double *x)
{
    if (x && !mm_rule_allows(&p->rule, x))
        return 0;
    if (p->share_base)
        typ = x ? x[p->share_base - 1] : 0;
    if (!p->share_power || !(typ > 0))
        return p->share;
    return fmin(p->share * pow(typ / p->share_at, p->share_power), 1);
}

double mm_population_excess(const struct mm_population *p, double typ)
{
    double excess = typ > 0 ? p->factor * pow(typ, p->power) : 0;

    return fmax(excess, -typ);
}

/* Mean cost of a call over all populations, without the factor `scale`; the sd is about
 * this mean. */
static double mean_unscaled(const struct mm_populations *p, double typ, const double *x)
{
    double sd = mm_spread_at(&p->spread, typ), rest = 1, mean = 0;

    for (size_t k = 0; k < p->count; k++) {
        double share = mm_population_share(&p->item[k], typ, x);

        rest -= share;
        mean += share * mm_population_excess(&p->item[k], typ);
    }
    return mean + typ + (sd > 0 ? fmax(rest, 0) * p->shift * sd : 0);
}

double mm_populations_mean(const struct mm_populations *p, double typ, const double *x)
{
    return fmax(p->scale * mean_unscaled(p, typ, x), 0);
}

double mm_populations_sd(const struct mm_populations *p, double typ, const double *x)
{
    double sd = mm_spread_at(&p->spread, typ), mean = mean_unscaled(p, typ, x);
    double rest = 1, variance = 0, shift;

    if (isnan(sd))
        return NAN;
    shift = typ + p->shift * sd - mean;
    for (size_t k = 0; k < p->count; k++) {
        double share = mm_population_share(&p->item[k], typ, x);
        double excess = mm_population_excess(&p->item[k], typ);
        double own = p->item[k].cv * excess, distance = typ + excess - mean;

        rest -= share;
        variance += share * (own * own + distance * distance);
    }
    return p->scale * sqrt(variance + fmax(rest, 0) * (sd * sd + shift * shift));
}

double mm_populations_sum_sd(const struct mm_populations *p, double typ, const double *x)
{
    double sd = mm_populations_sd(p, typ, x), variance = sd * sd;

    for (size_t k = 0; k < p->count; k++) {
        const struct mm_population *item = &p->item[k];
        double share = mm_population_share(item, typ, x);
        double excess = p->scale * mm_population_excess(item, typ);

        if (mm_rule_is_by_number(&item->rule))
            variance -= share * (1 - share) * excess * excess;
    }
    return isnan(sd) ? NAN : sqrt(fmax(variance, 0));
}

/* Variance of a population's part in the mean. The number of calls that match a rule by
 * call number is known; other members are random, and a population known from a single
 * call may be off by its whole part. `calls` counts all calls of a population, also those
 * outside the sample. */
static double part_variance(const struct mm_population *item, double typ, const double *x)
{
    double share = mm_population_share(item, typ, x);
    double part = share * mm_population_excess(item, typ);
    int known = item->calls > 1 && mm_rule_is_by_number(&item->rule);
    /* A share that depends on the size is known from the members near that size only. */
    double lot = known ? 0 : (1 - share) * (item->share_power ? LOCAL : 1);

    return part * part * (lot + item->cv * item->cv) / fmax(item->calls, 1);
}

double mm_populations_error(const struct mm_populations *p, double typ, const double *x)
{
    double sd = mm_spread_at(&p->spread, typ), variance = 0;

    for (size_t k = 0; k < p->count; k++)
        variance += part_variance(&p->item[k], typ, x);
    if (sd > 0 && p->calls > 1)
        variance += sd * sd / p->calls;
    return sqrt(variance);
}
