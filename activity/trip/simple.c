/* SPDX-License-Identifier: BSD-3-Clause */
/* simple.c: search for simple products, shortest first. */
#include "activity/trip/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "mastermind/counts/counts.h"

enum { FACTORS = 9, MOST_POWER = 4, MOST_PRODUCTS = 6000 };

struct factor {
    const char *text;
    double *value; /* [runs] */
    int is_axis;
};

struct product {
    signed char power[FACTORS];
    double price;
    double *value; /* [runs] */
};

struct simple_search {
    struct text *text;
    struct factor factors[FACTORS];
    size_t factor_count;
    /* candidate products of powers of the axes, sorted by price */
    struct product *products;
    size_t product_count;
    size_t *run, runs; /* indexes of the runs that have a rate, and their number */
    size_t different; /* number of different sets of parameters among the runs that have a
                       * rate */
    const double *rate;
};

static void add_factor(struct simple_search *s, const char *name, const double *value,
                       int is_axis)
{
    for (size_t i = 0; i < s->factor_count; i++)
        if (memcmp(s->factors[i].value, value, s->text->trip->runs * sizeof *value) == 0)
            return;
    if (s->factor_count < FACTORS)
        s->factors[s->factor_count++] =
            (struct factor){name, (double *)(uintptr_t)value, is_axis};
}

/* Add the factor ceil(a/b): how many pieces of length b cover the length a. */
static void add_pieces(struct simple_search *s, const struct simple_axis *a,
                       const struct simple_axis *b)
{
    size_t runs = s->text->trip->runs;
    double *value = trip_take(s->text->trip, runs * sizeof *value);
    int differs = 0;

    for (size_t i = 0; i < runs && value; i++) {
        if (!(b->number[i] >= 2 && a->number[i] >= 1) ||
            b->number[i] != nearbyint(b->number[i]))
            return;
        value[i] = ceil(a->number[i] / b->number[i]);
        differs |= value[i] != 1;
    }
    if (value && differs)
        add_factor(s,
                   text_print(s->text, "ceil(%s/%s)",
                              strcmp(a->name, "nproc") == 0 ? "1.0*nproc" : a->name,
                              b->name),
                   value, 0);
}

/* Add the factor "number of pieces at the border" of a rectangle cut into pieces, unless
 * all pieces are at the border in all runs. */
static void add_border(struct simple_search *s, const struct simple_axis *a,
                       const struct simple_axis *b, const struct simple_axis *most)
{
    size_t runs = s->text->trip->runs;
    double *value = trip_take(s->text->trip, runs * sizeof *value);
    const char *across, *along;
    int differs = 0;

    for (size_t i = 0; i < runs && value; i++) {
        double x, y;

        if (!(most->number[i] >= 2 && a->number[i] >= 1 && b->number[i] >= 1))
            return;
        x = ceil(a->number[i] / most->number[i]);
        y = ceil(b->number[i] / most->number[i]);
        value[i] = x * y - fmax(0, x - 2) * fmax(0, y - 2);
        differs |= value[i] != x * y;
    }
    if (!value || !differs || strcmp(a->name, "nproc") == 0 ||
        strcmp(b->name, "nproc") == 0 || strcmp(most->name, "nproc") == 0)
        return;
    across = text_print(s->text, "ceil(%s/%s)", a->name, most->name);
    along = text_print(s->text, "ceil(%s/%s)", b->name, most->name);
    add_factor(s,
               text_print(s->text, "(%s*%s - max(0, %s - 2)*max(0, %s - 2))", across,
                          along, across, along),
               value, 0);
}

/* --- Products. --- */

