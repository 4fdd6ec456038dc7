/* SPDX-License-Identifier: BSD-3-Clause */
/* breaks.c: search for hinges and jumps that improve a formula, the "lead". */
#include "mastermind/cost/search/parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/cost/search/lead.h"
#include "mastermind/cost/search/price.h"
#include "mastermind/cost/calls/numbers.h"

#define PLACES_MANY_ROWS                                                                 \
    2 /* positions tried between two sizes of a sheet with many rows */
#define MANY_ROWS 50
#define MOST_GAPS 40
#define KEPT 4 /* largest number of breaks of one formula (lead) that are fitted */
#define REFINEMENTS 16
#define SETTLED .1
#define ROUNDS 16 /* largest number of rounds of moving several hinges in turn */
#define MOST_TERMS 3

struct breaks {
    struct mm_bench *bench;
    const struct mm_sheet *sheet;
    double max_power;
    struct mm_shortlist *list, *next;
    struct mm_shortlist kept; /* candidates, the formula `lead` with one break each: those
                                 with the smallest lower bounds of their scores */
    struct mm_lead lead;
    double *value; /* [rows] values of the slope after a break */
    struct mm_places places;
};

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

/* Sum of squared residuals of the formula b->lead with this break. `value` [rows] is the
 * function after a hinge; NULL: the break is a jump. */
static double rest_at(struct breaks *b, const struct mm_axis *axis, const double *value,
                      const struct mm_basis *basis, double *slope)
{
    const struct mm_sheet *s = b->sheet;
    struct mm_basis term = *basis;
    double x[MONITOR_MAX_IN], value_at = 0;

    if (basis->kind == MM_BASIS_HINGE) {
        term.kind = MM_BASIS_PRODUCT;
        x[axis->parameter] = basis->at;
        value_at = mm_basis_value(&term, x);
    }
    for (size_t i = 0; i < s->rows; i++)
        b->lead.column[i] = axis->x[i] <= basis->at ? 0
                            : value                 ? (value[i] - value_at) * s->root[i]
                                                    : s->root[i];
    return mm_lead_rest(&b->lead, slope);
}

/* Keep the formula b->lead with this break if it is among the best. After a hinge a cost
 * may grow more slowly, but a jump never goes down. */
static void try_break(struct breaks *b, const struct mm_axis *axis, const double *value,
                      const struct mm_basis *basis, double price, double *limit)
{
    const struct mm_candidate *lead = b->lead.candidate;
    size_t numbers = lead->count + lead->places + 2;
    double slope = 0, rest = rest_at(b, axis, value, basis, &slope);
    struct mm_candidate c;

    if (!(rest < *limit) || (basis->kind == MM_BASIS_JUMP && slope < 0))
        return;
    c = with_break(lead, basis, price);
    c.score = mm_judge_score(b->sheet, rest, numbers, c.price);
    mm_shortlist_add(&b->kept, &c);
    *limit =
        mm_judge_press_limit(b->sheet, mm_shortlist_limit(&b->kept), numbers, c.price);
}

/* The sum of squared residuals above which a break is not kept. */
static double kept_limit(const struct breaks *b, double price)
{
    const struct mm_candidate *lead = b->lead.candidate;

    return b->kept.count < b->kept.capacity
               ? INFINITY
               : mm_judge_press_limit(b->sheet, mm_shortlist_limit(&b->kept),
                                      lead->count + lead->places + 2,
                                      lead->price + price);
}

static void try_hinges(struct breaks *b, size_t axis_number, const struct mm_factor *kind,
                       double price)
{
    const struct mm_axis *axis = &b->sheet->axis[axis_number];
    const double *sorted = b->places.sorted[axis_number];
    struct mm_basis basis = {.kind = MM_BASIS_PRODUCT, .factor = {*kind}, .factors = 1};
    double limit;
    size_t distinct = b->places.distinct[axis_number], step = 1 + distinct / MOST_GAPS;
    int places = b->sheet->rows < MANY_ROWS ? MM_PLACES_PER_GAP : PLACES_MANY_ROWS;

    price += mm_price_basis(b->sheet, &basis, b->max_power);
    if (!isfinite(price) || !mm_sheet_evaluate(b->sheet, &basis, b->value))
        return;
    limit = kept_limit(b, price);
    basis.kind = MM_BASIS_HINGE;
    for (size_t i = MM_ROWS_BESIDE_BREAK - 1;
         i + MM_ROWS_BESIDE_BREAK < distinct && i + step < distinct; i += step) {
        for (int part = 0; part < places; part++) {
            basis.at = part ? mm_place_between(sorted[i], sorted[i + step],
                                               (double)part / places)
                            : sorted[i];
            try_break(b, axis, b->value, &basis, price, &limit);
        }
    }
}

