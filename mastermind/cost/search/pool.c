/* SPDX-License-Identifier: BSD-3-Clause */
/* pool.c: columns for powers and logarithms of each parameter, and for products of them.
 */
#include "mastermind/cost/search/pool.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "mastermind/cost/forms/fit.h"
#include "mastermind/cost/search/price.h"

#define MOST_COLUMNS 1000
/* largest number of parameters in products: the parameters that explain most scatter */
#define PRODUCT_AXES 4

/* Exponents of a parameter, in twelfths, and of its logarithm. */
struct shape {
    int twelfths, logs;
};

static const struct shape family[] = {
    {12, 0},  {24, 0}, {36, 0},  {6, 0},  {18, 0}, {0, 1},   {12, 1}, {4, 0},  {8, 0},
    {16, 0},  {20, 0}, {3, 0},   {9, 0},  {15, 0}, {21, 0},  {27, 0}, {30, 0}, {32, 0},
    {33, 0},  {28, 0}, {0, 2},   {12, 2}, {24, 1}, {36, 1},  {6, 1},  {18, 1}, {24, 2},
    {-12, 0}, {-6, 0}, {-24, 0}, {-4, 0}, {-8, 0}, {-18, 0}, {-9, 0}, {-3, 0}, {8, 1}};
#define FAMILY (sizeof family / sizeof *family)

/* Factors of products of two parameters. */
static const struct shape two_axes[] = {{12, 0},  {24, 0}, {6, 0},  {18, 0},
                                        {0, 1},   {12, 1}, {4, 0},  {8, 0},
                                        {-12, 0}, {-6, 0}, {36, 0}, {30, 0}};
static const struct shape more_axes[] = {{12, 0}, {24, 0}, {6, 0},
                                         {18, 0}, {0, 1},  {-12, 0}};
static const struct shape three_axes[] = {{12, 0}, {24, 0}, {6, 0}};

struct shapes {
    const struct shape *shape;
    size_t count;
};

static struct mm_factor factor_of(const struct mm_axis *axis, struct shape shape)
{
    return (struct mm_factor){axis->parameter, shape.twelfths / 12., shape.logs};
}

static void shape_values(const struct mm_sheet *s, const struct mm_axis *axis,
                         struct shape shape, double *value)
{
    mm_power_values(axis->x, s->rows, shape.twelfths / 12., value);
    for (int k = 0; k < shape.logs; k++)
        for (size_t i = 0; i < s->rows; i++)
            value[i] *= axis->log[i];
}

static int is_defined(const struct mm_axis *axis, struct shape shape)
{
    if (axis->low < 0)
        return shape.twelfths == 12 && !shape.logs;
    if (shape.logs)
        return axis->low >= 1;
    return shape.twelfths > 0 || axis->low > 0;
}

/* Compute the weighted column of a term, scaled to length 1. False where its length is
 * not finite. */
static int column_weigh(const struct mm_sheet *s, struct mm_pool_term *column)
{
    double most = 0, squares = 0;

    for (size_t i = 0; i < s->rows; i++) {
        column->z[i] = column->value[i] * s->root[i];
        most = fmax(most, fabs(column->z[i]));
    }
    if (!(most > 0) || !isfinite(most))
        return 0;
    for (size_t i = 0; i < s->rows; i++)
        squares += (column->z[i] / most) * (column->z[i] / most);
    column->length = most * sqrt(squares);
    if (!isfinite(column->length))
        return 0;
    for (size_t i = 0; i < s->rows; i++)
        column->z[i] /= column->length;
    return 1;
}

static struct mm_pool_term *next_column(struct mm_pool *c)
{
    return c->count < c->capacity ? &c->column[c->count] : NULL;
}