static int add_product(struct simple_search *s, const signed char *power)
{
    struct product *p = cca_array_add(&s->products, &s->product_count, sizeof *p);
    size_t runs = s->text->trip->runs;

    if (p)
        p->value = trip_take(s->text->trip, runs * sizeof *p->value);
    if (!p || !p->value)
        return s->text->failed = cca_no_memory(s->text->trip->err);
    memcpy(p->power, power, FACTORS);
    for (size_t i = 0; i < runs; i++) {
        p->value[i] = 1;
        for (size_t k = 0; k < s->factor_count; k++)
            p->value[i] *= pow(s->factors[k].value[i], power[k]);
    }
    for (size_t k = 0; k < s->factor_count; k++) {
        p->price += abs(power[k]) + .01 * (double)k * (power[k] != 0);
        p->price += power[k] < 0 ? s->factors[k].is_axis ? .6 : .1 : 0;
        p->price += abs(power[k]) > 1 ? .5 : 0;
        p->price += s->factors[k].is_axis ? 0 : .5 * abs(power[k]);
    }
    return 0;
}

static int add_products(struct simple_search *s, signed char *power, size_t at, int left)
{
    int rc = 0;

    if (at == s->factor_count || s->product_count >= MOST_PRODUCTS)
        return s->product_count < MOST_PRODUCTS ? add_product(s, power) : 0;
    for (int p = -1; p <= 2 && !rc; p++) {
        if (abs(p) > left || (p == 2 && !s->factors[at].is_axis))
            continue;
        power[at] = (signed char)p;
        rc = add_products(s, power, at + 1, left - abs(p));
    }
    power[at] = 0;
    return rc;
}

static int product_order(const void *left, const void *right)
{
    const struct product *a = left, *b = right;

    if (a->price != b->price)
        return a->price < b->price ? -1 : 1;
    return memcmp(a->power, b->power, FACTORS);
}

/* --- Fits. --- */

/* How complicated a coefficient is: its price; infinite if it is no simple fraction. */
static double coefficient_price(double c, double *near)
{
    double bits;

    if (!isfinite(c) || c == 0 || !mm_law_fraction(c, near, &bits) ||
        fabs(c - *near) > 1e-9 * fabs(c) || bits > 14)
        return INFINITY;
    return fabs(*near) == 1 ? 0 : .25 * bits;
}

static int product_fits(const struct simple_search *s, const struct product *p, double a,
                        const struct product *q, double b)
{
    for (size_t i = 0; i < s->runs; i++) {
        size_t run = s->run[i];
        double value = a * p->value[run] + (q ? b * q->value[run] : 0);

        if (!(fabs(value - s->rate[run]) <= 1e-9 * fabs(s->rate[run])))
            return 0;
    }
    return 1;
}

static const char *product_text(const struct simple_search *s, const struct product *p,
                                double c)
{
    struct text *text = s->text;
    const char *product = NULL;
    int is_double = c != 1, divides = 0;

    for (size_t k = 0; k < s->factor_count; k++) {
        divides |= p->power[k] < 0;
        is_double |= p->power[k] > 0 && s->factors[k].is_axis &&
                     strcmp(s->factors[k].text, "nproc") != 0;
    }
    if (c != 1)
        product = text_print(text, c == nearbyint(c) ? "%.1f" : "%.12g", c);
    else if (divides && !is_double) /* numbers of pieces and of processes are longs, so a
                                     * division by them needs a double */
        product = "1.0";
    for (size_t k = 0; k < s->factor_count; k++)
        for (int i = 0; i < p->power[k]; i++)
            product = product ? text_print(text, "%s*%s", product, s->factors[k].text)
                              : s->factors[k].text;
    product = product ? product : "1.0";
    for (size_t k = 0; k < s->factor_count; k++)
        for (int i = 0; i > p->power[k]; i--)
            product = text_print(text, "%s/%s", product, s->factors[k].text);
    return product;
}

static const char *product_best(const struct simple_search *s, double *least)
{
    const char *best = NULL;

    for (size_t i = 0; i < s->product_count && s->products[i].price < *least; i++) {
        const struct product *p = &s->products[i];
        double near, price;

        price =
            p->price + coefficient_price(s->rate[s->run[0]] / p->value[s->run[0]], &near);
        if (price < *least && product_fits(s, p, near, NULL, 0)) {
            *least = price;
            best = product_text(s, p, near);
        }
    }
    return best;
}

