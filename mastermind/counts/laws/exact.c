/* SPDX-License-Identifier: BSD-3-Clause */
/* exact.c: closed forms, accepted when their description is too short for a coincidence.
 */
#include "mastermind/counts/laws/parts.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/counts/laws/evidence.h"
#include "mastermind/cost/cost.h"
#include "common/same.h"

/* largest ratio of a term to the sum of all terms; above it, terms cancel */
#define CANCELLED 1e3
/* bits by which a form must be shorter than a list of the counts */
#define MARGIN_BITS 4
#define RIVAL_BITS 6 /* bits by which a competing form may exceed the shortest */
#define TERMS 4
/* number of mixtures of terms of all sizes */
#define MIXTURES ((TERMS + 1) * (TERMS + 2) / 2)
/* largest number of exact sums that one search looks at */
#define FITS 3000

/* The target (the counts, or the counts per unit of an exogenous count) and the candidate
 * terms. */
struct search {
    struct mm_law_exact *exact;
    const struct mm_law_data *data;
    const struct mm_law_terms *terms;
    size_t driver;      /* index of the exogenous count; NO_AXIS: none */
    double *target;     /* [runs] numbers that the sum must equal, owned */
    double *weight;     /* [runs] 1 / (weight of a count)^2, owned */
    double *work;       /* [(TERMS + 1) * runs] scratch memory, owned */
    const size_t *list; /* indexes of the candidate terms */
    size_t listed;
    double *shadow[TERMS + 2][TERMS + 1]; /* [listed] values of the terms for the
                                             elimination, by number of mixtures; owned;
                                             see set_shadow */
    double known;                         /* bits that describe the counts themselves */
    size_t count;                         /* number of terms of a sum */
    size_t chosen[TERMS];
    size_t fits;
};

/* True if the terms of a sum add up to each count without nearly cancelling. Terms that
 * cancel can add up to anything. */
static int has_runs(const struct search *s, const double *const *column, const double *a,
                    size_t count)
{
    for (size_t i = 0; i < s->data->runs; i++) {
        double sum = 0, most = 0, scale = 1 / sqrt(s->weight[i]);

        for (size_t k = 0; k < count; k++) {
            sum += a[k] * column[k][i];
            most = fmax(most, fabs(a[k] * column[k][i]));
        }
        if (!(fabs(sum - s->target[i]) <= CCA_SAME * scale) || most > CANCELLED * scale)
            return 0;
    }
    return 1;
}

/* Replace coefficients by fractions where the runs allow it; returns the bits of all
 * coefficients. */
static double shorten(const struct search *s, const double *const *column, double *a,
                      size_t count)
{
    double bits = 0, near[TERMS] = {0}, price[TERMS];

    for (size_t k = 0; k < count; k++) {
        double kept = a[k], cost;

        near[k] = kept;
        price[k] = MM_LAW_REAL_BITS;
        if (mm_law_fraction(kept, &near[k], &cost) && cost < MM_LAW_REAL_BITS)
            price[k] = cost;
        else
            near[k] = kept;
    }
    if (has_runs(s, column, near, count)) {
        memcpy(a, near, count * sizeof *a);
        for (size_t k = 0; k < count; k++)
            bits += price[k];
        return bits;
    }
    return MM_LAW_REAL_BITS * (double)count;
}

static void set_form(const struct search *s, struct mm_law_form *form,
                     const size_t *chosen, const double *a, double bits)
{
    struct mm_form *to = &form->form;

    memset(form, 0, sizeof *form);
    /* term 0 is the constant, which comes last in a form */
    for (size_t k = 0; k < s->count; k++) {
        size_t from = chosen[0] == 0 ? (k + 1) % s->count : k;

        to->basis[k] = s->terms->term[chosen[from]].basis;
        to->a[k] = a[from];
    }
    to->count = s->count;
    to->weight = 1;
    form->driver = s->driver;
    form->bits = bits;
    if (s->count == 1 && s->driver != MM_LAW_NO_AXIS &&
        to->basis[0].factors < MM_BASIS_FACTORS) {
        to->basis[0].kind = MM_BASIS_PRODUCT;
        to->basis[0].factor[to->basis[0].factors++] = (struct mm_factor){s->driver, 1, 0};
        form->driver = MM_LAW_NO_AXIS;
    }
}