static void add_singles(struct mm_pool *c, size_t axis_number, double max_power)
{
    const struct mm_sheet *s = c->sheet;
    const struct mm_axis *axis = &s->axis[axis_number];

    for (size_t i = 0; i < FAMILY; i++) {
        struct mm_pool_term *column = next_column(c);

        if (!column || !is_defined(axis, family[i]))
            continue;
        column->basis = (struct mm_basis){.kind = MM_BASIS_PRODUCT,
                                          .factor = {factor_of(axis, family[i])},
                                          .factors = 1};
        column->price = mm_price_basis(s, &column->basis, max_power);
        column->shape = mm_price_shape(&column->basis);
        column->growth = mm_price_growth(s, &column->basis);
        column->support = 1u << axis_number;
        if (!isfinite(column->price))
            continue;
        shape_values(s, axis, family[i], column->value);
        c->count += (size_t)column_weigh(s, column);
    }
}

static const struct mm_pool_term *find_single(const struct mm_pool *c, size_t singles,
                                              const struct mm_factor *factor)
{
    for (size_t i = 0; i < singles; i++) {
        const struct mm_factor *f = &c->column[i].basis.factor[0];

        if (f->parameter == factor->parameter && f->power == factor->power &&
            f->logs == factor->logs)
            return &c->column[i];
    }
    return NULL;
}

/* Add the product of `factors` columns to the pool. */
static void add_product(struct mm_pool *c, const struct mm_pool_term *const *factor,
                        size_t factors, double max_power)
{
    struct mm_pool_term *column = next_column(c);

    if (!column)
        return;
    column->basis = (struct mm_basis){.kind = MM_BASIS_PRODUCT, .factors = factors};
    column->support = 0;
    for (size_t k = 0; k < factors; k++) {
        column->basis.factor[k] = factor[k]->basis.factor[0];
        column->support |= factor[k]->support;
    }
    column->price = mm_price_basis(c->sheet, &column->basis, max_power);
    column->shape = mm_price_shape(&column->basis);
    column->growth = mm_price_growth(c->sheet, &column->basis);
    if (!isfinite(column->price))
        return;
    for (size_t i = 0; i < c->sheet->rows; i++) {
        column->value[i] = factor[0]->value[i];
        for (size_t k = 1; k < factors; k++)
            column->value[i] *= factor[k]->value[i];
    }
    c->count += (size_t)column_weigh(c->sheet, column);
}

/* Add to the pool products of the shapes (exponents) over the axes axis[0 .. axes). */
static void add_products(struct mm_pool *c, size_t singles, const size_t *axis,
                         size_t axes, struct shapes shapes, double max_power)
{
    const struct mm_pool_term *factor[MM_BASIS_FACTORS];
    size_t total = 1;

    for (size_t k = 0; k < axes; k++)
        total *= shapes.count;
    for (size_t number = 0; number < total; number++) {
        size_t rest = number, k = 0;

        for (; k < axes; k++, rest /= shapes.count) {
            struct mm_factor f =
                factor_of(&c->sheet->axis[axis[k]], shapes.shape[rest % shapes.count]);

            factor[k] = find_single(c, singles, &f);
            if (!factor[k])
                break;
        }
        if (k == axes)
            add_product(c, factor, axes, max_power);
    }
}

/* The share of the costs' scatter that one column and a constant explain. */
static double explained_by(const struct mm_sheet *s, const struct mm_pool_term *column)
{
    double zz = 0, zo = 0, oo = 0, zy = 0, oy = 0, rest;

    for (size_t i = 0; i < s->rows; i++) {
        double o = s->root[i], y = s->root[i] * s->y[i];

        zz += column->z[i] * column->z[i];
        zo += column->z[i] * o;
        oo += o * o;
        zy += column->z[i] * y;
        oy += o * y;
    }
    rest = zz - zo * zo / oo;
    return rest > MM_DEPENDENT * zz ? (zy - zo * oy / oo) * (zy - zo * oy / oo) / rest
                                    : 0;
}

/* Rank the axes (parameters) by the scatter that their best column explains. Writes their
 * indexes. */
