/* SPDX-License-Identifier: BSD-3-Clause */
/* group_fit.c: describe a group of calls as a population. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "mastermind/cost/calls/grouping.h"

#define SHARE_PRICE 4. /* of a share that goes with the cost, in log likelihood */
#define CAP 200.       /* calls that count when powers are compared */

/* Excess of call `k` over the fitted cost, > 0, in units of typ^power. */
double mm_grouping_excess(const struct mm_grouping *g, size_t k, double power)
{
    double fitted = fmax(g->fitted[g->calls[k].row], 1e-9);

    return fmax(fabs(g->value[k] - fitted) * (power ? pow(fitted, -power) : 1), 1e-300);
}

/* Misfit of excess = factor * typ^power, and that factor, which keeps the sum. */
static double power_misfit(const struct mm_grouping *g, int group, double power,
                           double *factor)
{
    double weights = 0, sum = 0, squares = 0, n = 0, excess = 0, typs = 0, sign = 1;

    for (size_t k = 0; k < g->count; k++) {
        double fitted = fmax(g->fitted[g->calls[k].row], 1e-9), w, rest;

        if (g->group[k] != group)
            continue;
        w = g->calls[k].weight;
        rest = log(mm_grouping_excess(g, k, power));
        sign = g->value[k] > fitted ? 1 : -1;
        weights += w;
        sum += w * rest;
        squares += w * rest * rest;
        excess += w * (g->value[k] - fitted);
        typs += w * pow(fitted, power);
        n++;
    }
    *factor = excess * sign > 0 ? excess / typs : 0;
    sum /= weights;
    return fmin(n, CAP) * log(fmax(squares / weights - sum * sum, 0) + .003);
}

/* The power of the typical cost that the excess of a group goes with. */
double mm_grouping_power(const struct mm_grouping *g, int group, double *factor)
{
    static const struct {
        double power, price;
    } tried[] = {{1, 0},   {0, .5},  {.5, 2},   {1.5, 3}, {2, 3},
                 {.25, 5}, {.75, 5}, {1.25, 5}, {-.5, 5}};
    double best = INFINITY, power = 1;

    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        double own;
        double score = power_misfit(g, group, tried[i].power, &own) + tried[i].price;

        if (score < best) {
            best = score;
            power = tried[i].power;
            *factor = own;
        }
    }
    return power;
}

int mm_grouping_rule(const struct mm_grouping *g, int group, struct mm_rule *rule)
{
    for (size_t k = 0; k < g->count; k++)
        g->calls[k].member = g->group[k] == group;
    return mm_rule_find(g->table, g->calls, g->count, rule);
}

/* Quantiles of the excess in units of its mean at the size. */
static int set_shape(const struct mm_grouping *g, int group, struct mm_population *p)
{
    struct mm_value *values = malloc((g->count + 1) * sizeof *values);
    double sum = 0, squares = 0;
    size_t count = 0;

    if (!values)
        return -ENOMEM;
    for (size_t k = 0; k < g->count; k++) {
        double fitted = g->fitted[g->calls[k].row], w;

        if (g->group[k] != group)
            continue;
        w = (g->value[k] - fitted) / (p->factor * pow(fmax(fitted, 1e-9), p->power));
        values[count++] = (struct mm_value){w, g->calls[k].weight};
        sum += g->calls[k].weight * w;
        squares += g->calls[k].weight * w * w;
    }
    mm_values_sort(values, count);
    sum /= p->calls;
    p->cv = sqrt(fmax(squares / p->calls - sum * sum, 0));
    p->known = (double)count;
    for (size_t i = 0; i < MM_SHAPE; i++)
        p->shape[i] = mm_values_quantile(values, count, mm_shape_levels[i]);
    p->shape[0] = values[0].value;
    p->shape[MM_SHAPE - 1] = values[count - 1].value;
    free(values);
    return 0;
}

/* A size, with calls that may be of a population and those that are, as many as are
 * known. */
