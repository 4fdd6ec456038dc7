/* SPDX-License-Identifier: BSD-3-Clause */
/* points.c: rows summed up per distinct tuple of in-values. */
#include "mastermind/analysis/models/calls/points.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

void mm_points_init(struct mm_points *points, const struct mm_method_info *method)
{
    /* A fixed seed: the same rows give the same models. */
    *points = (struct mm_points){.method = method, .random = 0x9e3779b97f4a7c15u};
}

void mm_points_done(struct mm_points *points)
{
    for (size_t i = 0; i < points->count; i++) {
        free(points->points[i].in);
        free(points->points[i].sample);
    }
    free(points->points);
    free(points->table);
    *points = (struct mm_points){0};
}

static uint64_t next_random(struct mm_points *points)
{
    points->random ^= points->random << 13;
    points->random ^= points->random >> 7;
    points->random ^= points->random << 17;
    return points->random;
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

/* The table slot of `in`, taken or free. */
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

/* The point of `in`, made if absent; NULL: out of memory. */
static struct mm_point *point_of(struct mm_points *points, const union monitor_value *in)
{
    size_t in_bytes = points->method->in_count * sizeof *in, slot;
    struct mm_point *point;

    if (2 * (points->count + 1) > points->table_size && table_grow(points) < 0)
        return NULL;
    slot = table_slot(points, in);
    if (points->table[slot])
        return &points->points[points->table[slot] - 1];
    if (cca_array_reserve(&points->points, points->count, sizeof *point))
        return NULL;
    point = &points->points[points->count];
    *point = (struct mm_point){.in = malloc(in_bytes ? in_bytes : 1)};
    if (!point->in)
        return NULL;
    if (in_bytes)
        memcpy(point->in, in, in_bytes);
    points->table[slot] = ++points->count;
    return point;
}

static int sample_reserve(struct mm_point *point, size_t count)
{
    size_t capacity = point->sample_capacity ? point->sample_capacity : 2;
    double *sample;

    if (count <= point->sample_capacity)
        return 0;
    while (capacity < count)
        capacity *= 2;
    sample = realloc(point->sample, capacity * sizeof *sample);
    if (!sample)
        return -ENOMEM;
    point->sample = sample;
    point->sample_capacity = capacity;
    return 0;
}

/* Reservoir sampling; point->n already counts the value. */
static int sample_add(struct mm_points *points, struct mm_point *point, double value)
{
    uint64_t at;

    if (point->sample_count < MM_POINT_SAMPLE) {
        if (sample_reserve(point, point->sample_count + 1) < 0)
            return -ENOMEM;
        point->sample[point->sample_count++] = value;
        return 0;
    }
    at = next_random(points) % point->n;
    if (at < MM_POINT_SAMPLE)
        point->sample[at] = value;
    return 0;
}

static int add_value(struct mm_points *points, struct mm_point *point,
                     double exclusive_ns)
{
    double delta;

    if (!point->n || exclusive_ns < point->min_ns)
        point->min_ns = exclusive_ns;
    if (!point->n || exclusive_ns > point->max_ns)
        point->max_ns = exclusive_ns;
    point->n++;
    delta = exclusive_ns - point->mean_ns;
    point->mean_ns += delta / (double)point->n;
    point->m2_ns2 += delta * (exclusive_ns - point->mean_ns);
    return sample_add(points, point, exclusive_ns);
}

int mm_points_add(struct mm_points *points, const union monitor_value *in, int timed,
                  double exclusive_ns)
{
    struct mm_point *point = point_of(points, in);

    if (!point)
        return -ENOMEM;
    point->calls++;
    return timed ? add_value(points, point, exclusive_ns) : 0;
}

int mm_points_add_sample(struct mm_points *points, const union monitor_value *in,
                         double exclusive_ns)
{
    struct mm_point *point = point_of(points, in);

    return point ? add_value(points, point, exclusive_ns) : -ENOMEM;
}

/* Merge two fair samples, of n_a and n_b values, into one. */
static int sample_merge(struct mm_points *points, struct mm_point *into,
                        const struct mm_point *from)
{
    size_t total = into->sample_count + from->sample_count, taken = 0;

    if (!from->sample_count)
        return 0;
    if (into->n + from->n <= MM_POINT_SAMPLE) {
        if (sample_reserve(into, total) < 0)
            return -ENOMEM;
        memcpy(into->sample + into->sample_count, from->sample,
               from->sample_count * sizeof *from->sample);
        into->sample_count = total;
        return 0;
    }
    if (sample_reserve(into, MM_POINT_SAMPLE) < 0)
        return -ENOMEM;
    for (size_t i = 0; i < MM_POINT_SAMPLE; i++) {
        int from_other = next_random(points) % (into->n + from->n) < from->n;

        if ((from_other || i >= into->sample_count) && taken < from->sample_count) {
            into->sample[i] = from->sample[taken++];
            if (into->sample_count <= i)
                into->sample_count = i + 1;
        }
    }
    return 0;
}

static int point_merge(struct mm_points *points, const struct mm_point *other)
{
    struct mm_point *point = point_of(points, other->in);
    double delta, n;

    if (!point || sample_merge(points, point, other) < 0)
        return -ENOMEM;
    point->calls += other->calls;
    if (!other->n)
        return 0;
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
    return 0;
}

int mm_points_add_sum(struct mm_points *points, const union monitor_value *in,
                      const struct mm_point *sum, const double *sample, double less_ns)
{
    double values[MM_POINT_SAMPLE];
    struct mm_point point = *sum;

    if (!in) {
        points->unknown += sum->calls;
        return 0;
    }
    for (size_t i = 0; i < sum->sample_count && i < MM_POINT_SAMPLE; i++)
        values[i] = sample[i] > less_ns ? sample[i] - less_ns : 0;
    point.in = (union monitor_value *)in; /* only read */
    point.sample = values;
    point.sample_count = sum->n ? sum->sample_count : 0;
    return point_merge(points, &point);
}

int mm_points_merge(struct mm_points *points, const struct mm_points *from)
{
    points->unknown += from->unknown;
    for (size_t i = 0; i < from->count; i++)
        if (point_merge(points, &from->points[i]) < 0)
            return -ENOMEM;
    return 0;
}

double mm_in_value(const struct mm_method_info *method, const union monitor_value *in,
                   size_t index)
{
    return method->values[index].type == MONITOR_DOUBLE ? in[index].d
                                                        : (double)in[index].i;
}

/* False where a value has one label in `a` and another in `b`. */
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
