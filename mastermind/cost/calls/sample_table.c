/* SPDX-License-Identifier: BSD-3-Clause */
/* sample_table.c: make the table of the calls in one mode: for each size (tuple of
 * parameters) the typical cost and its error; each column is an array. */
#include "mastermind/cost/calls/sample_table.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/cost/calls/evidence.h"
#include "mastermind/cost/calls/numbers.h"

/* weight of the pooled spread beside a size's own spread, in calls */
#define PSEUDO_SAMPLES 6
/* a size is restless if its spread is more than so many times the usual spread */
#define RESTLESS 4.
/* Assumed relative spread where no size has two calls; only ratios of weights matter. */
#define UNKNOWN_CV .02
#define SPLIT_SIZES .3 /* least share of calls at sizes that have two populations */
/* number of arrays of `count` numbers in a table, beside one for each parameter */
#define COLUMNS 9

/* The side of a gap between costs that has most calls, summed over the sizes; ONE: no
 * gap. */
enum side { ONE, LOWER, UPPER };

/* There may be three populations, so the larger side is divided once more. */
struct sides {
    enum side level[2];
};

static int counts_for(const struct mm_points *points, const struct mm_point *point,
                      const union monitor_value *modes, int lacking)
{
    return point->n && mm_same_modes(points->method, point->in, modes) &&
           lacking == (mm_missing_parameter(points->method, point->in) != 0);
}

/* The sorted values of the main population: `*count` values from the returned pointer on.
 * Its limits are `*least` and `*most`. */
static struct mm_value *main_values(struct mm_value *values, size_t *count,
                                    const struct sides *sides, double *least,
                                    double *most)
{
    *least = -INFINITY;
    *most = INFINITY;
    mm_values_sort(values, *count);
    for (size_t i = 0; i < 2; i++) {
        size_t split;
        double middle;

        if (sides->level[i] == ONE || *count < MM_FEW_CALLS)
            break;
        split = mm_values_split(values, *count, MM_SPLIT_SHARE);
        if (!split)
            break;
        middle = (values[split - 1].value + values[split].value) / 2;
        if (sides->level[i] == UPPER) {
            *least = middle;
            *count -= split;
            values += split;
        } else {
            *most = middle;
            *count = split;
        }
    }
    return values;
}

/* Locate the main population of a point. Where there are no outliers to exclude (a count,
 * or calls of unknown size) or only sums exist, the typical cost is the mean. */
static struct mm_location locate(const struct mm_sample_table *t,
                                 const struct mm_point *point, const struct sides *sides,
                                 double others, struct mm_value *values, double *least)
{
    double most;
    size_t count;
    struct mm_value *first;
    struct mm_location location;

    *least = -INFINITY;
    if (t->whole || !mm_sample_count(&point->sample)) {
        double n = (double)point->n;
        double sd = point->sums_only ? NAN
                    : n > 1          ? sqrt(fmax(point->m2_ns2, 0) / (n - 1))
                                     : 0;

        return (struct mm_location){
            .typ = point->mean_ns, .sd = sd, .cut = INFINITY, .weight = n, .count = n};
    }
    count = mm_evidence_values(&point->sample, values);
    first = main_values(values, &count, sides, least, &most);
    location = mm_location_of(first, count, others, t->tick);
    location.cut = fmin(location.cut, most);
    return location;
}

/* Relative spread of calls: the median over sizes. */
static double common_scale(const struct mm_sample_table *t, const struct sides *sides,
                           struct mm_value *values, struct mm_value *scales)
{
    size_t found = 0;

    for (size_t i = 0; i < t->count && !t->whole; i++) {
        size_t count = mm_evidence_values(&t->point[i]->sample, values);
        double least, most, median;
        struct mm_value *first;

        if (count < 4)
            continue;
        first = main_values(values, &count, sides, &least, &most);
        median = mm_values_quantile(first, count, .5);
        if (count >= 4 && median > 0)
            scales[found++] = (struct mm_value){mm_values_scale(first, count) / median,
                                                fmin((double)count, 50)};
    }
    if (!found)
        return 0;
    mm_values_sort(scales, found);
    return mm_values_quantile(scales, found, .5);
}

/* Find out which of two populations within the bounds `sides` has most calls over all
 * sizes. */
static enum side find_side(const struct mm_sample_table *t, const struct sides *sides,
                           struct mm_value *values)
{
    double all = 0, split_calls = 0, lower = 0;

