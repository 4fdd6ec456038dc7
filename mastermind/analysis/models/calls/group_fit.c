/* SPDX-License-Identifier: BSD-3-Clause */
/* group_fit.c: describe a group of calls as a population. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "mastermind/analysis/models/calls/grouping.h"

#define CAP 200. /* calls that count when powers are compared */

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

int mm_grouping_fit(const struct mm_grouping *g, int group, struct mm_population *p)
{
    const struct mm_sample_table *t = g->table;
    double all = 0, allowed = 0, waits = 0;
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
    for (size_t i = 0; i < t->count; i++) {
        double x[MONITOR_MAX_IN];

        mm_sample_table_tuple(t, i, x);
        all += t->n[i];
        allowed += mm_rule_allows(&p->rule, x) ? t->n[i] : 0;
    }
    p->share = fmin(p->calls / (allowed > 0 ? allowed : all), 1);
    return result;
}
