/* SPDX-License-Identifier: BSD-3-Clause */
/* breaks.c: search of hinges and jumps. */
#include "mastermind/analysis/models/forms/breaks.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/analysis/models/forms/price.h"

#define PLACES_PER_GAP 4
#define MOST_GAPS 40
#define BESIDE_HINGE 2 /* sizes on each side of a hinge, at least */
#define BESIDE_JUMP 2
#define LEAST_ROWS_HINGE 9
#define LEAST_ROWS_JUMP 8
#define HINGE_PRICE 1.
#define OTHER_KIND                                                                       \
    3. /* a hinge whose slope is of another kind than the terms before it */
#define JUMP_PRICE 2.
#define MOST_LEAD_TERMS 2 /* beside a constant */
#define KEPT 4            /* breaks of a lead whose places are refined */
#define REFINEMENTS 16
#define POLISH_ROUNDS 4
#define DEPENDENT 1e-7

/* A lead as an orthonormal base of its weighted columns. */
struct lead {
    const struct mm_candidate *candidate;
    size_t count;
    double *q;    /* [count][rows] */
    double *rest; /* [rows] weighted residuals */
    double squares;
    double r[MM_FORM_TERMS][MM_FORM_TERMS], beta[MM_FORM_TERMS];
};

struct breaks {
    struct mm_bench *bench;
    const struct mm_sheet *sheet;
    double max_power;
    struct mm_shortlist *list, *next;
    struct mm_shortlist kept; /* of a lead, by bounds */
    double *memory, *value, *column, *sorted;
    struct lead lead;
};

