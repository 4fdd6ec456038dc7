/* SPDX-License-Identifier: BSD-3-Clause */
/* group_fit.c: describe a group of calls as a population. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "mastermind/cost/calls/grouping.h"

/* penalty of a share that depends on the cost, in log likelihood */
#define SHARE_PRICE 4.
#define BASE_PRICE 1. /* additional penalty of a share that depends on a parameter */
#define RULE_PRICE 4. /* penalty of a rule, because a search has chosen its threshold */
#define OUTSIDE 5.    /* loss of log likelihood for each member that the rule excludes */
/* a group with more calls counts as this many when powers are compared */
#define CAP 200.

/* Excess of call `k` over the fitted cost, > 0, in units of typ^power. */
double mm_grouping_excess(const struct mm_grouping *g, size_t k, double power)
{
    double fitted = fmax(g->fitted[g->calls[k].row], 1e-9);

    return fmax(fabs(g->value[k] - fitted) * (power ? pow(fitted, -power) : 1), 1e-300);
}

/* Misfit of the model "excess = factor * typ^power" to a group of calls; `*factor` gets
 * the factor with which the sum of excesses is right. */
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

/* The power of the typical cost with which the excess of a group grows. */
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

/* Set the quantiles of a group's excess over the fitted cost, in units of the mean excess
 * at the size of each call. */
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

/* A size: number of its kept calls, and of the members of the group among them; `base` is
 * the variable on which the share may depend. */
struct part {
    double base, typ, calls, members;
    size_t row;
};

/* Log likelihood of share = factor * base^power; `*factor` makes the expected number of
 * members equal the actual one. */
static double share_likelihood(const struct part *parts, size_t count, double power,
                               double *factor)
{
    double members = 0, scaled = 0, sum = 0;

    for (size_t i = 0; i < count; i++) {
        members += parts[i].members;
        scaled += parts[i].calls * pow(parts[i].base, power);
    }
    *factor = members / scaled;
    for (size_t i = 0; i < count; i++) {
        double share = fmin(*factor * pow(parts[i].base, power), 1 - 1e-6);

        sum += parts[i].members * log(share) +
               (parts[i].calls - parts[i].members) * log(1 - share);
    }
    return sum;
}

/* Try models in which a population's share depends on `base`; `price` is the penalty for
 * the choice of the base. */
static void try_shares(const struct part *parts, size_t count, size_t base, double price,
                       double *best, struct mm_population *p)
{
    static const double powers[] = {0, 1, .5, -.5, -1, 2};

    for (size_t i = base ? 1 : 0; i < sizeof powers / sizeof *powers; i++) {
        double factor;
        double score = share_likelihood(parts, count, powers[i], &factor) - price -
                       (powers[i] == 0   ? 0
                        : powers[i] == 1 ? SHARE_PRICE
                                         : SHARE_PRICE + 1);

        if (!(score > *best))
            continue;
        *best = score;
        p->share_base = base;
        p->share_power = powers[i];
        p->share_at = powers[i] ? pow(p->share / factor, 1 / powers[i]) : 1;
    }
}

/* Choose the dependence of the share on the typical cost or a parameter; constant unless
 * the data support more. Returns the log likelihood less penalties. */
static double choose_share(const struct mm_sample_table *t, struct part *parts,
                           size_t count, struct mm_population *p)
{
    double best = -INFINITY;

    for (size_t i = 0; i < count; i++)
        parts[i].base = parts[i].typ;
    try_shares(parts, count, 0, 0, &best, p);
    for (size_t k = 0; k < t->method->in_count; k++) {
        if (!t->x[k] || !(t->low[k] > 0) || t->low[k] == t->high[k])
            continue;
        for (size_t i = 0; i < count; i++)
            parts[i].base = t->x[k][parts[i].row];
        try_shares(parts, count, k + 1, BASE_PRICE, &best, p);
    }
    return best;
}

/* Collect the sizes at which the rule allows members. Returns their number. `*allowed`
 * gets the number of their calls, `*outside` the number of members at other sizes. */
static size_t gather_parts(const struct mm_grouping *g, int group,
                           const struct mm_rule *rule, struct part *parts,
                           double *allowed, double *outside)
{
    const struct mm_sample_table *t = g->table;
    size_t count = 0;

    *allowed = *outside = 0;
    for (size_t i = 0; i < t->count; i++) {
        struct part part = {.typ = g->fitted[i],
                            .calls = (double)(g->from[i + 1] - g->from[i]),
                            .row = i};
        double x[MONITOR_MAX_IN], weight = 0;

        for (size_t k = g->from[i]; k < g->from[i + 1]; k++) {
            weight += g->calls[k].weight;
            part.members += g->group[k] == group ? g->calls[k].weight : 0;
        }
        part.members *= weight > 0 ? part.calls / weight : 0;
        mm_sample_table_tuple(t, i, x);
        if (!mm_rule_allows(rule, x)) {
            *outside += part.members;
            continue;
        }
        *allowed += t->n[i];
        parts[count] = part;
        count += part.calls > 0 && part.typ > 0;
    }
    return count;
}

/* Fit the share of members among the calls that the rule allows. */
static void fit_share(const struct mm_grouping *g, int group, struct mm_population *p,
                      struct part *parts, double *likelihood)
{
    double allowed, outside;
    size_t count = gather_parts(g, group, &p->rule, parts, &allowed, &outside);

    p->share = allowed > 0 ? fmin(p->calls / allowed, 1) : 1;
    p->share_at = 1;
    if (!mm_rule_is_by_number(&p->rule))
        *likelihood =
            choose_share(g->table, parts, count, p) - outside * OUTSIDE - RULE_PRICE;
}

/* Set the share with the rule; or without it, if a share that depends on the size is
 * about as likely, because a rule by a parameter has an abrupt edge that real shares
 * hardly have. */
static int set_share(const struct mm_grouping *g, int group, struct mm_population *p)
{
    struct part *parts = calloc(g->table->count + 1, sizeof *parts);
    struct mm_population smooth = *p;
    double ruled = 0, likelihood = 0;

    if (!parts)
        return -ENOMEM;
    fit_share(g, group, p, parts, &ruled);
    if (p->rule.kind == MM_RULE_PARAMETER) {
        smooth.rule = (struct mm_rule){.kind = MM_RULE_NONE};
        fit_share(g, group, &smooth, parts, &likelihood);
        if (likelihood + RULE_PRICE > ruled)
            *p = smooth;
    }
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
    if (p->factor == 0) { /* the excess is not positive */
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