static int is_same_form(const struct mm_law_form *a, const struct mm_law_form *b)
{
    int same = a->driver == b->driver && a->form.count == b->form.count;

    for (size_t k = 0; same && k < a->form.count; k++)
        same = a->form.a[k] == b->form.a[k] &&
               mm_basis_equal(&a->form.basis[k], &b->form.basis[k]);
    return same;
}

static void keep_form(struct mm_law_exact *exact, const struct mm_law_form *form)
{
    size_t at = exact->count;

    for (size_t i = 0; i < exact->count; i++)
        if (is_same_form(&exact->form[i], form))
            return;

    while (at > 0 && exact->form[at - 1].bits > form->bits)
        at--;
    if (exact->count == MM_LAW_RIVALS) {
        exact->incomplete |= form->bits <= exact->form[0].bits + RIVAL_BITS;
        if (at == exact->count)
            return;
        exact->count--;
    }
    memmove(exact->form + at + 1, exact->form + at,
            (exact->count - at) * sizeof *exact->form);
    exact->form[at] = *form;
    exact->count++;
}

/* Fit the chosen terms; returns the bits of the form, or a negative number if the fit is
 * not exact. */
static double fit_terms(struct search *s, const size_t *chosen, double *a)
{
    const double *column[TERMS];
    double bits = s->driver == MM_LAW_NO_AXIS ? 0 : s->data->variable[s->driver].bits;
    struct mm_fit fit;

    for (size_t k = 0; k < s->count; k++) {
        column[k] = s->terms->term[chosen[k]].value;
        bits += s->terms->term[chosen[k]].bits + 1;
    }
    if (mm_fit_plain(s->data->runs, s->count, column, s->target, s->weight, s->work,
                     &fit) < 0 ||
        !has_runs(s, column, fit.coefficient, s->count))
        return -1;
    for (size_t k = 0; k < s->count; k++) {
        double share = 0;

        /* omit a term whose values are within rounding in all runs */
        for (size_t i = 0; i < s->data->runs; i++)
            share =
                fmax(share, fabs(fit.coefficient[k] * column[k][i]) * sqrt(s->weight[i]));
        if (share < 1e-8)
            return -1;
    }
    bits += shorten(s, column, fit.coefficient, s->count);
    memcpy(a, fit.coefficient, s->count * sizeof *a);
    return bits;
}

/* True if two terms that are proportional in the runs remain so for any parameters:
 * products of powers with equal powers of exogenous counts. */
static int is_same_everywhere(const struct mm_law_data *data, const struct mm_law_term *a,
                              const struct mm_law_term *b)
{
    double power[MM_LAW_AXES] = {0};

    if (!a->is_powers || !b->is_powers)
        return 0;
    for (size_t f = 0; f < a->basis.factors; f++)
        power[data->variable[a->basis.factor[f].parameter].axis] +=
            a->basis.factor[f].power;
    for (size_t f = 0; f < b->basis.factors; f++)
        power[data->variable[b->basis.factor[f].parameter].axis] -=
            b->basis.factor[f].power;
    for (size_t k = 0; k < data->axes; k++)
        if (data->is_driver[k] && power[k] != 0)
            return 0;
    return 1;
}

/* Offer the form with each term replaced by each term that is proportional to it in all
 * runs. */
static void offer_chains(struct search *s, size_t *chosen, size_t at, double bits,
                         double most)
{
    size_t kept = at < s->count ? chosen[at] : 0;
    const struct mm_law_term *term = s->terms->term;
    struct mm_law_form form;
    double a[TERMS];

    if (at == s->count) {
        bits = fit_terms(s, chosen, a);
        if (bits >= 0 && bits + MARGIN_BITS <= s->known) {
            set_form(s, &form, chosen, a, bits);
            keep_form(s->exact, &form);
        }
        return;
    }
    for (size_t t = kept;; t = term[t].next) {
        double longer = bits + term[t].bits - term[kept].bits;

        chosen[at] = t;
        if (longer <= most &&
            (t == kept || !is_same_everywhere(s->data, &term[kept], &term[t])))
            offer_chains(s, chosen, at + 1, longer, most);
        if (!term[t].next)
            break;
    }
    chosen[at] = kept;
}

