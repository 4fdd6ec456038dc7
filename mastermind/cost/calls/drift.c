/* SPDX-License-Identifier: BSD-3-Clause */
/* drift.c: relative cost of calls over the time of a run, and between runs. */
#include "mastermind/cost/calls/drift.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* least sd of the start times of a size's calls, over the time from the first to the last
 * start */
#define SPREAD_OUT .1
/* least size of a drift that counts as significant, in standard errors */
#define SIGNIFICANT 5.
#define LEAST_CHANGE .02
/* number of blocks of time, to distinguish a lasting change from a single burst */
#define BLOCKS 16
#define STEADY .6 /* least correlation of the blocks' costs with time */
/* least rank correlation of size and time from which on the sizes count as run in order
 */
#define ORDERED .9

struct sums {
    double weight, time, pace, times, products, paces;
};

/* True for a call of the main population that the host did not disturb. */
static int is_usual(const struct mm_sample_table *t, size_t row,
                    const struct mm_call *call)
{
    return call->ns <= t->cut[row] && call->ns >= t->least[row] && t->typ[row] > 0 &&
           (!(call->lost_ns > 0) || call->waited);
}

/* Weight of a call at size `row`, from the noise of its size, bounded so that no size
 * counts as exact. */
static double weight_at(const struct mm_sample_table *t, size_t row)
{
    double pooled = t->pooled > 0 ? t->pooled : .001;
    double cv = isnan(t->sd[row]) ? pooled : t->sd[row] / t->typ[row];

    cv = fmax(cv, pooled / 4);
    return 1 / (cv * cv);
}

/* Sum products of time and relative cost over the usual calls of a size, for each run,
 * about the run's means. `sums` [runs of the table, at least 1]. */
static void sum_runs(const struct mm_sample_table *t, size_t row, struct sums *sums)
{
    const struct mm_sample *sample = &t->point[row]->sample;
    size_t runs = t->runs ? t->runs : 1;

    memset(sums, 0, runs * sizeof *sums);
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < mm_sample_count(sample); i++) {
            const struct mm_call *call = &sample->call[i];
            struct sums *s = &sums[call->run < runs ? call->run : runs - 1];
            double pace = call->ns / t->typ[row] - 1, time = (double)call->start_ns;

            if (!is_usual(t, row, call))
                continue;
            if (!pass) {
                s->weight++;
                s->time += time;
                s->pace += pace;
                continue;
            }
            s->times += (time - s->time) * (time - s->time);
            s->products += (time - s->time) * (pace - s->pace);
            s->paces += (pace - s->pace) * (pace - s->pace);
        }
        for (size_t run = 0; !pass && run < runs; run++) {
            sums[run].time /= fmax(sums[run].weight, 1);
            sums[run].pace /= fmax(sums[run].weight, 1);
        }
    }
}

/* Time from the first to the last start of a call, over all runs; `*first` gets the first
 * start. */
static double range_of(const struct mm_sample_table *t, double *first)
{
    double low = INFINITY, high = -INFINITY;

    for (size_t i = 0; i < t->count; i++) {
        const struct mm_sample *sample = &t->point[i]->sample;

        for (uint32_t k = 0; k < mm_sample_count(sample); k++) {
            low = fmin(low, (double)sample->call[k].start_ns);
            high = fmax(high, (double)sample->call[k].start_ns);
        }
    }
    *first = low;
    return high > low ? high - low : 0;
}

/* Correlation of relative cost and time over blocks of time. */
static double block_correlation(const struct mm_sample_table *t, double first,
                                double range)
{
    double weight[BLOCKS] = {0}, pace[BLOCKS] = {0};
    struct sums s = {0};

    for (size_t i = 0; i < t->count; i++) {
        const struct mm_sample *sample = &t->point[i]->sample;
        double w = weight_at(t, i);

        for (uint32_t k = 0; k < mm_sample_count(sample); k++) {
            const struct mm_call *call = &sample->call[k];
            size_t block = (size_t)(((double)call->start_ns - first) / range * BLOCKS);

            if (!is_usual(t, i, call))
                continue;
            block = block < BLOCKS ? block : BLOCKS - 1;
            weight[block] += w;
            pace[block] += w * (call->ns / t->typ[i] - 1);
        }
    }
    for (int k = 0; k < BLOCKS; k++) {
        double y = weight[k] > 0 ? pace[k] / weight[k] : 0;

        if (!(weight[k] > 0))
            continue;
        s.weight++;
        s.time += k;
        s.pace += y;
        s.times += (double)k * k;
        s.products += k * y;
        s.paces += y * y;
    }
    s.times -= s.time * s.time / s.weight;
    s.products -= s.time * s.pace / s.weight;
    s.paces -= s.pace * s.pace / s.weight;
    return s.weight > 3 && s.times > 0 && s.paces > 0
               ? s.products / sqrt(s.times * s.paces)
               : 0;
}