static void try_jumps(struct breaks *b, size_t axis_number)
{
    const struct mm_axis *axis = &b->sheet->axis[axis_number];
    const double *sorted = b->places.sorted[axis_number];
    struct mm_basis basis = {
        .kind = MM_BASIS_JUMP, .factor = {{axis->parameter, 0, 0}}, .factors = 1};
    double price = MM_JUMP_PRICE + mm_price_basis(b->sheet, &basis, b->max_power), limit;

    if (!isfinite(price))
        return;
    limit = kept_limit(b, price);
    for (size_t i = MM_ROWS_BESIDE_BREAK - 1;
         i + MM_ROWS_BESIDE_BREAK < b->places.distinct[axis_number]; i++) {
        basis.at = mm_place_between(sorted[i], sorted[i + 1], .5);
        if (basis.at > sorted[i] && basis.at < sorted[i + 1])
            try_break(b, axis, NULL, &basis, price, &limit);
    }
}

static double rest_moved(struct breaks *b, const struct mm_axis *axis,
                         struct mm_basis *hinge, double at)
{
    double slope;

    hinge->at = at;
    return rest_at(b, axis, b->value, hinge, &slope);
}

/* Move a hinge of the formula b->lead to the best position, by golden section search up
 * to halfway to the next size on each side. */
static void refine_place(struct breaks *b, struct mm_basis *hinge)
{
    static const double golden = .6180339887498949;
    const struct mm_axis *axis = mm_sheet_axis(b->sheet, hinge->factor[0].parameter);
    size_t number = (size_t)(axis - b->sheet->axis), i = 0;
    double at = hinge->at, from, to, left, right, at_left, at_right, least;
    struct mm_basis term = *hinge;

    term.kind = MM_BASIS_PRODUCT;
    if (!mm_sheet_evaluate(b->sheet, &term, b->value))
        return;
    while (i + 2 < b->places.distinct[number] && b->places.sorted[number][i + 1] < at)
        i++;
    from = fmax(b->places.sorted[number][i],
                mm_place_between(b->places.sorted[number][i], at, .5));
    to = fmin(b->places.sorted[number][i + 1],
              mm_place_between(at, b->places.sorted[number][i + 1], .5));
    if (at == b->places.sorted[number][i + 1] && i + 2 < b->places.distinct[number])
        to = mm_place_between(at, b->places.sorted[number][i + 2], .5);
    least = rest_moved(b, axis, hinge, at);
    left = to - golden * (to - from);
    right = from + golden * (to - from);
    at_left = rest_moved(b, axis, hinge, left);
    at_right = rest_moved(b, axis, hinge, right);
    for (int k = 0; k < REFINEMENTS && to > from; k++) {
        if (at_left <= at_right) {
            to = right;
            right = left;
            at_right = at_left;
            left = to - golden * (to - from);
            at_left = rest_moved(b, axis, hinge, left);
        } else {
            from = left;
            left = right;
            at_left = at_right;
            right = from + golden * (to - from);
            at_right = rest_moved(b, axis, hinge, right);
        }
    }
    hinge->at = fmin(at_left, at_right) > least ? at : at_left <= at_right ? left : right;
}

static void offer(struct breaks *b, struct mm_candidate *c)
{
    struct mm_fit fit;

    if (mm_judge_fit(b->bench, c, &fit) == 0)
        mm_shortlist_add(b->list, c);
}

/* Index of the first hinge of candidate `c`; c->count: it has no hinge. */
static size_t first_hinge(const struct mm_candidate *c)
{
    size_t k = 0;

    while (k < c->count && c->basis[k].kind != MM_BASIS_HINGE)
        k++;
    return k;
}

/* Move the first hinge of candidate `c` to its best position beside the others; it
 * becomes the last term. */
static void move_hinge(struct breaks *b, struct mm_candidate *c)
{
    struct mm_candidate without = *c;
    size_t number = first_hinge(c), last;
    struct mm_basis hinge = c->basis[number], term = hinge;

    term.kind = MM_BASIS_PRODUCT;
    without.count--;
    without.places--;
    without.price -= mm_price_basis(b->sheet, &term, b->max_power) + MM_HINGE_PRICE;
    memmove(&without.basis[number], &without.basis[number + 1],
            (without.count - number) * sizeof hinge);
    if (!mm_lead_set(&b->lead, &without))
        return;
    mm_shortlist_clear(&b->kept, 1, INFINITY);
    try_hinges(
        b, (size_t)(mm_sheet_axis(b->sheet, hinge.factor[0].parameter) - b->sheet->axis),
        &hinge.factor[0], MM_HINGE_PRICE);
    if (!b->kept.count)
        return;
    *c = b->kept.item[0];
    last = c->count - 1 - (c->basis[c->count - 1].kind == MM_BASIS_ONE);
    refine_place(b, &c->basis[last]);
}

/* Move the hinges in turn, because the first one was placed without regard to the second.
 */