static void try_chosen(struct search *s)
{
    size_t chosen[TERMS];
    double a[TERMS], bits;

    if (s->fits++ > FITS)
        return;
    memcpy(chosen, s->chosen, sizeof chosen);
    bits = fit_terms(s, chosen, a);
    if (bits >= 0 && bits + MARGIN_BITS <= s->known)
        offer_chains(s, chosen, 0, bits, bits + RIVAL_BITS);
}

/* A pseudo-random number in -1 .. 1. */
static double scatter(size_t i, size_t d)
{
    uint64_t x = (uint64_t)(i * (TERMS + 1) + d + 1) * 0x9E3779B97F4A7C15u;

    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return (double)(x >> 11) * 0x1p-52 - 1;
}

/* Make `count` + 1 random mixtures of the runs. Terms that add up to the counts do so in
 * each mixture as well, which a few multiplications check. */
static void set_shadow(const struct search *s, const double *value, double *shadow)
{
    double squares = 0;

    for (size_t d = 0; d <= s->count; d++) {
        shadow[d] = 0;
        for (size_t i = 0; i < s->data->runs; i++)
            shadow[d] += scatter(i, d) * value[i] * s->work[i];
        squares += shadow[d] * shadow[d];
    }
    for (size_t d = 0; d <= s->count; d++)
        shadow[d] /= squares > 0 ? sqrt(squares) : 1;
}

/* Eliminate the term `pivot` from the terms from `first` on, which reduces the `size`
 * mixtures by one. */
static void eliminate(double *const *from, double *const *to, const double *pivot,
                      size_t size, size_t first, size_t most)
{
    size_t top = 0;

    for (size_t d = 1; d < size; d++)
        if (fabs(pivot[d]) > fabs(pivot[top]))
            top = d;
    for (size_t d = 0, k = 0; d < size; d++) {
        double factor = pivot[d] / pivot[top];

        if (d == top)
            continue;
        for (size_t t = first; t < most; t++)
            to[k][t] = from[d][t] - factor * from[top][t];
        k++;
    }
}

/* Try each term from `first` on as the last one of a sum, after `k` others: terms that
 * leave no remainder. */
static void try_last(struct search *s, double *const *left, size_t k, double narrow,
                     size_t most)
{
    size_t top = fabs(left[1][k]) > fabs(left[0][k]);
    const double *a = left[top], *b = left[!top];
    double factor = b[k] / a[k], near = CCA_SAME * narrow + MM_LAW_ROUNDING / narrow;

    for (size_t t = k + 1; t < most; t++) {
        if (fabs(b[t] - factor * a[t]) > near)
            continue;
        s->chosen[s->count - 1] = s->list[t];
        try_chosen(s);
    }
}

/* Choose `left` more terms of a sum from `first` on; the chosen terms are eliminated from
 * the counts and terms in `size` mixtures. */
static void choose_terms(struct search *s, size_t size, double narrow, size_t first,
                         size_t most)
{
    double *const *left = s->shadow[size];

    for (size_t k = first; k < most; k++) {
        double pivot[TERMS] = {0}, length = 0;

        for (size_t d = 0; d < size; d++) {
            pivot[d] = left[d][k];
            length = fmax(length, fabs(pivot[d]));
        }
        s->chosen[s->count - size] = s->list[k];
        if (size == 1 && length <= CCA_SAME)
            try_chosen(s);
        if (size == 1 || length < CCA_SAME)
            continue;
        if (size == 2) {
            try_last(s, left, k, fmin(narrow, length), most);
            continue;
        }
        eliminate(left, s->shadow[size - 1], pivot, size, k + 1, most);
        choose_terms(s, size - 1, fmin(narrow, length), k + 1, most);
    }
}

/* Search all sums of `count` of the first `most` terms. */
static void search_sums(struct search *s, size_t count, size_t most)
{
    double shadow[TERMS + 1];

    s->count = count;
    s->fits = 0;
    most = most < s->listed ? most : s->listed;
    for (size_t i = 0; i < s->data->runs; i++)
        s->work[i] = sqrt(s->weight[i]);
    for (size_t k = 0; k < most; k++) {
        set_shadow(s, s->terms->term[s->list[k]].value, shadow);
        for (size_t d = 0; d <= count; d++)
            s->shadow[count + 1][d][k] = shadow[d];
    }
    set_shadow(s, s->target, shadow);
    eliminate(s->shadow[count + 1], s->shadow[count], shadow, count + 1, 0, most);
    choose_terms(s, count, 1, 0, most);
}

