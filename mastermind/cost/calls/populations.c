/* SPDX-License-Identifier: BSD-3-Clause */
/* populations.c: divide the calls of a method into populations. */
#include "mastermind/cost/calls/populations.h"

#include <errno.h>
#include <stdlib.h>

#include "mastermind/cost/calls/grouping.h"

#include <math.h>

/* Least share of all time of a population that only sums reveal. */
#define HIDDEN .02
#define MOST_ADJUSTED 4. /* largest factor by which sums correct shares from samples */

/* --- The main population ---------------------------------------------------------- */

static int by_typ(const void *left, const void *right)
{
    double a = ((const struct mm_distance *)left)->typ;
    double b = ((const struct mm_distance *)right)->typ;

    return (a > b) - (a < b);
}

/* Measure the mean distance of each size's main population from its fitted cost. `*calls`
 * gets the number of calls used. */
static size_t measure_distances(const struct mm_grouping *g, struct mm_distance *sizes,
                                double *calls)
{
    const struct mm_sample_table *t = g->table;
    size_t count = 0;

    *calls = 0;
    for (size_t i = 0; i < t->count; i++) {
        struct mm_distance *size = &sizes[count];
        double weight = 0;

        *size = (struct mm_distance){.typ = g->fitted[i]};
        for (size_t k = g->from[i]; k < g->from[i + 1]; k++) {
            if (g->group[k] != MM_MAIN)
                continue;
            weight += g->calls[k].weight;
            size->distance += g->calls[k].weight * fabs(g->value[k] - g->fitted[i]);
            size->calls++;
        }
        if (weight > 0) {
            size->distance /= weight;
        } else if (!mm_sample_count(&t->point[i]->sample) && t->n[i] > 1 &&
                   !isnan(t->sd[i])) {
            size->distance = t->sd[i]; /* there is no sample of the calls, only sums */
            size->calls = t->n[i];
        }
        *calls += size->calls;
        count += size->calls > 0 && size->typ > 0;
    }
    qsort(sizes, count, sizeof *sizes, by_typ);
    return count;
}

/* Write by how many spreads each call of the main population differs from its fitted
 * cost, and convert spread.factor from the mean absolute difference to the sd. */
static void scale_distances(struct mm_populations *p, const struct mm_grouping *g,
                            double widen, struct mm_distances *main)
{
    double weight = 0, sum = 0, squares = 0, sd;

    for (size_t k = 0; k < g->count; k++) {
        double scale = mm_spread_at(&p->spread, g->fitted[g->calls[k].row]), z;

        if (g->group[k] != MM_MAIN || !(scale > 0))
            continue;
        z = (g->value[k] - g->fitted[g->calls[k].row]) / scale;
        main->z[main->count++] = (struct mm_value){z, g->calls[k].weight};
        weight += g->calls[k].weight;
        sum += g->calls[k].weight * z;
        squares += g->calls[k].weight * z * z;
    }
    if (!main->count)
        return;
    sum /= weight;
    sd = sqrt(fmax(squares / weight - sum * sum, 0));
    if (!(sd > 0)) {
        p->shift = sum; /* all calls have the same distance from the typical cost */
        main->count = 0;
        return;
    }
    p->shift = sum / sd / widen;
    p->spread.factor *= sd * widen;
    for (size_t k = 0; k < main->count; k++)
        main->z[k].value = p->shift + (main->z[k].value - sum) / sd;
}

static int fit_main(struct mm_populations *p, const struct mm_grouping *g,
                    size_t coefficients, struct mm_distances *main)
{
    struct mm_distance *sizes = malloc((g->table->count + 1) * sizeof *sizes);
    double calls, k = (double)coefficients;
    int result = 0;
    size_t count;

    main->z = malloc((g->count + 1) * sizeof *main->z);
    if (!sizes || !main->z) {
        free(sizes);
        return -ENOMEM;
    }
    count = measure_distances(g, sizes, &calls);
    if (calls > k)
        result = mm_spread_of(sizes, count, &p->spread);
    free(sizes);
    if (p->spread.known)
        scale_distances(p, g, sqrt(calls / (calls - k)), main);
    return result;
}

/* --- Sums --------------------------------------------------------------------------- */

/* Total excess of the measured sums over the main population. `*sampled` gets the number
 * of calls at sizes of which only some calls are kept. */
static double excess_of_sums(const struct mm_populations *p, const struct mm_grouping *g,
                             double *sampled)
{
    const struct mm_sample_table *t = g->table;
    double excess = 0;

    *sampled = 0;
    for (size_t i = 0; i < t->count; i++) {
        double sd = mm_spread_at(&p->spread, g->fitted[i]);
        const struct mm_sample *sample = &t->point[i]->sample;

        excess += t->n[i] * (t->mean[i] - g->fitted[i] - (sd > 0 ? p->shift * sd : 0));
        if (mm_sample_count(sample) < t->point[i]->n || g->from[i] == g->from[i + 1])
            *sampled += t->n[i];
    }
    return excess;
}

/* Estimate the excess of a hidden population from the sums and sums of squares, as factor
 * * typ^power. Returns the factor; NaN: unknown. `*misfit` is the disagreement between
 * sizes. */
