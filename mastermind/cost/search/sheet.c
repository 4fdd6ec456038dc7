/* SPDX-License-Identifier: BSD-3-Clause */
/* sheet.c: costs, weights and axes of the search. */
#include "mastermind/cost/search/sheet.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "mastermind/cost/calls/numbers.h"

/* Two parameters with a larger squared correlation of their logarithms form one group. */
#define SAME .9995
#define MOST_DISTINCT 64
/* Limit of the noise of a cost, in units of the largest cost; squares of larger numbers
 * may overflow. */
#define MOST_NOISE 1e9
#define LEAST_SIZE 1e-60
/* Start and end of a call overlap the clock readings by a varying amount. So the costs of
 * sizes differ by FLOORS times as much as the costs of equal calls; measured: 35 to 50 ns
 * instead of 8. */
#define FLOORS 4

static int sheet_allocate(struct mm_sheet *s, size_t parameters)
{
    double *next = calloc((s->rows + 1) * (5 + 2 * parameters), sizeof *next);

    if (!next)
        return -ENOMEM;
    s->memory = s->y = next;
    s->noise = next += s->rows;
    s->size = next += s->rows;
    s->weight = next += s->rows;
    s->root = next += s->rows;
    for (size_t k = 0; k < parameters; k++) {
        s->axis[k].x = next += s->rows;
        s->axis[k].log = next += s->rows;
    }
    return 0;
}

/* Set the costs and their noise. If no size has two calls, the noise of calls is unknown
 * and all scatter is attributed to the sizes (tau). */
static void fill_costs(struct mm_sheet *s, const size_t *row)
{
    const struct mm_sample_table *t = s->table;
    double most = 0, least = INFINITY, calls = 0;

    for (size_t i = 0; i < s->rows; i++) {
        size_t at = row[i];

        s->y[i] = t->typ[at] > 0 ? t->typ[at] : 0;
        most = fmax(most, s->y[i]);
        if (s->y[i] > 0)
            least = fmin(least, s->y[i]);
        calls = fmax(calls, t->n[at]);
    }
    s->unit = most > 0 ? most : 1;
    if (t->counts && least > 1)
        least = 1;
    for (size_t i = 0; i < s->rows; i++) {
        double noise = sqrt(t->variance[row[i]]) / s->unit;
        double floor = FLOORS * t->floor_ns / s->unit;

        s->y[i] /= s->unit;
        s->size[i] = fmax(s->y[i] > 0 ? s->y[i] : least / s->unit, floor);
        noise = calls > 1 && isfinite(noise) ? fmin(noise, MOST_NOISE) : 0;
        s->noise[i] = noise * noise + floor * floor;
        s->size[i] = isfinite(s->size[i]) ? fmax(s->size[i], LEAST_SIZE) : 1;
    }
}

static size_t count_distinct(const double *x, size_t rows)
{
    double seen[MOST_DISTINCT];
    size_t count = 0;

    for (size_t i = 0; i < rows && count < MOST_DISTINCT; i++) {
        size_t k = 0;

        while (k < count && seen[k] != x[i])
            k++;
        if (k == count)
            seen[count++] = x[i];
    }
    return count;
}

/* Price of an axis: 0 for a parameter that the port's author wrote as an expression, more
 * for a plain argument beside it. */
static double axis_price(const struct mm_method_info *method, size_t parameter,
                         size_t rows)
{
    if (mm_value_is_derived(&method->values[parameter]))
        return 0;
    for (size_t i = 0; i < method->in_count; i++)
        if (mm_value_is_derived(&method->values[i]))
            return log((double)rows + 1);
    return 0;
}

/* Fill the sheet's next axis with parameter `k`. False: the parameter is constant or not
 * numeric. */
static int fill_axis(struct mm_sheet *s, size_t k, const size_t *row)
{
    struct mm_axis *axis = &s->axis[s->axes];
    const double *x = s->table->x[k];

    axis->low = INFINITY;
    axis->high = -INFINITY;
    for (size_t i = 0; i < s->rows; i++) {
        axis->x[i] = x[row[i]];
        if (!isfinite(axis->x[i]))
            return 0;
        axis->low = fmin(axis->low, axis->x[i]);
        axis->high = fmax(axis->high, axis->x[i]);
    }
    if (!(axis->low < axis->high))
        return 0;
    axis->parameter = k;
    axis->distinct = count_distinct(axis->x, s->rows);
    axis->wide = axis->low < 0 || axis->high >= MM_WIDE * axis->low;
    axis->group = s->axes;
    axis->degree = 1;
    axis->price = axis_price(s->table->method, k, s->rows);
    if (axis->low > 0)
        for (size_t i = 0; i < s->rows; i++)
            axis->log[i] = log2(axis->x[i]);
    else
        axis->log = NULL;
    return 1;
}

static double spread_of(const double *v, size_t n)
{
    double sum = 0, squares = 0;

    for (size_t i = 0; i < n; i++)
        sum += v[i];
    for (size_t i = 0; i < n; i++)
        squares += (v[i] - sum / (double)n) * (v[i] - sum / (double)n);
    return squares;
}

static double product_of(const double *a, const double *b, size_t n)
{
    double sum_a = 0, sum_b = 0, products = 0;

    for (size_t i = 0; i < n; i++) {
        sum_a += a[i];
        sum_b += b[i];
    }
    for (size_t i = 0; i < n; i++)
        products += (a[i] - sum_a / (double)n) * (b[i] - sum_b / (double)n);
    return products;
}

/* Group axes that are powers of each other in all rows, like n and N2 = n * n. The degree
 * of each refers to the axis of the group that varies least. */
