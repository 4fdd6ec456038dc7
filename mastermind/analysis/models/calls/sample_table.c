/* SPDX-License-Identifier: BSD-3-Clause */
/* sample_table.c: typical costs of the sizes of one mode, as columns. */
#include "mastermind/analysis/models/calls/sample_table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PSEUDO_SAMPLES 6 /* weight of the pooled spread against a size's own */

static int counts_for(const struct mm_points *points, const struct mm_point *point,
                      const union monitor_value *modes, int lacking)
{
    return point->n && mm_same_modes(points->method, point->in, modes) &&
           lacking == (mm_missing_parameter(points->method, point->in) != 0);
}

/* Typical cost of a point. The upper tail is cut, because the host makes calls slower.
 * With `whole` (a count, or calls of unknown size) and where a point has only sums,
 * nothing is cut. */
static struct mm_robust typical_of(const struct mm_point *point, int whole,
                                   double *values)
{
    double sd = point->sums_only ? NAN
                : point->n > 1   ? sqrt(fmax(point->m2_ns2, 0) / (double)(point->n - 1))
                                 : 0;

    if (whole || !point->sample_count)
        return (struct mm_robust){
            .mean = point->mean_ns, .sd = sd, .mean_all = point->mean_ns};
    memcpy(values, point->sample, point->sample_count * sizeof *values);
    return mm_robust_of(values, point->sample_count);
}

static int table_allocate(struct mm_sample_table *t)
{
    const struct mm_method_info *method = t->method;
    double *next = calloc((t->count + 1) * (5 + method->in_count), sizeof *next);

    t->point = calloc(t->count + 1, sizeof *t->point);
    t->memory = next;
    if (!next || !t->point) {
        mm_sample_table_done(t);
        return -ENOMEM;
    }
    t->typ = next;
    t->variance = next += t->count;
    t->sd = next += t->count;
    t->n = next += t->count;
    t->mean = next += t->count;
    for (size_t k = 0; k < method->in_count; k++)
        if (method->values[k].kind == MONITOR_PARAM)
            t->x[k] = next += t->count;
    return 0;
}

static void fill_row(struct mm_sample_table *t, size_t row, const struct mm_point *point,
                     const struct mm_robust *robust)
{
    t->point[row] = point;
    t->typ[row] = fmax(robust->mean, t->counts ? 0 : 1); /* the clock's resolution */
    t->sd[row] = robust->sd;
    t->n[row] = (double)point->n;
    t->mean[row] = point->mean_ns;
    for (size_t k = 0; k < t->method->in_count; k++) {
        double x = mm_in_value(t->method, point->in, k);

        if (!t->x[k])
            continue;
        t->x[k][row] = x;
        t->low[k] = row ? fmin(t->low[k], x) : x;
        t->high[k] = row ? fmax(t->high[k], x) : x;
    }
}

/* Variances of the typical costs; a size's own spread is shrunk towards the pooled one.
 */
static void set_variances(struct mm_sample_table *t)
{
    double squares = 0, freedom = 0, pooled;

    for (size_t i = 0; i < t->count; i++) {
        double scale = fmax(fmax(t->typ[i], t->floor_ns), 1);

        if (t->n[i] < 2 || isnan(t->sd[i]))
            continue;
        squares += (t->n[i] - 1) * (t->sd[i] / scale) * (t->sd[i] / scale);
        freedom += t->n[i] - 1;
    }
    pooled = freedom > 0 ? squares / freedom : 0;
    for (size_t i = 0; i < t->count; i++) {
        double scale = fmax(fmax(t->typ[i], t->floor_ns), 1);
        double seen = isnan(t->sd[i]) ? 0 : t->n[i] - 1;
        double own = seen > 0 ? (t->sd[i] / scale) * (t->sd[i] / scale) : 0;
        double cv2 = (seen * own + PSEUDO_SAMPLES * pooled) / (seen + PSEUDO_SAMPLES);

        t->variance[i] = scale * scale * cv2 / t->n[i];
    }
}

int mm_sample_table_init(struct mm_sample_table *table, const struct mm_points *points,
                         const union monitor_value *modes, int lacking)
{
    struct mm_sample_table *t = table;
    double *values;

    *t = (struct mm_sample_table){
        .method = points->method, .floor_ns = points->floor_ns, .counts = points->counts};
    for (size_t i = 0; i < points->count; i++)
        t->count += (size_t)counts_for(points, &points->points[i], modes, lacking);
    values = malloc(MM_POINT_SAMPLE * sizeof *values);
    if (!values || table_allocate(t) < 0) {
        free(values);
        return -ENOMEM;
    }
    for (size_t i = 0, row = 0; i < points->count; i++) {
        const struct mm_point *point = &points->points[i];
        struct mm_robust robust;

        if (!counts_for(points, point, modes, lacking))
            continue;
        robust = typical_of(point, t->counts || lacking, values);
        fill_row(t, row++, point, &robust);
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
