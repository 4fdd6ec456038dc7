/* SPDX-License-Identifier: BSD-3-Clause */
/* points.c: the calls of a method, summed up per distinct tuple of in-values. */
#include "mastermind/cost/calls/points.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

void mm_points_init(struct mm_points *points, const struct mm_method_info *method)
{
    *points = (struct mm_points){.method = method};
    mm_sampler_init(&points->sampler, method->value_count - method->in_count);
}

void mm_points_done(struct mm_points *points)
{
    for (size_t i = 0; i < points->count; i++) {
        free(points->points[i].in);
        mm_sample_done(&points->points[i].sample);
    }
    free(points->points);
    free(points->table);
    free(points->run_keys);
    *points = (struct mm_points){0};
}

int mm_points_run(struct mm_points *points, const void *key)
{
    size_t i = points->runs;

    while (i > 0 && points->run_keys[i - 1] != key)
        i--;
    if (i)
        return (int)i - 1;
    if (points->runs == MM_POINT_RUNS)
        return MM_POINT_RUNS - 1;
    if (cca_array_reserve(&points->run_keys, points->runs, sizeof *points->run_keys))
        return -ENOMEM;
    points->run_keys[points->runs] = key;
    return (int)points->runs++;
}

static uint64_t hash_values(const union monitor_value *in, size_t count)
{
    uint64_t hash = 0xcbf29ce484222325u;

    for (size_t i = 0; i < count; i++) {
        hash = (hash ^ (uint64_t)in[i].i) * 0x9fb21c651e98df25u;
        hash ^= hash >> 32;
    }
    return hash;
}

static int same_values(const union monitor_value *a, const union monitor_value *b,
                       size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (a[i].i != b[i].i)
            return 0;
    }
    return 1;
}

/* The slot of the in-values `in` in the hash table: the slot that holds them, or a free
 * one. */
static size_t table_slot(const struct mm_points *points, const union monitor_value *in)
{
    size_t count = points->method->in_count, mask = points->table_size - 1;
    size_t slot = (size_t)hash_values(in, count) & mask;

    while (points->table[slot] &&
           !same_values(points->points[points->table[slot] - 1].in, in, count))
        slot = (slot + 1) & mask;
    return slot;
}

static int table_grow(struct mm_points *points)
{
    size_t size = points->table_size ? 2 * points->table_size : 64;
    size_t *table = calloc(size, sizeof *table);

    if (!table)
        return -ENOMEM;
    free(points->table);
    points->table = table;
    points->table_size = size;
    for (size_t i = 0; i < points->count; i++)
        points->table[table_slot(points, points->points[i].in)] = i + 1;
    return 0;
}

/* The point (sums of all calls) of in-values `in`, created if absent; NULL: out of
 * memory. */
static struct mm_point *point_of(struct mm_points *points, const union monitor_value *in)
{
    size_t in_bytes = points->method->in_count * sizeof *in, slot;
    struct mm_point *point;

    if (points->count &&
        same_values(points->points[points->last].in, in, points->method->in_count))
        return &points->points[points->last];
    if (2 * (points->count + 1) > points->table_size && table_grow(points) < 0)
        return NULL;
    slot = table_slot(points, in);
    if (points->table[slot]) {
        points->last = points->table[slot] - 1;
        return &points->points[points->last];
    }
    if (cca_array_reserve(&points->points, points->count, sizeof *point))
        return NULL;
    point = &points->points[points->count];
    *point = (struct mm_point){.in = malloc(in_bytes ? in_bytes : 1)};
    if (!point->in)
        return NULL;
    if (in_bytes)
        memcpy(point->in, in, in_bytes);
    points->last = points->count;
    points->table[slot] = ++points->count;
    mm_sampler_sizes(&points->sampler, points->count);
    return point;
}

static int add_value(struct mm_points *points, struct mm_point *point,
                     struct mm_call *call, const double *outs)
{
    double delta;

    if (!point->n || call->ns < point->min_ns)
        point->min_ns = call->ns;
    if (!point->n || call->ns > point->max_ns)
        point->max_ns = call->ns;
    point->n++;
    delta = call->ns - point->mean_ns;
    point->mean_ns += delta / (double)point->n;
    point->m2_ns2 += delta * (call->ns - point->mean_ns);
    point->evidence += call->lost_ns >= 0;
    if (call->lost_ns > 0 && !call->waited)
        point->lost_ns += call->lost_ns;
    call->nth = point->n > UINT32_MAX ? 0 : (uint32_t)point->n;
    return mm_sample_add(&point->sample, &points->sampler, call, outs);
}

int mm_points_add(struct mm_points *points, const union monitor_value *in, int timed,
                  double exclusive_ns)
{
    struct mm_point *point = point_of(points, in);
    struct mm_call call = {.ns = exclusive_ns, .lost_ns = -1};

    if (!point)
        return -ENOMEM;
    point->calls++;
    return timed ? add_value(points, point, &call, NULL) : 0;
}

int mm_points_add_sample(struct mm_points *points, const union monitor_value *in,
                         double exclusive_ns)
{
    struct mm_point *point = point_of(points, in);
    struct mm_call call = {.ns = exclusive_ns, .lost_ns = -1};

    return point ? add_value(points, point, &call, NULL) : -ENOMEM;
}

