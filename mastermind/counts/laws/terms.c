/* SPDX-License-Identifier: BSD-3-Clause */
/* terms.c: the list of terms, from plain to rare. */
#include "mastermind/counts/laws/parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/same.h"

/* least number of products to list; higher ranks are added until there are so many */
#define KEPT 600
#define TREND_DEGREE 3 /* largest number of powers of parameters in a term of a trend */

/* Powers of a variable in a term, by price. */
static const struct {
    double power, bits;
} powers[] = {{1, 1},  {2, 2},   {-1, 2},     {3, 3},      {.5, 3},     {1.5, 4},
              {-2, 4}, {-.5, 5}, {1. / 3, 5}, {2. / 3, 5}, {4. / 3, 5}, {2.5, 6}};

enum {
    ALL_POWERS = sizeof powers / sizeof *powers,
    PAIR_POWERS = 5,
    CEILING_POWERS = 2,
    COLUMNS = ALL_POWERS +
              1 /* number of columns of a variable: its powers, and the logarithm */
};

#define LOG_BITS 2
/* Bonus for an exogenous count's power of 1: work is usually done once per unit of it. */
#define DRIVER_BITS .5

struct list {
    const struct mm_law_data *data;
    struct mm_law_term *term;
    size_t count;
    double rank; /* terms with a higher rank (description length) are skipped */
    int failed;
};

static void list_add(struct list *list, const struct mm_law_term *term)
{
    struct mm_law_term *added = cca_array_add(&list->term, &list->count, sizeof *added);

    if (added)
        *added = *term;
    else
        list->failed = 1;
}

/* Multiply a term by powers of a variable and of its logarithm. */
static struct mm_law_term times(const struct list *list, const struct mm_law_term *term,
                                size_t v, double power, int logs, double bits)
{
    struct mm_law_term product = *term;
    const struct mm_law_variable *variable = &list->data->variable[v];
    int is_each = variable->is_driver && power == 1 && !logs;

    product.basis.kind = MM_BASIS_PRODUCT;
    product.basis.factor[product.basis.factors++] = (struct mm_factor){v, power, logs};
    bits += logs * LOG_BITS;
    bits -= is_each ? DRIVER_BITS : 0;
    product.rank += is_each ? 0 : bits + variable->rank;
    product.bits += bits + variable->bits;
    product.has_driver |= variable->is_driver;
    product.is_alone |= variable->kind == MM_LAW_PIECES;
    product.is_smooth &= mm_law_variable_is_smooth(variable);
    product.is_trend &= mm_law_variable_is_smooth(variable) &&
                        (!variable->is_driver || (power == 1 && !logs));
    product.degree += variable->is_driver ? 0 : fabs(power);
    product.is_trend &= product.degree <= TREND_DEGREE;
    product.is_powers &= variable->kind == MM_LAW_AXIS;
    return product;
}

static void add_products(struct list *list, const struct mm_law_term *term, size_t first,
                         size_t factors);

static void add_product(struct list *list, const struct mm_law_term *product, size_t v,
                        size_t factors)
{
    if (product->rank > list->rank)
        return;
    if (product->basis.factors == factors)
        list_add(list, product);
    else
        add_products(list, product, v + 1, factors);
}

/* Add to the list all products of `term` with variables from `first` on. */
static void add_products(struct list *list, const struct mm_law_term *term, size_t first,
                         size_t factors)
{
    size_t most = factors == 1   ? ALL_POWERS
                  : factors == 2 ? PAIR_POWERS
                                 : MM_LAW_TRIPLE_POWERS;

    for (size_t v = first; v < list->data->factors; v++) {
        int is_axis = list->data->variable[v].kind == MM_LAW_AXIS;

        /* at most one variable of a term may jump up and down */
        if (!term->is_smooth && !mm_law_variable_is_smooth(&list->data->variable[v]))
            continue;

        for (size_t p = 0; p < (is_axis ? most : CEILING_POWERS); p++) {
            struct mm_law_term product =
                times(list, term, v, powers[p].power, 0, powers[p].bits);

            add_product(list, &product, v, factors);
        }
        for (int power = 0; power <= 1 && is_axis && factors < 3; power++) {
            struct mm_law_term product = times(list, term, v, power, 1, 1);

            add_product(list, &product, v, factors);
        }
    }
}