static void group_axes(struct mm_sheet *s)
{
    double spread[MONITOR_MAX_IN];

    for (size_t k = 0; k < s->axes; k++)
        spread[k] = s->axis[k].log ? spread_of(s->axis[k].log, s->rows) : 0;
    for (size_t k = 0; k < s->axes; k++) {
        for (size_t j = 0; j < s->axes; j++) {
            struct mm_axis *a = &s->axis[k], *b = &s->axis[j];
            double product;

            if (j == k || !a->log || !b->log || !(spread[j] > 0) || !(spread[k] > 0))
                continue;
            product = product_of(a->log, b->log, s->rows);
            if (!(product > 0) || product * product < SAME * spread[j] * spread[k])
                continue;
            a->group = a->group < b->group ? a->group : b->group;
            a->degree = fmax(a->degree, sqrt(spread[k] / spread[j]));
        }
    }
}

int mm_sheet_init(struct mm_sheet *sheet, const struct mm_sample_table *table,
                  const size_t *row, size_t rows)
{
    struct mm_sheet *s = sheet;
    size_t *all = NULL, parameters = 0;

    *s = (struct mm_sheet){.table = table, .rows = rows, .unit = 1};
    if (!row) {
        all = malloc((table->count + 1) * sizeof *all);
        if (!all)
            return -ENOMEM;
        s->rows = 0;
        for (size_t i = 0; i < table->count; i++)
            if (isfinite(table->typ[i]))
                all[s->rows++] = i;
        row = all;
    }
    for (size_t k = 0; k < table->method->in_count; k++)
        parameters += table->x[k] != NULL;
    if (sheet_allocate(s, parameters) < 0) {
        free(all);
        return -ENOMEM;
    }
    if (s->rows)
        fill_costs(s, row);
    for (size_t k = 0; s->rows && k < table->method->in_count; k++)
        if (table->x[k] && s->axes < parameters && fill_axis(s, k, row))
            s->axes++;
    free(all);
    group_axes(s);
    mm_sheet_set_tau(s, 0);
    return 0;
}

void mm_sheet_done(struct mm_sheet *sheet)
{
    free(sheet->memory);
    *sheet = (struct mm_sheet){0};
}

void mm_sheet_set_tau(struct mm_sheet *s, double tau)
{
    double known = 0;

    s->tau = tau;
    for (size_t i = 0; i < s->rows; i++) {
        double other = fmax(tau, MM_EXACT) * s->size[i], exact = MM_EXACT * s->size[i];

        s->weight[i] = 1 / (s->noise[i] + other * other);
        s->root[i] = sqrt(s->weight[i]);
        known += s->weight[i] * (s->noise[i] + exact * exact);
    }
    s->known = s->rows ? known / (double)s->rows : 1;
}

const struct mm_axis *mm_sheet_axis(const struct mm_sheet *s, size_t parameter)
{
    for (size_t k = 0; k < s->axes; k++)
        if (s->axis[k].parameter == parameter)
            return &s->axis[k];
    return NULL;
}

/* Multiply `value` by a factor of a basis function. */
static void multiply_factor(const struct mm_axis *axis, const struct mm_factor *factor,
                            size_t rows, double *value)
{
    enum { BLOCK = 64 };
    double own[BLOCK];

    for (size_t from = 0; from < rows; from += BLOCK) {
        size_t count = rows - from < BLOCK ? rows - from : BLOCK;

        mm_power_values(axis->x + from, count, factor->power, own);
        for (size_t i = 0; i < count; i++) {
            double log = factor->logs && axis->log ? axis->log[from + i]
                         : factor->logs            ? log2(axis->x[from + i])
                                                   : 1;

            for (int k = 0; k < factor->logs; k++)
                own[i] *= log;
            value[from + i] *= own[i];
        }
    }
}

/* Turn the values of a hinge's slope function into values of the hinge. */
static void set_hinge(const struct mm_axis *axis, const struct mm_basis *basis,
                      size_t rows, double *value)
{
    struct mm_basis term = *basis;
    double x[MONITOR_MAX_IN], at;

    term.kind = MM_BASIS_PRODUCT;
    x[axis->parameter] = basis->at;
    at = mm_basis_value(&term, x);
    for (size_t i = 0; i < rows; i++)
        value[i] = axis->x[i] <= basis->at ? 0 : value[i] - at;
}

int mm_sheet_evaluate(const struct mm_sheet *s, const struct mm_basis *basis,
                      double *value)
{
    const struct mm_axis *axis = NULL;
    int finite = 1;

    for (size_t i = 0; i < s->rows; i++)
        value[i] = 1;
    for (size_t k = 0; k < basis->factors; k++) {
        axis = mm_sheet_axis(s, basis->factor[k].parameter);
        if (!axis)
            return 0;
        if (basis->kind == MM_BASIS_PRODUCT || basis->kind == MM_BASIS_HINGE)
            multiply_factor(axis, &basis->factor[k], s->rows, value);
    }
    if (axis && basis->kind == MM_BASIS_HINGE)
        set_hinge(axis, basis, s->rows, value);
    for (size_t i = 0; axis && i < s->rows && basis->kind == MM_BASIS_JUMP; i++)
        value[i] = axis->x[i] > basis->at;
    for (size_t i = 0; axis && i < s->rows && basis->kind == MM_BASIS_EXPONENTIAL; i++)
        value[i] = exp2(basis->factor[0].power * axis->x[i]);
    for (size_t i = 0; i < s->rows; i++)
        finite &= isfinite(value[i]) != 0;
    return finite;
}
