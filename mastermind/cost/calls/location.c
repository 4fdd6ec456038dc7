/* SPDX-License-Identifier: BSD-3-Clause */
/* location.c: one-sided location, and gaps between two populations. */
#include "mastermind/cost/calls/location.h"

#include <math.h>
#include <stdlib.h>

#include "common/same.h"
#include "common/statistics.h"
#include "mastermind/cost/calls/numbers.h"

#define OTHERS 6. /* weight of the spread at other sizes, as a number of calls */
/* A clock is coarse if its tick is more than a share COARSE of a cost, each time occurs
 * REPEATED times on average, and times are multiples of the tick within UNEVEN of it. */
#define COARSE .05
#define REPEATED 4
#define UNEVEN .01
/* values are skewed if mean and median differ by so many standard errors */
#define SKEWED 2.5
/* Least gap between two populations, as a multiple of the wider one's decile range. */
#define GAP 2.5

static int by_value(const void *left, const void *right)
{
    double a = ((const struct mm_value *)left)->value;
    double b = ((const struct mm_value *)right)->value;

    return (a > b) - (a < b);
}

void mm_values_sort(struct mm_value *values, size_t count)
{
    if (count)
        qsort(values, count, sizeof *values, by_value);
}

double mm_values_weight(const struct mm_value *values, size_t count)
{
    double weight = 0;

    for (size_t i = 0; i < count; i++)
        weight += values[i].weight;
    return weight;
}

double mm_values_quantile(const struct mm_value *sorted, size_t count, double p)
{
    double at = p * mm_values_weight(sorted, count), below = 0, before = 0;

    for (size_t i = 0; i < count; i++) {
        double middle = below + sorted[i].weight / 2;

        if (middle >= at) {
            if (!i || middle <= before)
                return sorted[i].value;
            return sorted[i - 1].value + (sorted[i].value - sorted[i - 1].value) *
                                             (at - before) / (middle - before);
        }
        before = middle;
        below += sorted[i].weight;
    }
    return sorted[count - 1].value;
}

/* Set mean and sd of the values, and the effective number of equal weights. */
static void set_moments(const struct mm_value *values, size_t count,
                        struct mm_location *location)
{
    double sum = 0, squares = 0, weights = 0;

    location->weight = mm_values_weight(values, count);
    for (size_t i = 0; i < count; i++) {
        sum += values[i].weight * values[i].value;
        weights += values[i].weight * values[i].weight;
    }
    location->typ = sum / location->weight;
    for (size_t i = 0; i < count; i++) {
        double rest = values[i].value - location->typ;

        squares += values[i].weight * rest * rest;
    }
    location->count = location->weight * location->weight / weights;
    location->sd =
        count > 1 ? sqrt(squares / location->weight * (double)count / (double)(count - 1))
                  : 0;
}

double mm_values_scale(const struct mm_value *sorted, size_t count)
{
    return CCA_NORMAL_SCALE * (mm_values_quantile(sorted, count, .5) -
                               mm_values_quantile(sorted, count, .25));
}

/* Returns how many of the sorted costs of calls are kept. Costs that differ by a few
 * ticks of the clock may be equal. */
static size_t cut_upper(const struct mm_value *sorted, size_t count, double others,
                        double tick, struct mm_location *location)
{
    double median = mm_values_quantile(sorted, count, .5), n = (double)count;
    double shrunk;

    location->scale = mm_values_scale(sorted, count);
    shrunk = (n * location->scale + OTHERS * others * fabs(median)) / (n + OTHERS);
    location->scale = fmax(fmax(location->scale, shrunk), tick);
    location->cut =
        median + fmax(MM_CUT_SCALES * location->scale, MM_LEAST_CUT * fabs(median));
    while (count && sorted[count - 1].value > location->cut)
        count--;
    return count;
}

static struct mm_location location_of_few(struct mm_value *sorted, size_t count,
                                          double tick)
{
    struct mm_location location = {.scale = 0};

    if (count == 2 && sorted[1].value > 2 * sorted[0].value + 2 * tick)
        count = 1;
    set_moments(sorted, count, &location);
    if (count == 3 && !(tick > 0))
        location.typ = sorted[1].value;
    location.scale = location.sd;
    location.cut = sorted[count - 1].value + MM_CUT_SCALES * tick;
    return location;
}

struct mm_location mm_location_of(struct mm_value *values, size_t count, double others,
                                  double tick)
{
    struct mm_location location = {0};
    double median;
    size_t kept = count;

    mm_values_sort(values, count);
    if (count < 4)
        return location_of_few(values, count, tick);
    for (;;) {
        size_t fewer = cut_upper(values, kept, others, tick, &location);

        if (fewer == kept || fewer < 4)
            break;
        kept = fewer;
    }
    set_moments(values, kept, &location);
    median = mm_values_quantile(values, kept, .5);
    if (!(tick > 0) &&
        fabs(location.typ - median) > SKEWED * location.sd / sqrt(location.count))
        location.typ = median;
    return location;
}

double mm_values_tick(struct mm_value *values, size_t count)
{
    double tick = INFINITY, median;
    size_t distinct = 1;

    mm_values_sort(values, count);
    for (size_t i = 1; i < count; i++) {
        double gap = values[i].value - values[i - 1].value;

        if (!(gap > CCA_SAME * values[i].value))
            continue;
        distinct++;
        tick = fmin(tick, gap);
    }
    if (count < 4 || distinct < 2 || REPEATED * distinct > count)
        return 0;
    for (size_t i = 0; i < count; i++)
        if (fabs(remainder(values[i].value, tick)) > UNEVEN * tick)
            return 0;
    median = values[count / 2].value;
    return tick > COARSE * median ? tick : 0;
}

/* Distance between the deciles of sorted values: 2.56 sd of a normal distribution. */
static double width_of(const struct mm_value *sorted, size_t count)
{
    return mm_values_quantile(sorted, count, .9) - mm_values_quantile(sorted, count, .1);
}

size_t mm_values_split(const struct mm_value *sorted, size_t count, double least)
{
    double total = mm_values_weight(sorted, count), below = 0, sum = 0, all = 0, best = 0;
    size_t at = 0;

    for (size_t i = 0; i < count; i++)
        all += sorted[i].weight * sorted[i].value;
    /* find the split of the costs into two parts with the largest variance between the
     * parts */
    for (size_t i = 1; i + 1 < count; i++) {
        double distance, between;

        below += sorted[i - 1].weight;
        sum += sorted[i - 1].weight * sorted[i - 1].value;
        if (i < 2 || below < least * total || total - below < least * total ||
            !(sorted[i].value > sorted[i - 1].value))
            continue;
        distance = (all - sum) / (total - below) - sum / below;
        between = below * (total - below) * distance * distance;
        if (between > best) {
            best = between;
            at = i;
        }
    }
    if (!at)
        return 0;
    /* Any two of few values have a gap between them, so few values need a wider one. */
    below = fmax(width_of(sorted, at), width_of(sorted + at, count - at));
    return sorted[at].value - sorted[at - 1].value >
                   GAP * (1 + 4 / sqrt((double)count)) / 2 * below
               ? at
               : 0;
}