static size_t rank_axes(const struct mm_pool *c, size_t *axis)
{
    const struct mm_sheet *s = c->sheet;
    double best[MONITOR_MAX_IN] = {0};
    size_t count = 0;

    for (size_t i = 0; i < c->count; i++)
        for (size_t k = 0; k < s->axes; k++)
            if (c->column[i].support == 1u << k)
                best[k] = fmax(best[k], explained_by(s, &c->column[i]));
    for (size_t k = 0; k < s->axes; k++) {
        size_t at = count++;

        for (; at > 0 && best[axis[at - 1]] < best[k]; at--)
            axis[at] = axis[at - 1];
        axis[at] = k;
    }
    return count;
}

static int same_group(const struct mm_sheet *s, const size_t *axis, size_t axes)
{
    for (size_t a = 0; a < axes; a++)
        for (size_t b = 0; b < a; b++)
            if (s->axis[axis[a]].group == s->axis[axis[b]].group)
                return 1;
    return 0;
}

static void add_all_products(struct mm_pool *c, double max_power)
{
    const struct mm_sheet *s = c->sheet;
    struct shapes pairs = {two_axes, sizeof two_axes / sizeof *two_axes};
    struct shapes triples = {three_axes, sizeof three_axes / sizeof *three_axes};
    size_t rank[MONITOR_MAX_IN], singles = c->count, axes = rank_axes(c, rank);

    if (axes > 2)
        pairs = (struct shapes){more_axes, sizeof more_axes / sizeof *more_axes};
    if (axes > PRODUCT_AXES)
        axes = PRODUCT_AXES;
    for (size_t a = 0; a < axes; a++) {
        for (size_t b = a + 1; b < axes; b++) {
            size_t axis[3] = {rank[a], rank[b], 0};

            if (same_group(s, axis, 2))
                continue;
            add_products(c, singles, axis, 2, pairs, max_power);
            for (size_t d = b + 1; d < axes; d++) {
                axis[2] = rank[d];
                if (!same_group(s, axis, 3))
                    add_products(c, singles, axis, 3, triples, max_power);
            }
        }
    }
}

static size_t columns_wanted(size_t axes)
{
    size_t pairs = sizeof two_axes / sizeof *two_axes;

    if (axes < 2)
        return FAMILY;
    return axes == 2 ? 2 * FAMILY + pairs * pairs : MOST_COLUMNS;
}

static int by_price(const void *left, const void *right)
{
    const struct mm_pool_term *a = left, *b = right;

    if (a->price != b->price)
        return a->price < b->price ? -1 : 1;
    return (a->z > b->z) - (a->z < b->z);
}

int mm_pool_init(struct mm_pool *columns, const struct mm_sheet *sheet, double max_power)
{
    struct mm_pool *c = columns;
    double *next;

    *c = (struct mm_pool){.sheet = sheet, .capacity = columns_wanted(sheet->axes)};
    c->column = malloc(c->capacity * sizeof *c->column);
    c->memory = next = malloc(c->capacity * 2 * (sheet->rows + 1) * sizeof *next);
    if (!c->column || !next) {
        mm_pool_done(c);
        return -ENOMEM;
    }
    for (size_t i = 0; i < c->capacity; i++, next += 2 * sheet->rows) {
        c->column[i].z = next;
        c->column[i].value = next + sheet->rows;
    }
    for (size_t k = 0; k < sheet->axes; k++)
        add_singles(c, k, max_power);
    if (sheet->axes > 1)
        add_all_products(c, max_power);
    qsort(c->column, c->count, sizeof *c->column, by_price);
    return 0;
}

void mm_pool_done(struct mm_pool *columns)
{
    free(columns->column);
    free(columns->memory);
    *columns = (struct mm_pool){0};
}

void mm_pool_weigh(struct mm_pool *columns)
{
    for (size_t i = 0; i < columns->count; i++)
        column_weigh(columns->sheet, &columns->column[i]);
}