struct order {
    double typ, time;
};

static int by_typ(const void *left, const void *right)
{
    double a = ((const struct order *)left)->typ, b = ((const struct order *)right)->typ;

    return (a > b) - (a < b);
}

/* Set `*ascending` by Kendall's rank correlation of size and time. */
static int is_ascending(const struct mm_sample_table *t, struct sums *sums,
                        int *ascending)
{
    struct order *order = malloc((t->count + 1) * sizeof *order);
    size_t count = 0, step;
    double same = 0, pairs = 0;

    if (!order)
        return -ENOMEM;
    for (size_t i = 0; i < t->count; i++) {
        sum_runs(t, i, sums);
        if (sums[0].weight > 0)
            order[count++] = (struct order){t->typ[i], sums[0].time};
    }
    qsort(order, count, sizeof *order, by_typ);
    step = count / 256 + 1;
    for (size_t i = 0; i < count; i += step) {
        for (size_t k = 0; k < i; k += step) {
            pairs++;
            same += order[i].time > order[k].time ? 1 : -1;
        }
    }
    *ascending = pairs >= 6 && fabs(same) >= ORDERED * pairs;
    free(order);
    return 0;
}

/* Estimate the drift of the costs over all sizes; `sums` is scratch memory. */
static int fit_drift(struct mm_drift *drift, const struct mm_sample_table *t,
                     struct sums *sums)
{
    double first, range = range_of(t, &first), slope, rest, freedom = 0;
    struct sums all = {0};

    if (!(range > 0) || t->whole)
        return 0;
    for (size_t i = 0; i < t->count; i++) {
        double w = weight_at(t, i);

        sum_runs(t, i, sums);
        for (size_t run = 0; run < (t->runs ? t->runs : 1); run++) {
            if (sums[run].weight < 2)
                continue;
            freedom += sums[run].weight - 1;
            all.weight += w * sums[run].weight;
            all.times += w * sums[run].times;
            all.products += w * sums[run].products;
            all.paces += w * sums[run].paces;
        }
    }
    if (freedom < 8 || !(all.times > 0) ||
        sqrt(all.times / all.weight) < SPREAD_OUT * range)
        return is_ascending(t, sums, &drift->ascending);
    slope = all.products / all.times;
    rest = fmax(all.paces - slope * all.products, 0) / freedom;
    drift->known = 1;
    drift->change = slope * range;
    drift->error = sqrt(rest / all.times) * range;
    drift->significant =
        fabs(drift->change) > fmax(SIGNIFICANT * drift->error, LEAST_CHANGE) &&
        fabs(block_correlation(t, first, range)) > STEADY;
    return 0;
}

int mm_drift_fit(struct mm_drift *drift, const struct mm_sample_table *t)
{
    struct sums *sums = malloc((t->runs + 1) * sizeof *sums);
    int result = -ENOMEM;

    *drift = (struct mm_drift){.change = NAN, .error = NAN};
    if (sums)
        result = fit_drift(drift, t, sums);
    free(sums);
    return result;
}

/* Add each run's relative cost at size `row` to `paces`, compared with the mean of all
 * runs there. */
static void add_paces(const struct mm_sample_table *t, size_t row,
                      const struct sums *sums, struct sums *paces)
{
    double mean = 0, runs = 0, w = weight_at(t, row);

    for (size_t run = 0; run < t->runs; run++) {
        mean += sums[run].weight > 0 ? sums[run].pace : 0;
        runs += sums[run].weight > 0;
    }
    for (size_t run = 0; run < t->runs; run++) {
        paces[run].time += sums[run].weight; /* `time` of `paces` is the number of calls,
                                                also at sizes that no other run has */
        if (runs < 2)
            continue;
        paces[run].weight += w * sums[run].weight;
        paces[run].pace += w * sums[run].weight * (sums[run].pace - mean / runs);
    }
}

int mm_run_spread_fit(struct mm_run_spread *spread, const struct mm_sample_table *t)
{
    struct sums *paces = calloc(2 * (t->runs + 1), sizeof *paces), *sums;
    double squares = 0, noise = 0, compared = 0;

    *spread = (struct mm_run_spread){.relative = NAN};
    if (!paces)
        return -ENOMEM;
    sums = paces + t->runs + 1;
    for (size_t i = 0; i < t->count; i++) {
        sum_runs(t, i, sums);
        add_paces(t, i, sums, paces);
    }
    for (size_t run = 0; run < t->runs; run++) {
        spread->runs += paces[run].time > 0;
        if (!(paces[run].weight > 0))
            continue;
        compared++;
        squares += pow(paces[run].pace / paces[run].weight, 2);
        noise += 1 / paces[run].weight;
    }
    if (compared > 1)
        spread->relative = sqrt(fmax(squares - noise, 0) / (compared - 1));
    free(paces);
    return 0;
}