struct part {
    double typ, calls, members;
};

/* Log likelihood of share = factor * typ^power; `*factor` gives the members that there
 * are. */
static double share_likelihood(const struct part *parts, size_t count, double power,
                               double *factor)
{
    double members = 0, scaled = 0, sum = 0;

    for (size_t i = 0; i < count; i++) {
        members += parts[i].members;
        scaled += parts[i].calls * pow(parts[i].typ, power);
    }
    *factor = members / scaled;
    for (size_t i = 0; i < count; i++) {
        double share = fmin(*factor * pow(parts[i].typ, power), 1 - 1e-6);

        sum += parts[i].members * log(share) +
               (parts[i].calls - parts[i].members) * log(1 - share);
    }
    return sum;
}

/* How the share goes with the typical cost: not at all, unless the sizes say so. */
static void choose_share(const struct part *parts, size_t count, struct mm_population *p)
{
    static const double powers[] = {0, 1, .5, -.5, -1, 2};
    double best = -INFINITY;

    for (size_t i = 0; i < sizeof powers / sizeof *powers; i++) {
        double factor;
        double score = share_likelihood(parts, count, powers[i], &factor) -
                       (powers[i] == 0   ? 0
                        : powers[i] == 1 ? SHARE_PRICE
                                         : SHARE_PRICE + 1);

        if (!(score > best))
            continue;
        best = score;
        p->share_power = powers[i];
        p->share_typ = powers[i] ? pow(p->share / factor, 1 / powers[i]) : 1;
    }
}

/* Share of the calls that the rule allows to be members. */
static int set_share(const struct mm_grouping *g, int group, struct mm_population *p)
{
    const struct mm_sample_table *t = g->table;
    struct part *parts = calloc(t->count + 1, sizeof *parts);
    double allowed = 0;
    size_t count = 0;

    if (!parts)
        return -ENOMEM;
    for (size_t i = 0; i < t->count; i++) {
        struct part *part = &parts[count];
        double x[MONITOR_MAX_IN], weight = 0;

        mm_sample_table_tuple(t, i, x);
        if (!mm_rule_allows(&p->rule, x))
            continue;
        allowed += t->n[i];
        *part = (struct part){.typ = g->fitted[i],
                              .calls = (double)(g->from[i + 1] - g->from[i])};
        for (size_t k = g->from[i]; k < g->from[i + 1]; k++) {
            weight += g->calls[k].weight;
            part->members += g->group[k] == group ? g->calls[k].weight : 0;
        }
        part->members *= weight > 0 ? part->calls / weight : 0;
        count += part->calls > 0 && part->typ > 0;
    }
    p->share = allowed > 0 ? fmin(p->calls / allowed, 1) : 1;
    p->share_typ = 1;
    if (!mm_rule_is_by_number(&p->rule))
        choose_share(parts, count, p);
    free(parts);
    return 0;
}

int mm_grouping_fit(const struct mm_grouping *g, int group, struct mm_population *p)
{
    double waits = 0;
    int result;

    *p = (struct mm_population){.calls = 0};
    for (size_t k = 0; k < g->count; k++) {
        if (g->group[k] != group)
            continue;
        p->calls += g->calls[k].weight;
        p->excess += g->calls[k].weight * (g->value[k] - g->fitted[g->calls[k].row]);
        waits += g->calls[k].call->waited ? g->calls[k].weight : 0;
    }
    if (!(p->calls > 0))
        return 0;
    p->excess /= p->calls;
    p->waits = 2 * waits > p->calls;
    p->power = mm_grouping_power(g, group, &p->factor);
    if (p->factor == 0) { /* not beyond the fitted cost at all */
        p->calls = 0;
        return 0;
    }
    result = mm_grouping_rule(g, group, &p->rule);
    if (!result)
        result = set_shape(g, group, p);
    if (!result)
        result = set_share(g, group, p);
    return result;
}
