/* SPDX-License-Identifier: BSD-3-Clause */
/* data.c: cleaning a table of runs. */
#include "mastermind/counts/laws/data.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/same.h"

/* share of the largest count of the runs, below which counts are small */
#define SMALL_COUNT .01

struct row {
    const double *x;
    size_t axes;
    double y, size;
};

static int compare_numbers(double a, double b)
{
    return (a > b) - (a < b);
}

static int compare_rows(const void *left, const void *right)
{
    const struct row *a = left, *b = right;
    int order = compare_numbers(a->size, b->size);

    for (size_t k = 0; !order && k < a->axes; k++)
        order = compare_numbers(a->x[k], b->x[k]);
    return order ? order : compare_numbers(a->y, b->y);
}

static int is_finite_run(const struct mm_law_table *table, size_t run)
{
    int finite = isfinite(table->y[run]);

    for (size_t k = 0; k < table->axes; k++)
        finite = finite && isfinite(table->x[run * table->axes + k]);
    return finite;
}

/* Size of a run: logarithm of the product of its positive parameters. */
static double run_size(const struct mm_law_table *table, const double *x)
{
    double size = 0;

    for (size_t k = 0; k < table->axes; k++)
        if (!table->axis[k].is_driver && x[k] > 0)
            size += log(x[k]);
    return size;
}

static size_t list_rows(const struct mm_law_table *table, struct row *row)
{
    size_t count = 0;

    for (size_t i = 0; i < table->runs; i++) {
        const double *x = table->x + i * table->axes;

        if (is_finite_run(table, i))
            row[count++] = (struct row){x, table->axes, table->y[i], run_size(table, x)};
    }
    qsort(row, count, sizeof *row, compare_rows);
    return count;
}

static int is_same_run(const struct row *a, const struct row *b)
{
    for (size_t k = 0; k < a->axes; k++)
        if (a->x[k] != b->x[k])
            return 0;
    return 1;
}

/* Merge runs with equal parameters into one row. */
static int merge_rows(struct mm_law_data *data, const struct row *row, size_t count)
{
    for (size_t i = 0, end; i < count; i = end) {
        double sum = 0, spread = row[i].y;

        for (end = i; end < count && is_same_run(&row[i], &row[end]); end++)
            sum += row[end].y;
        if (data->runs == MM_LAW_RUNS)
            return -E2BIG;
        spread = row[end - 1].y - spread;
        if (spread > CCA_SAME * fmax(fabs(row[i].y), fabs(row[end - 1].y)))
            data->disagreeing += end - i;
        memcpy(data->x + data->runs * data->axes, row[i].x, data->axes * sizeof *data->x);
        data->half[data->runs] = spread / 2;
        data->y[data->runs++] = spread > 0 ? sum / (double)(end - i) : row[i].y;
    }
    return 0;
}

static void classify_axes(struct mm_law_data *data)
{
    for (size_t k = 0; k < data->axes; k++) {
        data->is_positive[k] = 1;
        for (size_t i = 0; i < data->runs; i++) {
            data->varies[k] |= data->x[i * data->axes + k] != data->x[k];
            data->is_positive[k] &= data->x[i * data->axes + k] > 0;
        }
    }
}

/* True for two runs that differ on one axis (parameter) alone. */
static int is_pair(const struct mm_law_data *data, size_t i, size_t j, size_t axis)
{
    const double *a = data->x + i * data->axes, *b = data->x + j * data->axes;

    for (size_t k = 0; k < data->axes; k++)
        if ((a[k] != b[k]) != (k == axis))
            return 0;
    return 1;
}

/* A parameter does not matter if at least PAIRS pairs of runs differ in it alone, and all
 * these pairs have equal counts. */
static int axis_matters(const struct mm_law_data *data, size_t axis)
{
    enum { PAIRS = 2 };
    size_t pairs = 0;

    if (data->is_driver[axis] || !data->varies[axis] || data->disagreeing)
        return 1;
    for (size_t i = 0; i < data->runs; i++) {
        for (size_t j = 0; j < i; j++) {
            if (!is_pair(data, i, j, axis))
                continue;
            if (fabs(data->y[i] - data->y[j]) > CCA_SAME * fabs(data->y[i]))
                return 1;
            pairs++;
        }
    }
    return pairs < PAIRS;
}

static int is_repeated(const struct mm_law_data *data, const double *x, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int same = 1;

        for (size_t k = 0; k < data->axes; k++)
            same &= !data->matters[k] || x[k] == data->x[i * data->axes + k];
        if (same)
            return 1;
    }
    return 0;
}

/* Drop parameters that do not matter, and then runs that have become equal: these are no
 * evidence for the influence of other parameters. */
static void drop_axes(struct mm_law_data *data)
{
    size_t count = 0;

    for (size_t k = 0; k < data->axes; k++)
        data->matters[k] = axis_matters(data, k);
    for (size_t i = 0; i < data->runs; i++) {
        const double *x = data->x + i * data->axes;

        if (is_repeated(data, x, count))
            continue;
        memmove(data->x + count * data->axes, x, data->axes * sizeof *x);
        data->y[count] = data->y[i];
        data->half[count++] = data->half[i];
    }
    data->runs = count;
}

int mm_law_data_init(struct mm_law_data *data, const struct mm_law_table *table,
                     struct cca_error *err)
{
    struct row *row;
    size_t count;
    int result;