static void polish_hinges(struct breaks *b, struct mm_candidate *c)
{
    double before = INFINITY;

    for (int round = 0; round < ROUNDS && first_hinge(c) < c->count; round++) {
        move_hinge(b, c);
        if (round % 2) {
            if (!(c->score < before - SETTLED))
                break;
            before = c->score;
        }
    }
    offer(b, c);
}

/* Fit the formula with each kept break, at its position and at a refined position. */
static void offer_kept(struct breaks *b)
{
    struct mm_candidate best[KEPT];
    size_t order[MM_SHORTLIST], count = b->kept.count;

    mm_shortlist_order(&b->kept, order);
    for (size_t i = 0; i < count; i++)
        best[i] = b->kept.item[order[i]];
    for (size_t i = 0; i < count; i++) {
        struct mm_candidate *c = &best[i];
        size_t last = c->count - 1 - (c->basis[c->count - 1].kind == MM_BASIS_ONE);

        if (!(c->score < mm_shortlist_limit(b->list)))
            continue;
        if (i < MM_POLISHED_BREAKS && c->basis[last].kind == MM_BASIS_HINGE)
            refine_place(b, &c->basis[last]);
        offer(b, c);
    }
}

/* True for a formula that may get a break: fewer than three terms, at least twice as many
 * sizes as coefficients, and residuals beyond the noise. */
static int is_lead(const struct breaks *b, const struct mm_candidate *c)
{
    return c->count - (c->basis[c->count - 1].kind == MM_BASIS_ONE) < MOST_TERMS &&
           2 * (c->count + c->places + 2) <= b->sheet->rows &&
           !mm_judge_hopeless(b->sheet, b->list, c->count + c->places + 2,
                              c->price + MM_HINGE_PRICE);
}

/* Add the formula with its best break to the formulas that may get a second break. */
static void offer_next(struct breaks *b)
{
    const struct mm_candidate *best = &b->kept.item[b->kept.best];

    if (b->next && b->kept.count &&
        !mm_judge_hopeless(b->sheet, b->list, best->count + best->places + 2,
                           best->price))
        mm_shortlist_add(b->next, best);
}

/* Try breaks of axis (parameter) `k`: hinges whose slope has the shape of a term of the
 * formula b->lead or, with `all`, hinges of other shapes and jumps. */
static void break_axis(struct breaks *b, size_t k, int all)
{
    const struct mm_sheet *s = b->sheet;
    struct mm_factor kind[MM_PLACES_KINDS];
    double price[MM_PLACES_KINDS];
    size_t kinds;

    if (!s->axis[k].wide || s->axis[k].distinct < MM_LEAST_ROWS_JUMP - 2)
        return;
    if (all)
        try_jumps(b, k);
    if (s->rows < MM_LEAST_ROWS_HINGE)
        return;
    kinds = mm_place_kinds(s, b->lead.candidate, &s->axis[k], kind, price);
    for (size_t i = 0; i < kinds; i++)
        if ((price[i] == MM_HINGE_PRICE) != all)
            try_hinges(b, k, &kind[i], price[i]);
}

/* Try all breaks of a formula. A cost with two hinges often has slopes of one shape,
 * although with the first hinge alone another shape fits better; so the best of both are
 * kept. */
static void break_lead(struct breaks *b, const struct mm_candidate *lead)
{
    struct mm_candidate best[2];
    size_t count = 0;

    mm_shortlist_clear(&b->kept, KEPT, INFINITY);
    for (int all = 0; all < 2; all++) {
        for (size_t k = 0; k < b->sheet->axes; k++)
            break_axis(b, k, all);
        offer_next(b);
        if (b->kept.count)
            best[count++] = b->kept.item[b->kept.best];
    }
    offer_kept(b);
    for (size_t i = 0; i < count && first_hinge(lead) < lead->count; i++)
        if (i == 0 || best[i].score != best[0].score)
            polish_hinges(b, &best[i]);
}

static void breaks_done(struct breaks *b)
{
    mm_lead_done(&b->lead);
    mm_places_done(&b->places);
    free(b->value);
}

static int breaks_init(struct breaks *b)
{
    b->value = malloc(b->sheet->rows * sizeof *b->value);
    if (b->value && mm_places_init(&b->places, b->sheet) == 0 &&
        mm_lead_init(&b->lead, b->sheet) == 0)
        return 0;
    breaks_done(b);
    return -ENOMEM;
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

    if (n < MM_LEAST_ROWS_JUMP || !bench->sheet->axes || !leads->count ||
        mm_judge_hopeless(b.sheet, list, 2, MM_HINGE_PRICE))
        return 0;
    if (breaks_init(&b) < 0)
        return -ENOMEM;
    for (size_t i = 0; i < leads->count; i++)
        if (is_lead(&b, &leads->item[i]) && mm_lead_set(&b.lead, &leads->item[i]))
            break_lead(&b, &leads->item[i]);
    breaks_done(&b);
    return 0;
}