static double dot(const double *a, const double *b, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static int lead_set(struct breaks *b, const struct mm_candidate *candidate)
{
    const struct mm_sheet *s = b->sheet;
    struct lead *lead = &b->lead;
    size_t n = s->rows;

    lead->candidate = candidate;
    lead->count = candidate->count;
    memset(lead->r, 0, sizeof lead->r);
    for (size_t k = 0; k < lead->count; k++) {
        double *q = lead->q + k * n, length, own;

        if (!mm_sheet_evaluate(s, &candidate->basis[k], q))
            return 0;
        for (size_t i = 0; i < n; i++)
            q[i] *= s->root[i];
        own = sqrt(dot(q, q, n));
        for (int pass = 0; pass < 2; pass++) {
            for (size_t j = 0; j < k; j++) {
                double part = dot(lead->q + j * n, q, n);

                lead->r[j][k] += part;
                for (size_t i = 0; i < n; i++)
                    q[i] -= part * lead->q[j * n + i];
            }
        }
        length = sqrt(dot(q, q, n));
        if (!(length > DEPENDENT * own))
            return 0;
        lead->r[k][k] = length;
        for (size_t i = 0; i < n; i++)
            q[i] /= length;
    }
    for (size_t i = 0; i < n; i++)
        lead->rest[i] = s->y[i] * s->root[i];
    for (size_t k = 0; k < lead->count; k++) {
        lead->beta[k] = dot(lead->q + k * n, lead->rest, n);
        for (size_t i = 0; i < n; i++)
            lead->rest[i] -= lead->beta[k] * lead->q[k * n + i];
    }
    lead->squares = dot(lead->rest, lead->rest, n);
    return 1;
}

/* Weighted squares that stay with one more column, in b->column, which is changed;
 * INFINITY where it depends on the lead. */
static double rest_with(struct breaks *b)
{
    struct lead *lead = &b->lead;
    size_t n = b->sheet->rows;
    double own = dot(b->column, b->column, n), length, product;

    for (size_t k = 0; k < lead->count; k++) {
        double part = dot(lead->q + k * n, b->column, n);

        for (size_t i = 0; i < n; i++)
            b->column[i] -= part * lead->q[k * n + i];
    }
    length = dot(b->column, b->column, n);
    if (!(length > DEPENDENT * own))
        return INFINITY;
    product = dot(b->column, lead->rest, n);
    return fmax(lead->squares - product * product / length, 0);
}

static struct mm_candidate with_break(const struct mm_candidate *lead,
                                      const struct mm_basis *basis, double price)
{
    struct mm_candidate c = *lead;

    c.basis[c.count] = *basis;
    if (c.count && c.basis[c.count - 1].kind == MM_BASIS_ONE) {
        c.basis[c.count] = c.basis[c.count - 1];
        c.basis[c.count - 1] = *basis;
    }
    c.count++;
    c.places++;
    c.price += price;
    return c;
}

static void try_break(struct breaks *b, const struct mm_axis *axis, const double *value,
                      const struct mm_basis *basis, double value_at, double price)
{
    const struct mm_sheet *s = b->sheet;
    const struct mm_candidate *lead = b->lead.candidate;
    struct mm_candidate c;
    size_t numbers = lead->count + lead->places + 2;
    double rest, score;

    for (size_t i = 0; i < s->rows; i++) {
        double v = axis->x[i] <= basis->at        ? 0
                   : basis->kind == MM_BASIS_JUMP ? 1
                                                  : value[i] - value_at;

        b->column[i] = v * s->root[i];
    }
    rest = rest_with(b);
    score = mm_judge_score(s, rest, numbers, lead->price + price);
    if (!(score < mm_shortlist_limit(&b->kept)))
        return;
    c = with_break(lead, basis, price);
    c.score = score;
    mm_shortlist_add(&b->kept, &c);
}

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

/* Distinct values of the axis in ascending order; returns their number. */
static size_t sort_axis(struct breaks *b, const struct mm_axis *axis)
{
    size_t count = 0, n = b->sheet->rows;

    memcpy(b->sorted, axis->x, n * sizeof *b->sorted);
    qsort(b->sorted, n, sizeof *b->sorted, by_value);
    for (size_t i = 0; i < n; i++)
        if (!count || b->sorted[i] > b->sorted[count - 1])
            b->sorted[count++] = b->sorted[i];
    return count;
}

/* The part `part` of a gap, by logarithms where there are. */
static double between(double low, double high, double part)
{
    if (low > 0)
        return exp2(log2(low) * (1 - part) + log2(high) * part);
    return low + (high - low) * part;
}

/* Kinds of slopes: those of the lead's terms with this axis alone, and lines, squares and
 * roots at a price. */
static size_t hinge_kinds(const struct breaks *b, const struct mm_axis *axis,
                          struct mm_factor *kind, double *price)
{
    static const double usual[] = {1, 2, .5, 1.5};
    const struct mm_candidate *lead = b->lead.candidate;
    size_t count = 0;

    for (size_t i = 0; i < lead->count; i++) {
        const struct mm_basis *basis = &lead->basis[i];

        if (basis->kind != MM_BASIS_PRODUCT || basis->factors != 1 ||
            basis->factor[0].parameter != axis->parameter || basis->factor[0].power < 0)
            continue;
        price[count] = HINGE_PRICE;
        kind[count++] = basis->factor[0];
    }
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        size_t k = 0;

        while (k < count && (kind[k].power != usual[i] || kind[k].logs))
            k++;
        if (k < count || (axis->low < 0 && usual[i] != 1))
            continue;
        price[count] =
            HINGE_PRICE + (usual[i] == 1 ? 0 : .5) +
            (lead->count > 1 || lead->basis[0].kind != MM_BASIS_ONE ? OTHER_KIND : 0);
        kind[count++] = (struct mm_factor){axis->parameter, usual[i], 0};
    }
    return count;
}

static double kind_value(const struct mm_factor *kind, double x)
{
    double at[MONITOR_MAX_IN] = {0};
    struct mm_basis basis = {.kind = MM_BASIS_PRODUCT, .factor = {*kind}, .factors = 1};

    at[kind->parameter] = x;
    return mm_basis_value(&basis, at);
}

static void try_hinges(struct breaks *b, const struct mm_axis *axis, size_t distinct,
                       const struct mm_factor *kind, double price)
{
    struct mm_basis basis = {.kind = MM_BASIS_PRODUCT, .factor = {*kind}, .factors = 1};
    double own = mm_price_basis(b->sheet, &basis, b->max_power);
    size_t step = 1 + distinct / MOST_GAPS;

    if (!isfinite(own) || !mm_sheet_evaluate(b->sheet, &basis, b->value))
        return;
    basis.kind = MM_BASIS_HINGE;
    for (size_t i = 0; i + step < distinct; i += step) {
        for (int part = 0; part < PLACES_PER_GAP; part++) {
            if (i + 1 < BESIDE_HINGE || distinct - i - 1 < BESIDE_HINGE)
                continue;
            basis.at = part ? between(b->sorted[i], b->sorted[i + step],
                                      (double)part / PLACES_PER_GAP)
                            : b->sorted[i];
            try_break(b, axis, b->value, &basis, kind_value(kind, basis.at), price + own);
        }
    }
}