    memset(data, 0, sizeof *data);
    if (table->axes > MM_LAW_AXES)
        return cca_error_set(err, -E2BIG,
                             "found %zu axes of a scaling function, expected at most %d",
                             table->axes, MM_LAW_AXES);
    data->axes = table->axes;
    data->is_rounded = table->is_rounded;
    row = calloc(table->runs + 1, sizeof *row);
    data->x = calloc((table->runs + 1) * (table->axes + 1), sizeof *data->x);
    data->y = calloc(table->runs + 1, sizeof *data->y);
    data->half = calloc(table->runs + 1, sizeof *data->half);
    for (size_t k = 0; k < table->axes; k++) {
        data->is_driver[k] = table->axis[k].is_driver;
        data->name[k] = strdup(table->axis[k].name);
        if (!data->name[k])
            break;
    }
    if (!row || !data->x || !data->y || !data->half ||
        (table->axes && !data->name[table->axes - 1])) {
        free(row);
        return cca_error_set(err, -ENOMEM, "out of memory");
    }
    count = list_rows(table, row);
    result = merge_rows(data, row, count);
    free(row);
    if (result < 0)
        return cca_error_set(err, result,
                             "found more than %d different runs of a scaling function",
                             MM_LAW_RUNS);
    if (!data->runs)
        return cca_error_set(err, -ENODATA,
                             "no run of a scaling function has finite numbers");
    classify_axes(data);
    drop_axes(data);
    mm_law_data_list(data);
    return 0;
}

void mm_law_data_done(struct mm_law_data *data)
{
    for (size_t k = 0; k < data->axes; k++)
        free(data->name[k]);
    free(data->x);
    free(data->y);
    free(data->half);
}

void mm_law_data_variables(const struct mm_law_data *data, const double *x, double *value)
{
    for (size_t v = 0; v < data->variables; v++)
        value[v] = mm_law_variable_value(&data->variable[v], x);
}

void mm_law_weigh(const double *y, size_t runs, double *weight)
{
    double most = 0;

    for (size_t i = 0; i < runs; i++)
        most = fmax(most, fabs(y[i]));
    for (size_t i = 0; i < runs; i++) {
        double scale = fmax(fabs(y[i]), SMALL_COUNT * most);

        weight[i] = scale > 0 ? 1 / (scale * scale) : 1;
    }
}

size_t mm_law_data_find(const struct mm_law_data *data, const double *x)
{
    for (size_t i = 0; i < data->runs; i++) {
        int same = 1;

        for (size_t k = 0; k < data->axes; k++)
            same &= !data->matters[k] || x[k] == data->x[i * data->axes + k];
        if (same)
            return i;
    }
    return data->runs;
}

size_t mm_law_data_zero(const struct mm_law_data *data, const double *x)
{
    size_t k = 0;

    while (k < data->axes &&
           !(data->is_whole[k] && data->is_positive[k] && data->varies[k] && x[k] == 0))
        k++;
    return k;
}

/* Coordinate of a run on an axis (parameter): its logarithm if the axis is positive in
 * all runs. */
static double scaled(const struct mm_law_data *data, size_t k, double x)
{
    return data->is_positive[k] && x > 0 ? log(x) : x;
}

/* Subtract from `row` its components along the `count` unit vectors of `base`; return the
 * rest relative to the original. */
static double take_parts(double base[][MM_LAW_AXES], size_t count, size_t axes,
                         double *row)
{
    double before = 0, after = 0;

    for (size_t k = 0; k < axes; k++)
        before += row[k] * row[k];
    for (size_t pass = 0; pass < 2; pass++) {
        for (size_t b = 0; b < count; b++) {
            double part = 0;

            for (size_t k = 0; k < axes; k++)
                part += base[b][k] * row[k];
            for (size_t k = 0; k < axes; k++)
                row[k] -= part * base[b][k];
        }
    }
    for (size_t k = 0; k < axes; k++)
        after += row[k] * row[k];
    return before > 0 ? sqrt(after / before) : 0;
}

static void difference(const struct mm_law_data *data, const double *x, double *row)
{
    for (size_t k = 0; k < data->axes; k++)
        row[k] = data->is_driver[k] || !data->matters[k]
                     ? 0
                     : scaled(data, k, x[k]) - scaled(data, k, data->x[k]);
}

size_t mm_law_data_outside(const struct mm_law_data *data, const double *x)
{
    double base[MM_LAW_AXES][MM_LAW_AXES], row[MM_LAW_AXES], most = 0;
    size_t count = 0, outside = data->axes;

    for (size_t k = 0; k < data->axes; k++)
        if (!data->varies[k] && !data->is_driver[k] && x[k] != data->x[k])
            return k;
    for (size_t i = 1; i < data->runs && count < data->axes; i++) {
        double length = 0;

        difference(data, data->x + i * data->axes, row);
        if (take_parts(base, count, data->axes, row) < 1e-6)
            continue;
        for (size_t k = 0; k < data->axes; k++)
            length += row[k] * row[k];
        for (size_t k = 0; k < data->axes; k++)
            base[count][k] = row[k] / sqrt(length);
        count++;
    }
    difference(data, x, row);
    if (take_parts(base, count, data->axes, row) < 1e-6)
        return data->axes;
    for (size_t k = 0; k < data->axes; k++) {
        if (fabs(row[k]) > most * (1 + CCA_SAME)) {
            most = fabs(row[k]);
            outside = k;
        }
    }
    return outside;
}