/* Try a sum of two products: solve for both coefficients with the first run and another
 * run in which the products differ. */
static const char *sum_try(const struct simple_search *s, const struct product *p,
                           const struct product *q, double *least)
{
    size_t first = s->run[0], other = first;
    double determinant = 0, a, b, price = 2 + p->price + q->price;

    for (size_t i = s->runs; i-- > 1 && determinant == 0;) {
        other = s->run[i];
        determinant =
            p->value[first] * q->value[other] - p->value[other] * q->value[first];
        if (fabs(determinant) < 1e-9 * fabs(p->value[first] * q->value[other]))
            determinant = 0;
    }
    if (determinant == 0)
        return NULL;
    a = (s->rate[first] * q->value[other] - s->rate[other] * q->value[first]) /
        determinant;
    b = (p->value[first] * s->rate[other] - p->value[other] * s->rate[first]) /
        determinant;
    if (!product_fits(s, p, a, q, b))
        return NULL;
    price += coefficient_price(a, &a) + coefficient_price(b, &b);
    /* three runs do not determine two coefficients */
    if (!(price < *least) || a < 0 || (s->different < 4 && (a != 1 || fabs(b) != 1)))
        return NULL;
    *least = price;
    return text_print(s->text, "%s %c %s", product_text(s, p, a), b < 0 ? '-' : '+',
                      product_text(s, q, fabs(b)));
}

static const char *sum_best(const struct simple_search *s, double *least)
{
    const char *best = NULL;

    for (size_t i = 0; i < s->product_count; i++) {
        for (size_t k = 0; k < i; k++) {
            const char *found;

            if (2 + s->products[i].price + s->products[k].price >= *least)
                break;
            found = sum_try(s, &s->products[i], &s->products[k], least);
            best = found ? found : best;
            found = sum_try(s, &s->products[k], &s->products[i], least);
            best = found ? found : best;
        }
    }
    return best;
}

/* List the runs that have a rate and differ in an axis. */
static size_t list_runs(struct simple_search *s, const struct simple_axis *axes,
                        size_t count)
{
    size_t different = 0;

    for (size_t run = 0; run < s->text->trip->runs; run++) {
        int is_new = 1;

        if (isnan(s->rate[run]))
            continue;
        for (size_t i = 0; i < s->runs && is_new; i++) {
            int same = 1;

            for (size_t k = 0; k < count; k++)
                same &= axes[k].number[s->run[i]] == axes[k].number[run];
            is_new = !same;
        }
        s->run[s->runs++] = run;
        different += (size_t)is_new;
    }
    return different;
}

const char *text_of_simple(struct text *text, const struct simple_axis *axes,
                           size_t count, const double *rate, int pieces)
{
    struct simple_search s = {.text = text, .rate = rate};
    signed char power[FACTORS] = {0};
    const char *best = NULL, *sum;
    double least = 9;

    s.run = calloc(text->trip->runs + 1, sizeof *s.run);
    if (!s.run) {
        text->failed = cca_no_memory(text->trip->err);
        return NULL;
    }
    s.different = list_runs(&s, axes, count);
    for (size_t i = 0; i < count && i < 4; i++)
        add_factor(&s, axes[i].name, axes[i].number, 1);
    for (size_t i = 0; pieces && i < count && i < 4; i++)
        for (size_t k = 0; k < count; k++)
            if (i != k)
                add_pieces(&s, &axes[i], &axes[k]);
    for (size_t i = 0; pieces && i < count && i < 4; i++)
        for (size_t k = i + 1; k < count; k++)
            for (size_t most = 0; most < count; most++)
                if (most != i && most != k)
                    add_border(&s, &axes[i], &axes[k], &axes[most]);
    if (s.different >= 3 && !add_products(&s, power, 0, MOST_POWER)) {
        qsort(s.products, s.product_count, sizeof *s.products, product_order);
        best = product_best(&s, &least);
        least = best ? least : 14;
        sum = !best ? sum_best(&s, &least) : NULL;
        best = sum ? sum : best;
    }
    free(s.products);
    free(s.run);
    return best;
}