static void try_jumps(struct breaks *b, const struct mm_axis *axis, size_t distinct)
{
    struct mm_basis basis = {
        .kind = MM_BASIS_JUMP, .factor = {{axis->parameter, 0, 0}}, .factors = 1};
    double own = mm_price_basis(b->sheet, &basis, b->max_power);

    if (!isfinite(own))
        return;
    for (size_t i = BESIDE_JUMP - 1; i + BESIDE_JUMP < distinct; i++) {
        basis.at = between(b->sorted[i], b->sorted[i + 1], .5);
        if (basis.at > b->sorted[i] && basis.at < b->sorted[i + 1])
            try_break(b, axis, NULL, &basis, 0, JUMP_PRICE + own);
    }
}

static double chi2_at(struct breaks *b, struct mm_candidate *c, size_t number, double at,
                      struct mm_fit *fit)
{
    c->basis[number].at = at;
    return mm_judge_fit(b->bench, c, fit) == 0 ? fit->chi2 : INFINITY;
}

/* Move the place of hinge `number` within a quarter gap to each side, by golden
 * sections. */
static void refine_place(struct breaks *b, struct mm_candidate *c, size_t number)
{
    static const double golden = .6180339887498949;
    double at = c->basis[number].at, low = at, high = at;
    double from, to, left, right, at_left, at_right;
    const struct mm_axis *axis =
        mm_sheet_axis(b->sheet, c->basis[number].factor[0].parameter);
    size_t distinct = sort_axis(b, axis);
    struct mm_fit fit;

    for (size_t i = 0; i < distinct; i++) {
        if (b->sorted[i] < at)
            low = b->sorted[i];
        if (b->sorted[i] > at) {
            high = b->sorted[i];
            break;
        }
    }
    from = fmax(low, at - (high - low) / 2);
    to = fmin(high, at + (high - low) / 2);
    left = to - golden * (to - from);
    right = from + golden * (to - from);
    at_left = chi2_at(b, c, number, left, &fit);
    at_right = chi2_at(b, c, number, right, &fit);
    for (int i = 0; i < REFINEMENTS && to > from; i++) {
        if (at_left <= at_right) {
            to = right;
            right = left;
            at_right = at_left;
            left = to - golden * (to - from);
            at_left = chi2_at(b, c, number, left, &fit);
        } else {
            from = left;
            left = right;
            at_left = at_right;
            right = from + golden * (to - from);
            at_right = chi2_at(b, c, number, right, &fit);
        }
    }
    if (fmin(at_left, at_right) <= chi2_at(b, c, number, at, &fit))
        c->basis[number].at = at_left <= at_right ? left : right;
}

/* Take hinge `number` out of `c` and put it back where it fits best. */
static void move_hinge(struct breaks *b, struct mm_candidate *c, size_t number)
{
    struct mm_candidate without = *c;
    struct mm_basis hinge = c->basis[number];
    const struct mm_axis *axis = mm_sheet_axis(b->sheet, hinge.factor[0].parameter);
    struct mm_basis term = hinge;
    double price;

    term.kind = MM_BASIS_PRODUCT;
    price = mm_price_basis(b->sheet, &term, b->max_power) + HINGE_PRICE;
    without.count--;
    without.places--;
    without.price -= price;
    memmove(&without.basis[number], &without.basis[number + 1],
            (without.count - number) * sizeof hinge);
    if (!lead_set(b, &without))
        return;
    mm_shortlist_clear(&b->kept, 1, INFINITY);
    try_hinges(b, axis, sort_axis(b, axis), &hinge.factor[0], HINGE_PRICE);
    if (b->kept.count) {
        *c = b->kept.item[0];
        refine_place(b, c, c->count - 1 - (c->basis[c->count - 1].kind == MM_BASIS_ONE));
    }
}