    for (size_t i = 0; i < t->count && !t->whole && !(t->tick > 0); i++) {
        size_t count = mm_evidence_values(&t->point[i]->sample, values), split;
        double least, most, n;
        struct mm_value *first = main_values(values, &count, sides, &least, &most);

        if (count < MM_FEW_CALLS)
            continue;
        n = mm_values_weight(first, count);
        split = mm_values_split(first, count, MM_SPLIT_SHARE);
        all += n;
        if (!split)
            continue;
        split_calls += n;
        lower += mm_values_weight(first, split);
    }
    if (!(split_calls > SPLIT_SIZES * all))
        return ONE;
    return 2 * lower >= split_calls ? LOWER : UPPER;
}

static int table_allocate(struct mm_sample_table *t)
{
    const struct mm_method_info *method = t->method;
    double *next = calloc((t->count + 1) * (COLUMNS + method->in_count), sizeof *next);
    double **columns[COLUMNS] = {&t->typ,   &t->variance, &t->sd,
                                 &t->n,     &t->mean,     &t->cut,
                                 &t->least, &t->host_ns,  &t->host_calls};

    t->point = calloc(t->count + 1, sizeof *t->point);
    t->memory = next;
    if (!next || !t->point) {
        mm_sample_table_done(t);
        return -ENOMEM;
    }
    for (size_t k = 0; k < COLUMNS; k++, next += t->count)
        *columns[k] = next;
    for (size_t k = 0; k < method->in_count; k++) {
        if (method->values[k].kind != MONITOR_PARAM)
            continue;
        t->x[k] = next;
        next += t->count;
    }
    return 0;
}

static void fill_parameters(struct mm_sample_table *t, size_t row)
{
    const struct mm_point *point = t->point[row];

    t->n[row] = (double)point->n;
    for (size_t k = 0; k < t->method->in_count; k++) {
        double x;

        if (!t->x[k])
            continue;
        x = mm_in_value(t->method, point->in, k);
        t->x[k][row] = x;
        t->low[k] = row ? fmin(t->low[k], x) : x;
        t->high[k] = row ? fmax(t->high[k], x) : x;
    }
}

void mm_sample_table_set_host(struct mm_sample_table *t, size_t row)
{
    const struct mm_point *point = t->point[row];
    const struct mm_sample *sample = &point->sample;
    double usual = t->typ[row] + fmax(3 * t->sd[row], MM_SUSPECT * t->typ[row]);
    double lost = 0, taken = 0, calls = 0, factor;

    t->mean[row] = point->mean_ns;
    if (t->host_free || !(point->lost_ns > 0))
        return;
    for (uint32_t i = 0; i < mm_sample_count(sample); i++) {
        const struct mm_call *call = &sample->call[i];
        double weight = mm_sample_weight(sample, i);
        double part = mm_host_part(call, t->typ[row], usual);

        lost += call->lost_ns > 0 && !call->waited ? weight * call->lost_ns : 0;
        taken += weight * part;
        calls += part > 0 ? weight : 0;
    }
    factor = lost > 0 ? fmin(point->lost_ns / lost, 2) : 1;
    t->host_ns[row] = fmin(taken * factor, t->n[row] * point->mean_ns);
    t->host_calls[row] = fmin(calls * factor, t->n[row]);
    t->mean[row] -= t->host_ns[row] / t->n[row];
}

static void fill_row(struct mm_sample_table *t, size_t row,
                     const struct mm_location *location)
{
    t->typ[row] = fmax(location->typ, t->counts ? 0 : 1); /* at least 1 ns, the clock's
                                                             resolution */
    t->sd[row] = location->sd;
    t->cut[row] = location->cut;
    /* the number of calls in the typical cost, until set_variances replaces it */
    t->variance[row] = location->count;
}

/* Set the variances of the typical costs; the spread of a size is shrunk towards the
 * pooled one. If it is many times larger than at most sizes, some disturbance makes most
 * calls slower and none faster, and more calls do not improve the typical cost. */
