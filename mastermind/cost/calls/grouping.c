/* SPDX-License-Identifier: BSD-3-Clause */
/* grouping.c: divide calls into groups by their likely cause. */
#include "mastermind/cost/calls/grouping.h"

#include "mastermind/cost/calls/evidence.h"
#include "mastermind/cost/calls/numbers.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define PSEUDO_CALLS 6.
/* A group is a tail of the main population if a share TAIL of it has an excess below NEAR
 * times the largest usual excess. */
#define TAIL .3
#define NEAR 1.6
/* least ratio of the excesses on both sides of a gap between two populations of large
 * calls */
#define SPLIT_RATIO 2.5
#define SPLIT_LEAST 4 /* least number of calls in each of the two populations */

/* --- Which calls are usual -------------------------------------------------------- */

/* Find the range of usual costs at sizes with few calls. */
static int usual_of_few(const struct mm_grouping *g, struct mm_usual *usual)
{
    const struct mm_sample_table *t = g->table;
    struct mm_value *values = malloc((g->count + 1) * sizeof *values);
    size_t count = 0;

    if (!values)
        return -ENOMEM;
    for (size_t k = 0; k < g->count; k++) {
        size_t row = g->calls[k].row;

        if (t->n[row] < MM_FEW_CALLS && g->fitted[row] > 0)
            values[count++] =
                (struct mm_value){g->value[k] / g->fitted[row], g->calls[k].weight};
    }
    *usual = mm_usual_of(t, values, count);
    free(values);
    return 0;
}

/* The range of usual costs at size `row`, by the limits of its main population; the upper
 * limit allows at least for the common spread of all sizes. */
static struct mm_usual usual_at(const struct mm_grouping *g, size_t row,
                                struct mm_usual few)
{
    const struct mm_sample_table *t = g->table;
    double pooled = isnan(t->pooled) ? 0 : t->pooled;

    if (t->whole)
        return (struct mm_usual){-INFINITY, INFINITY};
    if (t->n[row] < MM_FEW_CALLS)
        return (struct mm_usual){g->fitted[row] * few.least, g->fitted[row] * few.most};
    pooled *= PSEUDO_CALLS / (PSEUDO_CALLS + t->n[row]);
    return (struct mm_usual){
        t->least[row], fmax(t->cut[row], t->typ[row] * (1 + fmax(MM_CUT_SCALES * pooled,
                                                                 MM_LEAST_CUT)))};
}

/* The cost of a call less the part attributed to the host; MM_DROPPED where that explains
 * the whole excess. */
static int take_value(const struct mm_sample_table *t, size_t row,
                      const struct mm_call *call, double *value)
{
    double usual = t->typ[row] + fmax(3 * t->sd[row], MM_LEAST_CUT * t->typ[row]);
    double part = t->host_free ? 0 : mm_host_part(call, t->typ[row], usual);

    *value = call->ns - part;
    return part > 0 && *value <= usual ? MM_DROPPED : MM_MAIN;
}

/* Collect the calls of each size. */
static void gather_calls(struct mm_grouping *g)
{
    const struct mm_sample_table *t = g->table;

    for (size_t i = 0; i < t->count; i++) {
        const struct mm_sample *sample = &t->point[i]->sample;
        size_t outs = t->method->value_count - t->method->in_count;

        g->from[i] = g->count;
        if (outs > MM_SAMPLE_OUTS)
            outs = MM_SAMPLE_OUTS;
        for (uint32_t k = 0; k < mm_sample_count(sample); k++) {
            struct mm_member *call = &g->calls[g->count];

            *call =
                (struct mm_member){.call = &sample->call[k],
                                   .outs = sample->outs ? sample->outs + k * outs : NULL,
                                   .row = i,
                                   .weight = mm_sample_weight(sample, k)};
            g->group[g->count] =
                (signed char)take_value(t, i, call->call, &g->value[g->count]);
            g->waiting += call->call->waited ? call->weight : 0;
            g->count++;
        }
    }
    g->from[t->count] = g->count;
}

int mm_grouping_init(struct mm_grouping *g, const struct mm_sample_table *table,
                     const double *fitted)
{
    size_t most = 0;
    struct mm_usual few;

    *g = (struct mm_grouping){.table = table, .fitted = fitted};
    for (size_t i = 0; i < table->count; i++)
        most += mm_sample_count(&table->point[i]->sample);
    g->from = calloc(table->count + 1, sizeof *g->from);
    g->most = calloc(table->count + 1, sizeof *g->most);
    g->calls = malloc((most + 1) * sizeof *g->calls);
    g->value = malloc((most + 1) * sizeof *g->value);
    g->group = calloc(most + 1, sizeof *g->group);
    if (!g->from || !g->most || !g->calls || !g->value || !g->group)
        return -ENOMEM;
    gather_calls(g);
    if (usual_of_few(g, &few) < 0)
        return -ENOMEM;
    for (size_t i = 0; i < table->count; i++) {
        struct mm_usual usual = usual_at(g, i, few);

        g->most[i] = usual.most;
        for (size_t k = g->from[i]; k < g->from[i + 1]; k++) {
            if (g->group[k] == MM_DROPPED)
                continue;
            if (g->value[k] > usual.most)
                g->group[k] = 1;
            else if (g->value[k] < usual.least)
                g->group[k] = 2;
            if (g->group[k] > g->groups)
                g->groups = g->group[k];
        }
    }
    return 0;
}

void mm_grouping_done(struct mm_grouping *g)
{
    free(g->from);
    free(g->most);
    free(g->calls);
    free(g->value);
    free(g->group);
    *g = (struct mm_grouping){0};
}

/* --- Groups with separate causes -------------------------------------------------- */

