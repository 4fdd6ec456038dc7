/* SPDX-License-Identifier: BSD-3-Clause */
/* extra_p.c: write the calls of a method as measurements for Extra-P. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "common/sort.h"
#include "mastermind/export/formats.h"

enum { MOST_SIZES = 64, BINS = 32 };

/* Consecutive points (tuples of in-values) that have the same size, or lie in the same
 * bin. */
struct size {
    double x[MONITOR_MAX_IN];
    const struct mm_point *point;
};

struct table {
    const struct mm_method_info *method;
    /* indexes of the method's in-values that are parameters */
    size_t parameters[MONITOR_MAX_IN], parameter_count;
    struct size *sizes;
    size_t count;
};

static int compare_sizes(const void *left, const void *right)
{
    const struct size *a = left, *b = right;

    for (size_t i = 0; i < MONITOR_MAX_IN; i++)
        if (a->x[i] != b->x[i])
            return a->x[i] < b->x[i] ? -1 : 1;
    return 0;
}

/* Return the number of distinct values of parameter `p` in the table. */
static size_t different(const struct table *table, size_t p)
{
    double *all = malloc((table->count + 1) * sizeof *all);
    size_t count = 0;

    if (!all)
        return 0;
    for (size_t i = 0; i < table->count; i++)
        all[i] = table->sizes[i].x[p];
    qsort(all, table->count, sizeof *all, cca_order_double);
    for (size_t i = 0; i < table->count; i++)
        count += i == 0 || all[i] != all[i - 1];
    free(all);
    return count;
}

/* Put the values of a parameter into bins of equal logarithmic width; the middle of a bin
 * replaces them. The value 0 remains; negative values are binned like positive ones.
 * Returns true if values were binned. */
static int bin(struct table *table, size_t p)
{
    double low = INFINITY, high = 0, step;

    if (different(table, p) <= MOST_SIZES)
        return 0;
    for (size_t i = 0; i < table->count; i++) {
        double x = fabs(table->sizes[i].x[p]);

        low = x > 0 && x < low ? x : low;
        high = x > high ? x : high;
    }
    step = log(high / low) / BINS;
    for (size_t i = 0; i < table->count && step > 0; i++) {
        double *x = &table->sizes[i].x[p], number;

        if (*x == 0)
            continue;
        number = floor(log(fabs(*x) / low) / step);
        number = number >= BINS ? BINS - 1 : number;
        *x = copysign(low * exp((number + .5) * step), *x);
    }
    return 1;
}

static int fill(struct table *table, const struct mm_points *points,
                const union monitor_value *modes)
{
    const struct mm_method_info *method = points->method;

    table->method = method;
    for (size_t i = 0; i < method->in_count; i++)
        if (method->values[i].kind == MONITOR_PARAM)
            table->parameters[table->parameter_count++] = i;
    table->sizes = calloc(points->count + 1, sizeof *table->sizes);
    if (!table->sizes)
        return -ENOMEM;
    for (size_t i = 0; i < points->count; i++) {
        const struct mm_point *point = &points->points[i];

        if (!point->n || !mm_same_modes(method, modes, point->in) ||
            mm_missing_parameter(method, point->in))
            continue;
        for (size_t p = 0; p < table->parameter_count; p++)
            table->sizes[table->count].x[p] =
                mm_in_value(method, point->in, table->parameters[p]);
        table->sizes[table->count++].point = point;
    }
    return 0;
}

/* Return the number of costs that can be printed for a point (a tuple of in-values): its
 * calls, or, if only sums of them are known, their mean. */
static size_t calls_of(const struct mm_point *point)
{
    uint32_t calls = mm_sample_count(&point->sample);

    return calls ? calls : 1;
}

/* Print at most `most` calls of a bin of sizes. They are taken at equal distances,
 * because the first calls would all have the same size. */
static void print_calls(FILE *file, const struct table *table, size_t first, size_t end,
                        size_t most)
{
    size_t all = 0, at = 0, told = 0;

    for (size_t i = first; i < end; i++)
        all += calls_of(table->sizes[i].point);
    most = most < all ? most : all;
    for (size_t i = first; i < end; i++) {
        const struct mm_point *point = table->sizes[i].point;
        size_t calls = calls_of(point);

        for (size_t k = 0; k < calls; k++, at++) {
            if (told >= most ||
                at < (size_t)(((double)told + .5) * (double)all / (double)most))
                continue;
            fprintf(file, "%s%.9g", told++ ? "," : "",
                    (mm_sample_count(&point->sample) ? point->sample.call[k].ns
                                                     : point->mean_ns) *
                        1e-9);
        }
    }
}

static int print_line(FILE *file, const struct table *table, size_t first, size_t end,
                      size_t most)
{
    char *name = mm_export_quoted(table->method->name);

    if (!name)
        return -ENOMEM;
    fputs("{\"params\":{", file);
    for (size_t p = 0; p < table->parameter_count; p++) {
        char *key = mm_export_quoted(table->method->values[table->parameters[p]].name);

        if (key)
            fprintf(file, "%s%s:%.12g", p ? "," : "", key, table->sizes[first].x[p]);
        free(key);
    }
    fprintf(file, "},\"callpath\":%s,\"metric\":\"time\",\"value\":[", name);
    print_calls(file, table, first, end, most);
    fputs("]}\n", file);
    free(name);
    return 0;
}

int mm_export_extra_p(FILE *file, const struct mm_points *points,
                      const union monitor_value *modes, size_t most, int *binned)
{
    struct table table = {.count = 0};
    int status = fill(&table, points, modes);

    *binned = 0;
    for (size_t p = 0; p < table.parameter_count && !status; p++)
        *binned |= bin(&table, p);
    if (!status && table.count)
        qsort(table.sizes, table.count, sizeof *table.sizes, compare_sizes);
    for (size_t i = 0; i < table.count && !status;) {
        size_t end = i + 1;

        while (end < table.count &&
               compare_sizes(&table.sizes[i], &table.sizes[end]) == 0)
            end++;
        status = print_line(file, &table, i, end, most);
        i = end;
    }
    free(table.sizes);
    return status;
}