static void set_variances(struct mm_sample_table *t)
{
    double squares = 0, freedom = 0;

    for (size_t i = 0; i < t->count; i++) {
        double scale = fmax(fmax(t->typ[i], t->floor_ns), 1);

        if (t->variance[i] < 1.5 || isnan(t->sd[i]))
            continue;
        squares += (t->variance[i] - 1) * (t->sd[i] / scale) * (t->sd[i] / scale);
        freedom += t->variance[i] - 1;
    }
    t->pooled = freedom > 0 ? sqrt(squares / freedom) : NAN;
    for (size_t i = 0; i < t->count; i++) {
        double scale = fmax(fmax(t->typ[i], t->floor_ns), 1), n = t->variance[i];
        double pooled = isnan(t->pooled) ? UNKNOWN_CV : t->pooled;
        double seen = isnan(t->sd[i]) || n < 1.5 ? 0 : n - 1;
        double own = seen > 0 ? (t->sd[i] / scale) * (t->sd[i] / scale) : 0;
        double cv2 =
            (seen * own + PSEUDO_SAMPLES * pooled * pooled) / (seen + PSEUDO_SAMPLES);

        t->variance[i] = scale * scale * cv2 / n;
        if (t->scale > 0 && own > RESTLESS * RESTLESS * t->scale * t->scale)
            t->variance[i] += MM_RESTLESS_SHIFT * MM_RESTLESS_SHIFT * scale * scale * own;
    }
}

/* Find out whether the calls of all sizes together have few distinct times. */
static int find_tick(struct mm_sample_table *t)
{
    struct mm_value *values;
    size_t count = 0;

    if (t->whole)
        return 0;
    for (size_t i = 0; i < t->count; i++)
        count += mm_sample_count(&t->point[i]->sample);
    values = malloc((count + 1) * sizeof *values);
    if (!values)
        return -ENOMEM;
    count = 0;
    for (size_t i = 0; i < t->count; i++)
        for (uint32_t k = 0; k < mm_sample_count(&t->point[i]->sample); k++)
            values[count++] = (struct mm_value){t->point[i]->sample.call[k].ns, 1};
    t->tick = mm_values_tick(values, count);
    free(values);
    return 0;
}

size_t mm_method_peak(const struct mm_method_info *method)
{
    for (size_t i = method->in_count; i < method->value_count; i++)
        if (strcmp(method->values[i].name, MM_PEAK_BYTES) == 0)
            return i - method->in_count;
    return SIZE_MAX;
}

int mm_sample_table_init(struct mm_sample_table *table, const struct mm_points *points,
                         const union monitor_value *modes, int lacking)
{
    struct mm_sample_table *t = table;
    struct mm_value *values, *scales;
    struct sides sides = {{ONE, ONE}};

    *t = (struct mm_sample_table){.method = points->method,
                                  .floor_ns = points->floor_ns,
                                  .counts = points->counts,
                                  .whole = points->counts || lacking ||
                                           mm_method_peak(points->method) < SIZE_MAX,
                                  .host_free = points->host_free,
                                  .runs = points->runs};
    for (size_t i = 0; i < points->count; i++)
        t->count += (size_t)counts_for(points, &points->points[i], modes, lacking);
    values = malloc((MM_SAMPLE_TOP + MM_SAMPLE_REST + t->count) * sizeof *values);
    if (!values || table_allocate(t) < 0) {
        free(values);
        return -ENOMEM;
    }
    scales = values + MM_SAMPLE_TOP + MM_SAMPLE_REST;
    for (size_t i = 0, row = 0; i < points->count; i++) {
        if (!counts_for(points, &points->points[i], modes, lacking))
            continue;
        t->point[row] = &points->points[i];
        fill_parameters(t, row++);
    }
    if (find_tick(t) < 0) {
        free(values);
        mm_sample_table_done(t);
        return -ENOMEM;
    }
    for (size_t i = 0; i < 2 && (!i || sides.level[0] != ONE); i++)
        sides.level[i] = find_side(t, &sides, values);
    t->scale = common_scale(t, &sides, values, scales);
    for (size_t i = 0; i < t->count; i++) {
        struct mm_location location =
            locate(t, t->point[i], &sides, t->scale, values, &t->least[i]);

        fill_row(t, i, &location);
        mm_sample_table_set_host(t, i);
    }
    free(values);
    set_variances(t);
    return 0;
}

void mm_sample_table_done(struct mm_sample_table *table)
{
    free(table->memory);
    free(table->point);
    *table = (struct mm_sample_table){0};
}

void mm_sample_table_tuple(const struct mm_sample_table *table, size_t row, double *x)
{
    for (size_t k = 0; k < MONITOR_MAX_IN; k++)
        x[k] = table->x[k] ? table->x[k][row] : 0;
}