/* Add the sums over pieces to the list, alone and per unit of an exogenous count. */
static void add_alone(struct list *list)
{
    const struct mm_law_data *data = list->data;
    const struct mm_law_term one = {.is_powers = 1, .is_smooth = 1, .is_trend = 1};

    for (size_t v = data->factors; v < data->variables; v++) {
        struct mm_law_term sum = times(list, &one, v, 1, 0, 1);

        list_add(list, &sum);
        for (size_t d = 0; d < data->factors; d++) {
            struct mm_law_term product = times(list, &sum, d, 1, 0, 1);

            if (data->variable[d].is_driver)
                list_add(list, &product);
        }
    }
}

static void list_terms(struct list *list)
{
    const struct mm_law_term one = {
        .basis.kind = MM_BASIS_ONE, .is_powers = 1, .is_smooth = 1, .is_trend = 1};

    for (list->rank = 2; list->rank <= MM_LAW_LAST_RANK; list->rank++) {
        list->count = 0;
        list_add(list, &one);
        for (size_t factors = 1; factors <= MM_BASIS_FACTORS; factors++)
            add_products(list, &one, 0, factors);
        if (list->count >= KEPT)
            break;
    }
    list->rank = INFINITY;
    add_alone(list);
}

/* Sort key and index of a term. */
struct order {
    double key;
    size_t number;
};