/* Move the hinges of `c` in turn: the first was placed as if it were the only one. */
static void polish_hinges(struct breaks *b, struct mm_candidate *c)
{
    for (int round = 0; round < POLISH_ROUNDS; round++) {
        for (size_t k = 0; k < c->count; k++) {
            if (c->basis[k].kind != MM_BASIS_HINGE)
                continue;
            move_hinge(b, c, k);
            break; /* it is the last hinge now */
        }
    }
}

static size_t count_hinges(const struct mm_candidate *c)
{
    size_t count = 0;

    for (size_t k = 0; k < c->count; k++)
        count += c->basis[k].kind == MM_BASIS_HINGE;
    return count;
}

static void offer(struct breaks *b, struct mm_candidate *c)
{
    struct mm_fit fit;

    if (mm_judge_fit(b->bench, c, &fit) == 0)
        mm_shortlist_add(b->list, c);
}

/* Judge the kept breaks, at their places and at better ones. */
static void offer_kept(struct breaks *b)
{
    struct mm_shortlist kept = b->kept;

    mm_shortlist_sort(&kept);
    for (size_t i = 0; i < kept.count; i++) {
        struct mm_candidate *c = &kept.item[i];
        size_t number = c->count - 1;

        if (b->next && i < KEPT / 2 &&
            !mm_judge_hopeless(b->sheet, b->list, c->count + c->places + 2, c->price))
            mm_shortlist_add(b->next, c);
        if (i == 0 && count_hinges(c) > 1) {
            struct mm_candidate moved = *c;

            polish_hinges(b, &moved);
            offer(b, &moved);
        }
        if (!(c->score < mm_shortlist_limit(b->list)))
            continue;
        if (c->basis[number].kind == MM_BASIS_ONE)
            number--;
        offer(b, c);
        if (c->basis[number].kind != MM_BASIS_HINGE)
            continue;
        refine_place(b, c, number);
        offer(b, c);
    }
}

/* True for a lead that may get breaks: few terms. */
static int is_lead(const struct breaks *b, const struct mm_candidate *c)
{
    size_t terms = c->count - (c->basis[c->count - 1].kind == MM_BASIS_ONE);

    return terms <= MOST_LEAD_TERMS + c->places && c->count < MM_FORM_TERMS &&
           c->count + 2 < b->sheet->rows &&
           !mm_judge_hopeless(b->sheet, b->list, c->count + c->places + 2,
                              c->price + HINGE_PRICE);
}

static void break_lead(struct breaks *b)
{
    const struct mm_sheet *s = b->sheet;

    mm_shortlist_clear(&b->kept, KEPT, INFINITY);
    for (size_t k = 0; k < s->axes; k++) {
        const struct mm_axis *axis = &s->axis[k];
        struct mm_factor kind[MM_FORM_TERMS + 4];
        double price[MM_FORM_TERMS + 4];
        size_t distinct, kinds;

        if (!axis->wide || axis->distinct < LEAST_ROWS_JUMP - 2)
            continue;
        distinct = sort_axis(b, axis);
        if (s->rows >= LEAST_ROWS_JUMP)
            try_jumps(b, axis, distinct);
        if (s->rows < LEAST_ROWS_HINGE)
            continue;
        kinds = hinge_kinds(b, axis, kind, price);
        for (size_t i = 0; i < kinds; i++)
            try_hinges(b, axis, distinct, &kind[i], price[i]);
    }
    offer_kept(b);
}

int mm_breaks_search(struct mm_bench *bench, const struct mm_shortlist *leads,
                     double max_power, struct mm_shortlist *list,
                     struct mm_shortlist *next)
{
    struct breaks b = {.bench = bench,
                       .sheet = bench->sheet,
                       .max_power = max_power,
                       .list = list,
                       .next = next};
    size_t n = bench->sheet->rows;

    if (n < LEAST_ROWS_JUMP || !bench->sheet->axes)
        return 0;
    b.memory = malloc((MM_FORM_TERMS + 4) * (n + 1) * sizeof *b.memory);
    if (!b.memory)
        return -ENOMEM;
    b.value = b.memory;
    b.column = b.value + n;
    b.sorted = b.column + n;
    b.lead.rest = b.sorted + n;
    b.lead.q = b.lead.rest + n;
    for (size_t i = 0; i < leads->count; i++) {
        if (is_lead(&b, &leads->item[i]) && lead_set(&b, &leads->item[i]))
            break_lead(&b);
    }
    free(b.memory);
    return 0;
}
