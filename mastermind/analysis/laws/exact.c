/* SPDX-License-Identifier: BSD-3-Clause */
/* exact.c: the length of a description decides whether a closed form is more than a
 * coincidence. */
#include "mastermind/analysis/laws/exact.h"

#include <math.h>
#include <string.h>

#include "mastermind/analysis/models/forms/fit.h"

#define EXACT 1e-10     /* relative to the terms of a run */
#define REAL_BITS 33    /* of a number known to EXACT */
#define MARGIN_BITS 4   /* by which a form must be shorter than the counts */
#define RIVAL_BITS 6    /* by which a rival may be longer than the shortest form */
#define WORST_LEFT 1e-9 /* share left, squared, of sets worth a precise fit */

/* A fraction near `value`; 0: none with a small denominator. */
static int find_fraction(double value, double *near, double *bits)
{
    for (int d = 1; d <= 64; d += d < 12 ? 1 : d == 12 ? 4 : d) {
        double n = nearbyint(value * d);

        if (n == 0 || fabs(value * d - n) > 1e-6 * fmax(1, 1e-3 * fabs(n)) ||
            fabs(n) > 1e9)
            continue;
        *near = n / d;
        *bits = 1 + log2(fabs(n)) + 2 * log2(d);
        return 1;
    }
    return 0;
}

static int has_runs(const struct mm_law_data *data, const double *const *column,
                    const double *a, size_t count)
{
    for (size_t i = 0; i < data->runs; i++) {
        double sum = 0, scale = fabs(data->y[i]);

        for (size_t k = 0; k < count; k++) {
            sum += a[k] * column[k][i];
            scale = fmax(scale, fabs(a[k] * column[k][i]));
        }
        if (!(fabs(sum - data->y[i]) <= EXACT * scale))
            return 0;
    }
    return 1;
}

/* Replace coefficients by fractions where the runs allow it; returns the bits of all. */
static double shorten(const struct mm_law_data *data, const double *const *column,
                      double *a, size_t count)
{
    double bits = 0, near[MM_LAW_TERMS] = {0}, price[MM_LAW_TERMS];

    for (size_t k = 0; k < count; k++) {
        double kept = a[k], cost;

        near[k] = kept;
        price[k] = REAL_BITS;
        if (find_fraction(kept, &near[k], &cost) && cost < REAL_BITS)
            price[k] = cost;
        else
            near[k] = kept;
    }
    if (has_runs(data, column, near, count)) {
        memcpy(a, near, count * sizeof *a);
        for (size_t k = 0; k < count; k++)
            bits += price[k];
        return bits;
    }
    return REAL_BITS * (double)count;
}

/* Bits that tell the counts of all runs, or those counts for each of what an axis counts.
 */
static double data_bits_of(const struct mm_law_data *data, size_t axis)
{
    double bits = 0;

    for (size_t i = 0; i < data->runs; i++) {
        double y = fabs(data->y[i]);

        if (axis < data->axes)
            y /= fabs(data->x[i * data->axes + axis]);

        bits += y == floor(y) && y < 0x1p50 ? log2(fmax(y, 2)) : REAL_BITS;
    }
    return bits;
}

/* Where every count is a multiple of a driver, such as the number of steps, the driver's
 * own variety is no evidence for a form. */
static double data_bits(const struct mm_law_data *data)
{
    double bits = data_bits_of(data, data->axes);

    for (size_t k = 0; k < data->axes; k++)
        if (data->is_driver[k] && data->varies[k] && data->is_positive[k])
            bits = fmin(bits, data_bits_of(data, k));
    return bits;
}

static void set_form(struct mm_law_form *form, const struct mm_law_terms *terms,
                     const struct mm_law_subset *subset, const double *a, double bits)
{
    struct mm_form *to = &form->form;

    memset(form, 0, sizeof *form);
    /* Term 0 is the constant, which comes last. */
    for (size_t k = 0; k < subset->count; k++) {
        size_t from = subset->term[0] == 0 ? (k + 1) % subset->count : k;

        to->basis[k] = terms->term[subset->term[from]].basis;
        to->a[k] = a[from];
    }
    to->count = subset->count;
    to->weight = 1;
    form->bits = bits;
}

static void keep_form(struct mm_law_exact *exact, const struct mm_law_form *form)
{
    size_t at = exact->count;

    while (at > 0 && exact->form[at - 1].bits > form->bits)
        at--;
    if (exact->count == MM_LAW_RIVALS) {
        if (at == exact->count)
            return;
        exact->count--;
    }
    memmove(exact->form + at + 1, exact->form + at,
            (exact->count - at) * sizeof *exact->form);
    exact->form[at] = *form;
    exact->count++;
}

static void try_subset(struct mm_law_exact *exact, const struct mm_law_data *data,
                       const struct mm_law_terms *terms, const double *weight,
                       const struct mm_law_subset *subset, double known, double *work)
{
    const double *column[MM_LAW_TERMS];
    struct mm_law_form form;
    struct mm_fit fit;
    double bits;

    for (size_t k = 0; k < subset->count; k++)
        column[k] = terms->value + subset->term[k] * data->runs;
    if (mm_fit_plain(data->runs, subset->count, column, data->y, weight, work, &fit) <
            0 ||
        !has_runs(data, column, fit.coefficient, subset->count))
        return;
    for (size_t k = 0; k < subset->count; k++) {
        double share = 0;

        /* A term that is rounding in all runs is none. */
        for (size_t i = 0; i < data->runs; i++)
            share =
                fmax(share, fabs(fit.coefficient[k] * column[k][i]) * sqrt(weight[i]));
        if (share < 1e-8)
            return;
    }
    bits = subset->bits + shorten(data, column, fit.coefficient, subset->count);
    if (bits + MARGIN_BITS > known)
        return;
    set_form(&form, terms, subset, fit.coefficient, bits);
    keep_form(exact, &form);
}

void mm_law_exact_try(struct mm_law_exact *exact, const struct mm_law_data *data,
                      const struct mm_law_terms *terms, const double *weight,
                      const struct mm_law_subset *subset, size_t count, double *work)
{
    double known = data_bits(data);

    for (size_t i = 0; i < count && subset[i].left <= WORST_LEFT; i++)
        if (subset[i].count < data->runs)
            try_subset(exact, data, terms, weight, &subset[i], known, work);
}

void mm_law_exact_end(struct mm_law_exact *exact)
{
    size_t count = 0;

    exact->incomplete = exact->count == MM_LAW_RIVALS;
    while (count < exact->count &&
           exact->form[count].bits <= exact->form[0].bits + RIVAL_BITS)
        count++;
    exact->incomplete = exact->incomplete && count == exact->count;
    exact->count = count;
}