static int compare_orders(const void *left, const void *right)
{
    const struct order *a = left, *b = right;

    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

/* Values of the powers of variables, computed at first use. */
struct powers_table {
    const struct mm_law_data *data;
    double *base;  /* [variables][runs] values of the variables */
    double *value; /* [variables][COLUMNS][runs] values of their powers and logarithms */
    unsigned char *is_set;
};

static const double *power_column(struct powers_table *table, size_t v, size_t column)
{
    size_t runs = table->data->runs;
    const double *base = table->base + v * runs;
    double *value = table->value + (v * COLUMNS + column) * runs;

    if (table->is_set[v * COLUMNS + column])
        return value;
    table->is_set[v * COLUMNS + column] = 1;
    if (column < ALL_POWERS)
        mm_power_values(base, runs, powers[column].power, value);
    for (size_t i = 0; column == ALL_POWERS && i < runs; i++)
        value[i] = log2(base[i]);
    return value;
}

static void multiply(double *value, const double *by, size_t runs)
{
    for (size_t i = 0; i < runs; i++)
        value[i] *= by[i];
}

/* Compute the values of a term in the runs; 0 if they are not finite, or all 0. */
static int set_values(struct powers_table *table, const struct mm_law_term *term,
                      double *value)
{
    size_t runs = table->data->runs;
    int some = 0;

    for (size_t i = 0; i < runs; i++)
        value[i] = 1;
    for (size_t f = 0; f < term->basis.factors; f++) {
        const struct mm_factor *factor = &term->basis.factor[f];
        size_t p = 0;

        while (p < ALL_POWERS && powers[p].power != factor->power)
            p++;
        if (p < ALL_POWERS)
            multiply(value, power_column(table, factor->parameter, p), runs);
        if (factor->logs)
            multiply(value, power_column(table, factor->parameter, ALL_POWERS), runs);
    }
    for (size_t i = 0; i < runs; i++) {
        if (!(fabs(value[i]) < 1e150))
            return 0;
        some |= value[i] != 0;
    }
    return some;
}

static int table_init(struct powers_table *table, const struct mm_law_data *data)
{
    size_t n = data->variables * data->runs;

    *table = (struct powers_table){
        .data = data,
        .base = malloc((n + 1) * sizeof *table->base),
        .value = malloc((n * COLUMNS + 1) * sizeof *table->value),
        .is_set = calloc(data->variables * COLUMNS + 1, 1),
    };
    if (!table->base || !table->value || !table->is_set)
        return -ENOMEM;
    for (size_t v = 0; v < data->variables; v++)
        for (size_t i = 0; i < data->runs; i++)
            table->base[v * data->runs + i] =
                mm_law_variable_value(&data->variable[v], data->x + i * data->axes);
    return 0;
}

static void table_done(struct powers_table *table)
{
    free(table->base);
    free(table->value);
    free(table->is_set);
}

/* Sort the terms by rank, keep the cheapest KEPT and terms that must stay, and compute
 * their values. */
static int keep_terms(struct mm_law_terms *terms, const struct list *list)
{
    const struct mm_law_data *data = list->data;
    struct order *order = malloc(list->count * sizeof *order);
    struct powers_table table;
    size_t products = 0;
    int result = table_init(&table, data);

    terms->term = malloc(list->count * sizeof *terms->term);
    terms->value = malloc(list->count * data->runs * sizeof *terms->value);
    if (!order || !terms->term || !terms->value)
        result = -ENOMEM;
    for (size_t t = 0; !result && t < list->count; t++)
        order[t] = (struct order){list->term[t].rank, t};
    if (!result)
        qsort(order, list->count, sizeof *order, compare_orders);
    for (size_t t = 0; !result && t < list->count; t++) {
        struct mm_law_term *term = &terms->term[terms->count];
        double *value = terms->value + terms->count * data->runs;

        *term = list->term[order[t].number];
        if ((!term->is_alone && products >= KEPT) || !set_values(&table, term, value))
            continue;
        products += !term->is_alone;
        term->value = value;
        terms->count++;
    }
    table_done(&table);
    free(order);
    return result;
}

/* A key that proportional terms share: a sum over the term's values scaled to unit
 * length. */
static double signature(const double *value, size_t runs)
{
    double sum = 0, squares = 0;

    for (size_t i = 0; i < runs; i++) {
        sum += value[i] * (1 + fmod(.618033988749895 * (double)(i + 1), 1));
        squares += value[i] * value[i];
    }
    return fabs(sum) / sqrt(squares);
}

static int is_proportional(const double *a, const double *b, size_t runs)
{
    size_t top = 0;

    for (size_t i = 1; i < runs; i++)
        if (fabs(a[i]) > fabs(a[top]))
            top = i;
    for (size_t i = 0; i < runs; i++)
        if (fabs(a[i] * b[top] - b[i] * a[top]) >
            CCA_SAME * fmax(fabs(a[i] * b[top]), fabs(b[i] * a[top])))
            return 0;
    return 1;
}

/* Link terms whose values are proportional in all runs, by rank. */
static int chain_terms(struct mm_law_terms *terms, size_t runs)
{
    struct order *order = malloc(terms->count * sizeof *order);
    unsigned char *chained = calloc(terms->count, 1);
    int result = order && chained ? 0 : -ENOMEM;

    terms->first = malloc(terms->count * sizeof *terms->first);
    if (!terms->first)
        result = -ENOMEM;
    for (size_t t = 0; !result && t < terms->count; t++)
        order[t] = (struct order){signature(terms->term[t].value, runs), t};
    if (!result)
        qsort(order, terms->count, sizeof *order, compare_orders);
    for (size_t a = 0, b; !result && a < terms->count; a = b) {
        /* Rounding may have changed the order of nearly equal keys. */
        for (b = a + 1; b < terms->count && order[b].key - order[b - 1].key < 1e-11; b++)
            ;
        for (size_t k = a; k < b; k++)
            order[k].key = 0;
        qsort(order + a, b - a, sizeof *order, compare_orders);
        for (size_t i = a; i < b; i++) {
            size_t last = order[i].number;

            for (size_t k = i + 1; !chained[order[i].number] && k < b; k++) {
                size_t t = order[k].number;

                if (chained[t] || !is_proportional(terms->term[order[i].number].value,
                                                   terms->term[t].value, runs))
                    continue;
                terms->term[last].next = t;
                chained[t] = 1;
                last = t;
            }
        }
    }
    for (size_t t = 0; !result && t < terms->count; t++)
        if (!chained[t])
            terms->first[terms->firsts++] = t;
    free(order);
    free(chained);
    return result;
}

int mm_law_terms_init(struct mm_law_terms *terms, const struct mm_law_data *data)
{
    struct list list = {.data = data};
    int result;

    memset(terms, 0, sizeof *terms);
    list_terms(&list);
    result = list.failed ? -ENOMEM : keep_terms(terms, &list);
    free(list.term);
    return result ? result : chain_terms(terms, data->runs);
}

void mm_law_terms_done(struct mm_law_terms *terms)
{
    free(terms->term);
    free(terms->value);
    free(terms->first);
}