/* True if group 1 is a tail of the main population. A tail is dense just above the usual
 * costs; a separate population is not. */
static int is_tail(const struct mm_grouping *g)
{
    const struct mm_sample_table *t = g->table;
    double near = 0, beyond = 0;

    for (size_t k = 0; k < g->count; k++) {
        size_t row = g->calls[k].row;
        double base = t->n[row] < MM_FEW_CALLS ? g->fitted[row] : t->typ[row];
        double reach = fmax(g->most[row] - base, MM_LEAST_CUT * base);
        double u = (g->value[k] - base) / reach;

        if (g->group[k] < MM_MAIN || !isfinite(u))
            continue;
        near += g->group[k] == 1 && u <= NEAR ? g->calls[k].weight : 0;
        beyond += g->group[k] == 1 ? g->calls[k].weight : 0;
    }
    return near > TAIL * beyond;
}

/* Find the gap between small and large excesses of group `group`. Returns its middle; 0:
 * no gap. */
static double gap_of(const struct mm_grouping *g, int group, double power, size_t least,
                     struct mm_value *values)
{
    size_t count = 0, at = 0;
    double widest = SPLIT_RATIO;

    for (size_t k = 0; k < g->count; k++)
        if (g->group[k] == group)
            values[count++] = (struct mm_value){mm_grouping_excess(g, k, power), 1};
    mm_values_sort(values, count);
    for (size_t i = least; i + least <= count; i++) {
        double ratio = values[i].value / values[i - 1].value;

        if (ratio > widest) {
            widest = ratio;
            at = i;
        }
    }
    return at ? sqrt(values[at].value * values[at - 1].value) : 0;
}

/* Move the calls of group `from` with an excess over the fitted cost above `limit` into
 * group `to`; with `below`, move the calls with a smaller excess. */
static void move_calls(struct mm_grouping *g, int from, int to, double limit,
                       double power, int below)
{
    for (size_t k = 0; k < g->count; k++)
        if (g->group[k] == from && (mm_grouping_excess(g, k, power) > limit) != below)
            g->group[k] = (signed char)to;
}

/* Return a tail to the main population, except for calls far beyond it. */
static void return_tail(struct mm_grouping *g, struct mm_value *values)
{
    double gap = gap_of(g, 1, 1, SPLIT_LEAST, values);

    move_calls(g, 1, MM_MAIN, gap > 0 ? gap : INFINITY, 1, 1);
}

/* Move the calls of group 1 that match `rule` (rules.h) into a group of their own. */
static void move_named(struct mm_grouping *g, const struct mm_rule *rule, int to)
{
    for (size_t k = 0; k < g->count; k++)
        if (g->group[k] == 1 && mm_rule_names(rule, g->table, &g->calls[k]))
            g->group[k] = (signed char)to;
}

/* Separate calls that waited (for sleep, a lock or I/O) if other calls do not wait. */
static void split_waiting(struct mm_grouping *g)
{
    size_t waiting = 0, other = 0;

    for (size_t k = 0; k < g->count; k++) {
        waiting += g->group[k] == 1 && g->calls[k].call->waited;
        other += g->group[k] == 1 && !g->calls[k].call->waited;
    }
    if (waiting < 2 || !other)
        return;
    g->groups++;
    for (size_t k = 0; k < g->count; k++)
        if (g->group[k] == 1 && g->calls[k].call->waited)
            g->group[k] = (signed char)g->groups;
}

/* Separate the first calls of a method where they cost far more than the others. */
static void split_first(struct mm_grouping *g, struct mm_value *values)
{
    double factor, power = mm_grouping_power(g, 1, &factor), least = INFINITY;
    size_t others = 0;

    for (size_t k = 0; k < g->count; k++) {
        if (g->group[k] != 1)
            continue;
        if (g->calls[k].call->number == 1)
            least = fmin(least, mm_grouping_excess(g, k, power));
        else
            values[others++] = (struct mm_value){mm_grouping_excess(g, k, power), 1};
    }
    if (!others || !isfinite(least) || g->groups >= MM_POPULATIONS)
        return;
    mm_values_sort(values, others);
    if (least < SPLIT_RATIO * mm_values_quantile(values, others, .9))
        return;
    g->groups++;
    for (size_t k = 0; k < g->count; k++)
        if (g->group[k] == 1 && g->calls[k].call->number == 1)
            g->group[k] = (signed char)g->groups;
}

/* Split groups at wide gaps between small and large excesses. */
static void split_gaps(struct mm_grouping *g, struct mm_value *values)
{
    for (int group = 1; group <= g->groups && g->groups < MM_POPULATIONS;) {
        double factor, power = mm_grouping_power(g, group, &factor);
        double gap = gap_of(g, group, power, SPLIT_LEAST, values);

        if (gap > 0) /* the rest of the group may have further gaps */
            move_calls(g, group, ++g->groups, gap, power, 0);
        else
            group++;
    }
}

int mm_grouping_split(struct mm_grouping *g)
{
    struct mm_value *values = malloc((g->count + 1) * sizeof *values);
    struct mm_rule rule = {.kind = MM_RULE_NONE};
    int result = 0;

    if (!values)
        return -ENOMEM;
    if (g->groups && is_tail(g))
        return_tail(g, values);
    if (g->groups)
        result = mm_grouping_rule(g, 1, &rule);
    if (rule.kind == MM_RULE_NONE || rule.kind == MM_RULE_PARAMETER) {
        split_first(g, values);
        split_waiting(g);
        split_gaps(g, values);
    } else if (rule.precision * rule.recall < 1 && g->groups < MM_POPULATIONS) {
        move_named(g, &rule, ++g->groups);
        if (is_tail(g))
            return_tail(g, values);
        split_gaps(g, values);
    }
    free(values);
    return result;
}