static double hidden_factor(const struct mm_populations *p, const struct mm_grouping *g,
                            double power, double *misfit)
{
    const struct mm_sample_table *t = g->table;
    double squares = 0, sums = 0, factor;

    for (int pass = 0; pass < 2; pass++) {
        *misfit = 0;
        factor = squares > 0 && sums > 0 ? squares / sums : NAN;
        for (size_t i = 0; i < t->count; i++) {
            double scale = pow(fmax(g->fitted[i], 1e-9), -power);
            double sd = mm_spread_at(&p->spread, g->fitted[i]);
            double rest = t->mean[i] - g->fitted[i];
            double square = t->point[i]->m2_ns2 + t->n[i] * rest * rest -
                            (sd > 0 ? t->n[i] * sd * sd : 0);

            if (t->point[i]->sums_only)
                return NAN;
            if (!pass) {
                squares += square * scale * scale;
                sums += t->n[i] * rest * scale;
            } else if (square > 0 && rest > 0) {
                *misfit +=
                    t->n[i] * fabs(log(square * scale / (t->n[i] * rest) / factor));
            }
        }
    }
    return factor;
}

/* Add a population that the samples missed because its calls are rare, but that the sums
 * of costs and of squares contain. */
static void add_hidden(struct mm_populations *p, const struct mm_grouping *g,
                       double excess)
{
    const struct mm_sample_table *t = g->table;
    struct mm_population *item = &p->item[0];
    double misfit[2], factor[2] = {hidden_factor(p, g, 0, &misfit[0]),
                                   hidden_factor(p, g, 1, &misfit[1])};
    int power = misfit[1] <= misfit[0];

    *item =
        (struct mm_population){.power = power, .factor = factor[power], .share_at = 1};
    if (!(item->factor > 0))
        return;
    for (size_t i = 0; i < t->count; i++)
        item->calls += t->n[i] * (t->mean[i] - g->fitted[i]) /
                       mm_population_excess(item, g->fitted[i]);
    item->calls = fmin(item->calls, p->calls);
    item->excess = excess / item->calls;
    item->share = item->calls / p->calls;
    item->known = item->calls;
    for (size_t k = 0; k < MM_SHAPE; k++)
        item->shape[k] = 1;
    p->count = item->calls > 0;
}

/* Set the relative standard error of the sum of as many future calls as were measured.
 * Equally many of them match a rule by call number. */
static void set_error(struct mm_populations *p, const struct mm_grouping *g)
{
    const struct mm_sample_table *t = g->table;
    double variance = 0;

    for (size_t i = 0; i < t->count; i++) {
        double x[MONITOR_MAX_IN], sd;

        mm_sample_table_tuple(t, i, x);
        sd = mm_populations_sum_sd(p, g->fitted[i], x);
        variance += t->n[i] * sd * sd;
    }
    p->error = p->sum > 0 ? sqrt(variance) / p->sum : NAN;
}

/* Make the predicted sum over the fitted calls equal the measured one: first correct
 * shares estimated from samples, then scale the mean. */
static void calibrate(struct mm_populations *p, const struct mm_grouping *g)
{
    const struct mm_sample_table *t = g->table;
    double sampled, excess = excess_of_sums(p, g, &sampled), known = 0, sum = 0;

    if (!p->count && sampled > 0 && excess > HIDDEN * p->sum)
        add_hidden(p, g, excess);
    for (size_t k = 0; k < p->count; k++)
        known += p->item[k].calls * p->item[k].excess;
    if (sampled > 0 && known > 0 && excess > 0) {
        double factor = fmin(fmax(excess / known, 1 / MOST_ADJUSTED), MOST_ADJUSTED);

        for (size_t k = 0; k < p->count; k++) {
            struct mm_population *item = &p->item[k];
            double own = fmin(factor, 1 / item->share);

            item->share *= own;
            item->calls *= own;
        }
    }
    p->scale = 1;
    for (size_t i = 0; i < t->count; i++) {
        double x[MONITOR_MAX_IN];

        mm_sample_table_tuple(t, i, x);
        sum += t->n[i] * mm_populations_mean(p, g->fitted[i], x);
    }
    p->scale = sum > 0 && p->sum > 0 ? p->sum / sum : 1;
    set_error(p, g);
}

static void sum_up(struct mm_populations *p, const struct mm_sample_table *t)
{
    for (size_t i = 0; i < t->count; i++) {
        p->calls += t->n[i];
        p->sum += t->n[i] * t->mean[i];
        p->host_calls += t->host_calls[i];
        p->host_ns += t->host_ns[i];
        if (!t->host_free)
            p->no_evidence += t->n[i] - (double)t->point[i]->evidence;
    }
}

static int by_sum(const void *left, const void *right)
{
    const struct mm_population *a = left, *b = right;
    double x = fabs(a->calls * a->excess), y = fabs(b->calls * b->excess);

    return (x < y) - (x > y);
}

int mm_populations_fit(struct mm_populations *populations,
                       const struct mm_sample_table *table, const double *fitted,
                       size_t coefficients, struct mm_distances *main)
{
    struct mm_populations *p = populations;
    struct mm_grouping g;
    int result;

    *p = (struct mm_populations){.scale = 1};
    *main = (struct mm_distances){0};
    sum_up(p, table);
    result = mm_grouping_init(&g, table, fitted);
    if (!result)
        result = mm_grouping_split(&g);
    for (int k = 1; !result && k <= g.groups; k++) {
        result = mm_grouping_fit(&g, k, &p->item[p->count]);
        p->count += !result && p->item[p->count].calls > 0;
    }
    if (!result)
        result = fit_main(p, &g, coefficients, main);
    for (size_t i = 0; i < table->count; i++)
        if (table->point[i]->sums_only) /* the means of many calls do not show the spread
                                           of single calls */
            p->spread.known = 0;
    if (!result) {
        calibrate(p, &g);
        p->waiting_calls = g.waiting;
        qsort(p->item, p->count, sizeof *p->item, by_sum);
    }
    mm_grouping_done(&g);
    if (result)
        mm_distances_done(main);
    return result;
}

void mm_distances_done(struct mm_distances *distances)
{
    free(distances->z);
    *distances = (struct mm_distances){0};
}