/* Set the target: the counts, or the counts per unit of an exogenous count. */
static void set_target(struct search *s, size_t driver)
{
    const struct mm_law_data *data = s->data;

    s->driver = driver;
    for (size_t i = 0; i < data->runs; i++) {
        double each = driver == MM_LAW_NO_AXIS
                          ? 1
                          : data->x[i * data->axes + data->variable[driver].axis];

        s->target[i] = data->y[i] / each;
    }
    mm_law_weigh(s->target, data->runs, s->weight);
}

/* Select the candidate terms of a search: with or without sums over pieces, with or
 * without exogenous counts. */
static size_t list_terms(const struct search *s, int alone, size_t *list)
{
    /* in a search with sums over pieces, largest number of terms that are no such sums */
    enum { WITH_ALONE = 24 };
    const size_t NONE = (size_t)-1;
    const struct mm_law_term *term = s->terms->term;
    size_t listed = 0, others = 0;

    for (size_t k = 0; k < s->terms->firsts; k++) {
        size_t t = s->terms->first[k];

        /* of proportional terms, take one without an exogenous count */
        while (s->driver != MM_LAW_NO_AXIS && t != NONE && term[t].has_driver)
            t = term[t].next ? term[t].next : NONE;
        if (t == NONE || (!alone && term[t].is_alone) ||
            (alone && !term[t].is_alone && others++ >= WITH_ALONE))
            continue;
        list[listed++] = t;
    }
    return listed;
}

/* Search sums with fewer terms first; for each number of terms the counts first, then the
 * counts per unit of an exogenous count. */
static void search_all(struct search *s, size_t *list, int alone)
{
    static const size_t most[2][TERMS] = {{600, 400, 110, 44}, {600, 160, 60, 0}};
    const struct mm_law_data *data = s->data;

    for (size_t count = 1; count <= TERMS && count < data->runs; count++) {
        for (size_t v = 0; v <= data->factors; v++) {
            size_t driver = v ? v - 1 : MM_LAW_NO_AXIS;

            if (v && (!data->variable[driver].is_driver ||
                      !data->variable[driver].is_positive))
                continue;
            set_target(s, driver);
            s->listed = list_terms(s, alone, list);
            search_sums(s, count, most[alone][count - 1]);
        }
        if (s->exact->count)
            return;
    }
}

static void end_search(struct mm_law_exact *exact)
{
    size_t count = 0;

    while (count < exact->count &&
           exact->form[count].bits <= exact->form[0].bits + RIVAL_BITS)
        count++;
    exact->count = count;
}

int mm_law_exact_find(struct mm_law_exact *exact, const struct mm_law_data *data,
                      const struct mm_law_terms *terms)
{
    size_t runs = data->runs, n = terms->firsts + 1;
    double *memory = malloc((runs * (TERMS + 3) + n * MIXTURES) * sizeof *memory);
    size_t *list = malloc(n * sizeof *list);
    struct search s = {.exact = exact, .data = data, .terms = terms, .list = list};

    if (memory && list) {
        s.target = memory;
        s.weight = memory + runs;
        s.work = memory + 2 * runs;
        for (size_t size = 1, k = 0; size <= TERMS + 1; size++)
            for (size_t d = 0; d < size; d++, k++)
                s.shadow[size][d] = memory + (TERMS + 3) * runs + k * n;
        s.known = mm_law_data_bits(data);
        search_all(&s, list, 0);
        if (!exact->count && data->variables > data->factors)
            search_all(&s, list, 1);
        end_search(exact);
    }
    free(list);
    free(memory);
    return memory && list ? 0 : -ENOMEM;
}

double mm_law_form_value(const struct mm_law_form *form, const double *variables)
{
    double each = form->driver == MM_LAW_NO_AXIS ? 1 : variables[form->driver];

    return each * mm_form_value(&form->form, variables);
}