int mm_points_add_call(struct mm_points *points, const union monitor_value *values,
                       const struct mm_call *call)
{
    const struct mm_method_info *method = points->method;
    struct mm_point *point = point_of(points, values);
    struct mm_call own = *call;
    double outs[MM_SAMPLE_OUTS];

    if (!point)
        return -ENOMEM;
    for (size_t k = 0; k < points->sampler.out_count; k++) {
        union monitor_value value = values[method->in_count + k];
        enum monitor_type type = method->values[method->in_count + k].type;

        outs[k] = monitor_value_absent(value, type) ? NAN
                  : type == MONITOR_DOUBLE          ? value.d
                                                    : (double)value.i;
    }
    point->calls++;
    return add_value(points, point, &own, outs);
}

/* Add the sums of `other` to `point`. */
static void sums_merge(struct mm_point *point, const struct mm_point *other)
{
    double delta, n;

    point->calls += other->calls;
    if (!other->n)
        return;
    if (!point->n || other->min_ns < point->min_ns)
        point->min_ns = other->min_ns;
    if (!point->n || other->max_ns > point->max_ns)
        point->max_ns = other->max_ns;
    n = (double)(point->n + other->n);
    delta = other->mean_ns - point->mean_ns;
    point->mean_ns += delta * (double)other->n / n;
    point->m2_ns2 +=
        other->m2_ns2 + delta * delta * (double)point->n * (double)other->n / n;
    point->n += other->n;
    point->sums_only |= other->sums_only;
    point->evidence += other->evidence;
    point->lost_ns += other->lost_ns;
}

int mm_points_add_sum(struct mm_points *points, const union monitor_value *in,
                      const struct mm_point *sum, const double *sample,
                      size_t sample_count, double less_ns)
{
    struct mm_call calls[MM_SAMPLE_REST];
    size_t count = sample_count < MM_SAMPLE_REST ? sample_count : MM_SAMPLE_REST;
    struct mm_point *point;

    if (!in) {
        points->unknown += sum->calls;
        return 0;
    }
    point = point_of(points, in);
    if (!point)
        return -ENOMEM;
    sums_merge(point, sum);
    if (!sum->n)
        return 0;
    for (size_t i = 0; i < count; i++)
        calls[i] = (struct mm_call){.ns = sample[i] > less_ns ? sample[i] - less_ns : 0,
                                    .lost_ns = -1};
    return mm_sample_add_fair(&point->sample, &points->sampler, calls, NULL,
                              (uint32_t)count, sum->n);
}

int mm_points_merge(struct mm_points *points, const struct mm_points *from)
{
    uint16_t runs[MM_POINT_RUNS] = {0};

    points->unknown += from->unknown;
    points->host_free = from->host_free;
    for (size_t i = 0; i < from->runs; i++) {
        int run = mm_points_run(points, from->run_keys[i]);

        if (run < 0)
            return run;
        runs[i] = (uint16_t)run;
    }
    for (size_t i = 0; i < from->count; i++) {
        const struct mm_point *other = &from->points[i];
        struct mm_point *point = point_of(points, other->in);

        if (!point ||
            mm_sample_merge(&point->sample, &points->sampler, &other->sample, runs) < 0)
            return -ENOMEM;
        sums_merge(point, other);
    }
    return 0;
}

const struct mm_point *mm_points_find(const struct mm_points *points,
                                      const union monitor_value *in)
{
    size_t slot = points->table_size ? table_slot(points, in) : 0;

    return points->table_size && points->table[slot]
               ? &points->points[points->table[slot] - 1]
               : NULL;
}

double mm_points_cv2(const struct mm_points *points, double unknown)
{
    double squares = 0, freedom = 0;

    for (size_t i = 0; i < points->count; i++) {
        const struct mm_point *p = &points->points[i];

        if (p->n < 2 || p->sums_only || !(p->mean_ns > 0))
            continue;
        squares += p->m2_ns2 / (p->mean_ns * p->mean_ns);
        freedom += (double)p->n - 1;
    }
    return freedom > 0 ? squares / freedom : unknown;
}

double mm_in_value(const struct mm_method_info *method, const union monitor_value *in,
                   size_t index)
{
    return method->values[index].type == MONITOR_DOUBLE ? in[index].d
                                                        : (double)in[index].i;
}

/* False where a value of a mode (in-value that selects behaviour) has different labels in
 * `a` and `b`. */
static int same_labels(const struct mm_value_info *a, const struct mm_value_info *b)
{
    for (size_t i = 0; i < a->label_count; i++)
        for (size_t k = 0; k < b->label_count; k++)
            if (a->labels[i].value == b->labels[k].value &&
                strcmp(a->labels[i].text, b->labels[k].text) != 0)
                return 0;
    return 1;
}

int mm_same_in_values(const struct mm_method_info *a, const struct mm_method_info *b)
{
    if (a->in_count != b->in_count)
        return 0;
    for (size_t i = 0; i < a->in_count; i++) {
        if (strcmp(a->values[i].name, b->values[i].name) != 0 ||
            a->values[i].type != b->values[i].type ||
            a->values[i].kind != b->values[i].kind ||
            !same_labels(&a->values[i], &b->values[i]))
            return 0;
    }
    return 1;
}
