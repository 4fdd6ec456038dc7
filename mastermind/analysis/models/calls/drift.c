/* SPDX-License-Identifier: BSD-3-Clause */
/* drift.c: the host's pace over the time of a run, and from run to run. */
#include "mastermind/analysis/models/calls/drift.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define SPREAD_OUT .1  /* of a size's starts, as a share of the run: enough to tell */
#define SIGNIFICANT 5. /* standard errors */
#define LEAST_CHANGE .02
#define BLOCKS 16  /* of time, to see that a change goes on and is no single burst */
#define STEADY .6  /* correlation of the blocks with time */
#define ORDERED .9 /* rank correlation of size and time */

struct sums {
    double weight, time, pace, times, products, paces;
};

/* A usual call, to compare with others of its size. */
static int is_usual(const struct mm_sample_table *t, size_t row,
                    const struct mm_call *call)
{
    return call->ns <= t->cut[row] && call->ns >= t->least[row] && t->typ[row] > 0 &&
           (!(call->lost_ns > 0) || call->waited);
}

/* Weight of a call at size `row`: the noise of its size counts, but no size is exact. */
static double weight_at(const struct mm_sample_table *t, size_t row)
{
    double pooled = t->pooled > 0 ? t->pooled : .001;
    double cv = isnan(t->sd[row]) ? pooled : t->sd[row] / t->typ[row];

    cv = fmax(cv, pooled / 4);
    return 1 / (cv * cv);
}

/* Sums over the calls of a size in run `run`, about their means. */
static struct sums sums_of(const struct mm_sample_table *t, size_t row, unsigned run)
{
    const struct mm_sample *sample = &t->point[row]->sample;
    struct sums s = {0};

    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < mm_sample_count(sample); i++) {
            const struct mm_call *call = &sample->call[i];
            double pace = call->ns / t->typ[row] - 1, time = (double)call->start_ns;

            if (call->run != run || !is_usual(t, row, call))
                continue;
            if (!pass) {
                s.weight++;
                s.time += time;
                s.pace += pace;
                continue;
            }
            s.times += (time - s.time) * (time - s.time);
            s.products += (time - s.time) * (pace - s.pace);
            s.paces += (pace - s.pace) * (pace - s.pace);
        }
        if (!pass && s.weight > 0) {
            s.time /= s.weight;
            s.pace /= s.weight;
        }
    }
    return s;
}

/* First and last start, over all runs. */
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

/* Correlation of pace and time over blocks of time. */
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

/* Kendall's correlation of size and time. */
static int is_ascending(const struct mm_sample_table *t, int *ascending)
{
    struct order *order = malloc((t->count + 1) * sizeof *order);
    size_t count = 0, step;
    double same = 0, pairs = 0;

    if (!order)
        return -ENOMEM;
    for (size_t i = 0; i < t->count; i++) {
        struct sums s = sums_of(t, i, 0);

        if (s.weight > 0)
            order[count++] = (struct order){t->typ[i], s.time};
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

int mm_drift_fit(struct mm_drift *drift, const struct mm_sample_table *t)
{
    double first, range = range_of(t, &first), slope, rest, calls = 0, freedom = 0;
    struct sums all = {0};

    *drift = (struct mm_drift){.change = NAN, .error = NAN};
    if (!(range > 0) || t->whole)
        return 0;
    for (size_t i = 0; i < t->count; i++) {
        for (unsigned run = 0; run < (t->runs ? t->runs : 1); run++) {
            struct sums s = sums_of(t, i, run);
            double w = weight_at(t, i);

            if (s.weight < 2)
                continue;
            calls += s.weight;
            freedom += s.weight - 1;
            all.weight += w * s.weight;
            all.times += w * s.times;
            all.products += w * s.products;
            all.paces += w * s.paces;
        }
    }
    if (freedom < 8 || !(all.times > 0) ||
        sqrt(all.times / all.weight) < SPREAD_OUT * range)
        return is_ascending(t, &drift->ascending);
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

int mm_run_spread_fit(struct mm_run_spread *spread, const struct mm_sample_table *t)
{
    double *weight = calloc(2 * (t->runs + 1), sizeof *weight), *pace;
    double squares = 0, noise = 0;

    if (!weight)
        return -ENOMEM;
    pace = weight + t->runs + 1;
    *spread = (struct mm_run_spread){.relative = NAN};
    for (size_t i = 0; i < t->count; i++) {
        double sum = 0, n = 0;

        for (unsigned run = 0; run < t->runs; run++) {
            struct sums s = sums_of(t, i, run);

            sum += s.weight > 0 ? s.pace : 0;
            n += s.weight > 0;
        }
        for (unsigned run = 0; run < t->runs; run++) {
            struct sums s = sums_of(t, i, run);

            if (!(s.weight > 0) || (n < 2 && t->runs > 1 && pace[run] != 0))
                continue;
            weight[run] += s.weight * weight_at(t, i);
            pace[run] += s.weight * weight_at(t, i) * (s.pace - sum / n);
        }
    }
    for (unsigned run = 0; run < t->runs; run++) {
        if (!(weight[run] > 0))
            continue;
        spread->runs++;
        squares += pace[run] / weight[run] * (pace[run] / weight[run]);
        noise += 1 / weight[run];
    }
    if (spread->runs > 1)
        spread->relative = sqrt(fmax((squares - noise) / (double)(spread->runs - 1), 0));
    free(weight);
    return 0;
}
