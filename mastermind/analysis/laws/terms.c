/* SPDX-License-Identifier: BSD-3-Clause */
/* terms.c: the list of terms, from plain to rare. */
#include "mastermind/analysis/laws/terms.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define KEPT 600 /* terms, the cheapest; pairs of them are all tried */

/* Powers, by price. */
static const struct {
    double power, bits;
} powers[] = {{1, 1},  {2, 2},   {-1, 2},     {3, 3},      {.5, 3},     {1.5, 4},
              {-2, 4}, {-.5, 5}, {1. / 3, 5}, {2. / 3, 5}, {4. / 3, 5}, {2.5, 6}};

enum {
    ALL_POWERS = sizeof powers / sizeof *powers,
    PAIR_POWERS = 5,
    CEILING_POWERS = 2,
    TRIPLE_POWERS = 3
};

#define LOG_BITS 2
#define DRIVER_BITS                                                                      \
    .5 /* that a driver's power of 1 is cheaper: what it counts is done for each of it   \
        */

struct list {
    const struct mm_law_data *data;
    struct mm_law_term *term;
    size_t count, capacity;
    int failed;
};

static void list_add(struct list *list, const struct mm_law_term *term)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 256;
        struct mm_law_term *more = realloc(list->term, capacity * sizeof *more);

        if (!more) {
            list->failed = 1;
            return;
        }
        list->term = more;
        list->capacity = capacity;
    }
    list->term[list->count++] = *term;
}

/* Multiply a term with a power of a variable and a logarithm of it. */
static struct mm_law_term times(const struct list *list, const struct mm_law_term *term,
                                size_t variable, double power, int logs, double bits)
{
    struct mm_law_term product = *term;
    int is_driver = list->data->is_driver[list->data->variable[variable].axis];

    product.basis.kind = MM_BASIS_PRODUCT;
    product.basis.factor[product.basis.factors++] =
        (struct mm_factor){variable, power, logs};
    bits += logs * LOG_BITS + list->data->variable[variable].is_ceiling -
            (is_driver && power == 1 && !logs ? DRIVER_BITS : 0);
    product.rank += bits;
    product.bits += bits + log2((double)list->data->variables);
    return product;
}

/* Add all products of `term` with variables from `first` on. */
static void add_products(struct list *list, const struct mm_law_term *term, size_t first,
                         size_t factors, size_t count)
{
    size_t most = factors == 1 ? ALL_POWERS : factors == 2 ? PAIR_POWERS : TRIPLE_POWERS;

    for (size_t v = first; v < list->data->variables; v++) {
        int is_ceiling = list->data->variable[v].is_ceiling;

        for (size_t p = 0; p < (is_ceiling ? CEILING_POWERS : most); p++) {
            struct mm_law_term product =
                times(list, term, v, powers[p].power, 0, powers[p].bits);

            if (count + 1 == factors)
                list_add(list, &product);
            else
                add_products(list, &product, v + 1, factors, count + 1);
        }
        if (factors == 3 || is_ceiling)
            continue;
        for (int power = 0; power <= 1; power++) {
            struct mm_law_term product = times(list, term, v, power, 1, 1);

            if (count + 1 == factors)
                list_add(list, &product);
            else
                add_products(list, &product, v + 1, factors, count + 1);
        }
    }
}

static int compare_factors(const struct mm_basis *a, const struct mm_basis *b)
{
    for (size_t i = 0; i < a->factors && i < b->factors; i++) {
        const struct mm_factor *f = &a->factor[i], *g = &b->factor[i];

        if (f->parameter != g->parameter)
            return f->parameter < g->parameter ? -1 : 1;
        if (f->power != g->power)
            return f->power < g->power ? -1 : 1;
        if (f->logs != g->logs)
            return f->logs - g->logs;
    }
    return (a->factors > b->factors) - (a->factors < b->factors);
}

static int compare_terms(const void *left, const void *right)
{
    const struct mm_law_term *a = left, *b = right;

    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return compare_factors(&a->basis, &b->basis);
}

static int set_values(const struct mm_law_data *data, const struct mm_law_term *term,
                      const double *variables, double *value)
{
    int some = 0;

    for (size_t i = 0; i < data->runs; i++) {
        value[i] = mm_basis_value(&term->basis, variables + i * MM_LAW_VARIABLES);
        if (!isfinite(value[i]) || fabs(value[i]) > 1e150)
            return 0;
        some |= value[i] != 0;
    }
    return some;
}

int mm_law_terms_init(struct mm_law_terms *terms, const struct mm_law_data *data)
{
    struct list list = {.data = data};
    struct mm_law_term one = {.basis.kind = MM_BASIS_ONE};
    double *variables = calloc(data->runs, MM_LAW_VARIABLES * sizeof *variables);

    memset(terms, 0, sizeof *terms);
    list_add(&list, &one);
    for (size_t factors = 1; factors <= MM_BASIS_FACTORS; factors++)
        add_products(&list, &one, 0, factors, 0);
    terms->term = list.term;
    terms->value = calloc(KEPT * data->runs, sizeof *terms->value);
    if (list.failed || !variables || !terms->value) {
        free(variables);
        return -ENOMEM;
    }
    for (size_t i = 0; i < data->runs; i++)
        mm_law_data_variables(data, data->x + i * data->axes,
                              variables + i * MM_LAW_VARIABLES);
    qsort(list.term, list.count, sizeof *list.term, compare_terms);
    for (size_t t = 0; t < list.count && terms->count < KEPT; t++) {
        if (!set_values(data, &list.term[t], variables,
                        terms->value + terms->count * data->runs))
            continue;
        terms->term[terms->count++] = list.term[t];
    }
    free(variables);
    return 0;
}

void mm_law_terms_done(struct mm_law_terms *terms)
{
    free(terms->term);
    free(terms->value);
}
