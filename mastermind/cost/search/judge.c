/* SPDX-License-Identifier: BSD-3-Clause */
/* judge.c: scores and fits of candidates. */
#include "mastermind/cost/search/judge.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "mastermind/cost/search/price.h"

#define SLOWER 7.    /* price of a hinge after which a cost grows more slowly */
#define TAU_MOST 10. /* largest relative scatter of sizes (tau) */
#define TAU_STEPS 30
#define FAR_BELOW .25 /* share of the known noise below which misfits count little */
#define LEAST_MISFIT 1e-9
/* share of the terms' sum of absolute values; a smaller predicted cost counts as 0 */
#define ROUNDING 1e-9
#define STEEP 14.      /* price of each power above 1 in a term that is hardly visible */
#define STEEP_SHARE .5 /* average share of the cost from which on a term is visible */

int mm_bench_init(struct mm_bench *bench, const struct mm_sheet *sheet)
{
    size_t columns = MM_FORM_TERMS + 2 + MM_FORM_TERMS + 1;
    double *next = malloc(columns * (sheet->rows + 1) * sizeof *next);

    *bench = (struct mm_bench){.sheet = sheet, .memory = next};
    if (!next)
        return -ENOMEM;
    for (size_t k = 0; k < MM_FORM_TERMS; k++, next += sheet->rows)
        bench->column[k] = next;
    bench->fitted = next;
    bench->loo = next + sheet->rows;
    bench->work = next + 2 * sheet->rows;
    return 0;
}

void mm_bench_done(struct mm_bench *bench)
{
    free(bench->memory);
    *bench = (struct mm_bench){0};
}

/* Cost of a misfit in -2 log likelihood. Above the noise of the calls, the variance is
 * estimated (logarithmic). Below it, the variance is known (linear). Far below it, the
 * noise was overestimated; a slowly falling logarithm still prefers a much better fit. */
static double misfit_cost(double misfit, double known)
{
    if (misfit > known)
        return log(misfit) + 1;
    if (misfit > FAR_BELOW * known)
        return log(known) + misfit / known;
    return log(known) + FAR_BELOW +
           FAR_BELOW * log(fmax(misfit / (FAR_BELOW * known), LEAST_MISFIT));
}

/* The misfit whose cost is `cost`: the inverse of misfit_cost. */
static double misfit_at(double cost, double known)
{
    double over = cost - log(known);

    if (over > 1)
        return exp(cost - 1);
    if (over > FAR_BELOW)
        return known * over;
    return FAR_BELOW * known * exp(over / FAR_BELOW - 1);
}

double mm_judge_score(const struct mm_sheet *sheet, double press, size_t numbers,
                      double price)
{
    double rows = (double)sheet->rows;

    return rows * misfit_cost(press / rows, sheet->known) + (double)numbers * log(rows) +
           price;
}

double mm_judge_press_limit(const struct mm_sheet *sheet, double score, size_t numbers,
                            double price)
{
    double rows = (double)sheet->rows;

    return rows *
           misfit_at((score - (double)numbers * log(rows) - price) / rows, sheet->known);
}

int mm_judge_hopeless(const struct mm_sheet *sheet, const struct mm_shortlist *list,
                      size_t numbers, double price)
{
    double rows = (double)sheet->rows;
    /* The noise counts with half a standard deviation above its expectation; with a whole
     * one for several parameters, whose search takes longer. */
    double chance = sqrt(2 * rows) * (sheet->axes > 1 ? 1 : .5);
    double noise = sheet->known * (rows + chance);

    return list->count &&
           mm_judge_score(sheet, noise, numbers, price) >= list->item[list->best].score;
}

void mm_shortlist_clear(struct mm_shortlist *list, size_t capacity, double window)
{
    list->count = list->best = list->worst = 0;
    list->capacity = capacity;
    list->window = window;
}

double mm_shortlist_limit(const struct mm_shortlist *list)
{
    double limit;

    if (!list->count)
        return INFINITY;
    limit = list->item[list->best].score + list->window;
    if (list->count == list->capacity)
        limit = fmin(limit, list->item[list->worst].score);
    return limit;
}

static int same_candidate(const struct mm_candidate *a, const struct mm_candidate *b)
{
    if (a->count != b->count)
        return 0;
    for (size_t i = 0; i < a->count; i++) {
        size_t k = 0;

        while (k < b->count && !mm_basis_equal(&a->basis[i], &b->basis[k]))
            k++;
        if (k == b->count)
            return 0;
    }
    return 1;
}

void mm_shortlist_rank(struct mm_shortlist *list)
{
    list->best = list->worst = 0;
    for (size_t i = 1; i < list->count; i++) {
        if (list->item[i].score < list->item[list->best].score)
            list->best = i;
        if (list->item[i].score > list->item[list->worst].score)
            list->worst = i;
    }
}

void mm_shortlist_add(struct mm_shortlist *list, const struct mm_candidate *candidate)
{
    size_t at = list->count;

    if (!(candidate->score < mm_shortlist_limit(list)))
        return;
    for (size_t i = 0; i < list->count; i++)
        if (fabs(list->item[i].score - candidate->score) < 1e-3 &&
            same_candidate(&list->item[i], candidate))
            return;
    if (list->count < list->capacity)
        list->count++;
    else
        at = list->worst;
    list->item[at] = *candidate;
    mm_shortlist_rank(list);
}

void mm_shortlist_order(const struct mm_shortlist *list, size_t *order)
{
    for (size_t i = 0; i < list->count; i++) {
        size_t at = i;

        for (; at > 0 && list->item[order[at - 1]].score > list->item[i].score; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

/* True for a candidate that is a constant minus one term, a valid cost while it is
 * positive. */
static int may_fall(const struct mm_candidate *c)
{
    return c->count == 2 && c->basis[0].kind == MM_BASIS_PRODUCT &&
           c->basis[0].factors == 1 && c->basis[0].factor[0].power >= 0 &&
           c->basis[1].kind == MM_BASIS_ONE;
}

/* True where `basis` may have the coefficient a[number]. In a sum, no term may lower the
 * cost, except that the slope of a line may decrease at a break while it stays positive.
 */
static int sign_allowed(const struct mm_candidate *c, const double *a, size_t number)
{
    const struct mm_basis *basis = &c->basis[number];
    double slope = a[number];

    if (basis->kind == MM_BASIS_ONE || a[number] > 0 || may_fall(c))
        return 1;
    if (basis->kind != MM_BASIS_HINGE)
        return 0;
    for (size_t i = 0; i < c->count; i++) {
        const struct mm_basis *other = &c->basis[i];

        if (i != number && other->kind != MM_BASIS_ONE && other->factors == 1 &&
            other->factor[0].parameter == basis->factor[0].parameter &&
            other->factor[0].power == basis->factor[0].power &&
            other->factor[0].logs == basis->factor[0].logs)
            slope += a[i];
    }
    return slope > 0;
}

/* Set the candidate's fitted values. False if one of them is not a valid cost. */
static int set_fitted(struct mm_bench *bench, const struct mm_candidate *c,
                      const struct mm_fit *fit)
{
    const struct mm_sheet *s = bench->sheet;
    int positive = 1;

    for (size_t i = 0; i < s->rows; i++) {
        double sum = 0;

        bench->fitted[i] = 0;
        for (size_t k = 0; k < c->count; k++) {
            bench->fitted[i] += fit->coefficient[k] * bench->column[k][i];
            sum += fabs(fit->coefficient[k] * bench->column[k][i]);
        }
        if (!(bench->fitted[i] > ROUNDING * sum) && s->y[i] > 0)
            positive = 0;
    }
    return positive;
}

static int fit_columns(struct mm_bench *bench, const struct mm_candidate *c,
                       struct mm_fit *fit)
{
    const struct mm_sheet *s = bench->sheet;

    return mm_fit_linear(s->rows, c->count, (const double *const *)bench->column, s->y,
                         s->weight, bench->work, fit, bench->loo);
}

/* Set the values of the candidate's terms, reusing columns of the last candidate. */
static int set_columns(struct mm_bench *bench, const struct mm_candidate *c)
{
    for (size_t k = 0; k < c->count; k++) {
        if (bench->holds[k] && mm_basis_equal(&bench->held[k], &c->basis[k]))
            continue;
        bench->holds[k] = 0;
        if (!mm_sheet_evaluate(bench->sheet, &c->basis[k], bench->column[k]))
            return -EDOM;
        bench->held[k] = c->basis[k];
        bench->holds[k] = 1;
    }
    return 0;
}

/* Price of falling terms beside a growing one. */
static double falling_price(const struct mm_bench *bench, const struct mm_candidate *c,
                            const struct mm_fit *fit)
{
    double price = 0, most = 0;

    for (size_t k = 0; k < c->count; k++)
        most = fmax(most, mm_price_growth(bench->sheet, &c->basis[k]));
    for (size_t k = 0; k < c->count && most > 0; k++) {
        size_t seen = 0;

        if (!(mm_price_growth(bench->sheet, &c->basis[k]) < 0))
            continue;
        for (size_t i = 0; i < bench->sheet->rows; i++)
            seen += fit->coefficient[k] * bench->column[k][i] >=
                    MM_PRICE_SEEN * bench->fitted[i];
        price += mm_price_falling(seen);
    }
    return price;
}

/* Price of terms that are a small part of the costs but grow faster than the largest
 * part, so that they dominate beyond the sizes. Higher costs at the last sizes are rarely
 * the onset of such a term; often a line gets steeper when data exceed a cache. Not so
 * beside the constant of whole runs, the start of the program, which is most of the cost
 * of all small sizes: there the share at the size that shows the term best counts. */
static double steep_price(const struct mm_bench *bench, const struct mm_candidate *c,
                          const struct mm_fit *fit)
{
    double share[MM_FORM_TERMS] = {0}, most[MM_FORM_TERMS] = {0}, price = 0;
    size_t lead = 0, rows = bench->sheet->rows;
    int is_run = mm_method_peak(bench->sheet->table->method) < SIZE_MAX;

    for (size_t k = 0; k < c->count; k++) {
        for (size_t i = 0; i < rows; i++) {
            double part = fit->coefficient[k] * bench->column[k][i] / bench->fitted[i];

            share[k] += part / (double)rows;
            most[k] = fmax(most[k], part);
        }
        lead = share[k] > share[lead] ? k : lead;
    }
    for (size_t k = 0; k < c->count; k++) {
        double faster = mm_price_growth(bench->sheet, &c->basis[k]) -
                        fmax(mm_price_growth(bench->sheet, &c->basis[lead]), 0);
        double seen = is_run && c->basis[lead].kind == MM_BASIS_ONE ? most[k] : share[k];

        if (faster > 0 && seen < STEEP_SHARE)
            price += STEEP * faster * (1 - seen / STEEP_SHARE);
    }
    return price;
}

int mm_judge_fit(struct mm_bench *bench, struct mm_candidate *c, struct mm_fit *fit)
{
    c->score = INFINITY;
    if (set_columns(bench, c) < 0 || fit_columns(bench, c, fit) < 0)
        return -EDOM;
    for (size_t k = 0; k < c->count; k++)
        if (!sign_allowed(c, fit->coefficient, k))
            return 0;
    if (!set_fitted(bench, c, fit))
        return 0;
    c->score = mm_judge_score(bench->sheet, fit->press, c->count + c->places, c->price);
    for (size_t k = 0; k < c->count; k++) {
        double share = 0;

        for (size_t i = 0; i < bench->sheet->rows; i++)
            share = fmax(share, fabs(fit->coefficient[k] * bench->column[k][i]) /
                                    bench->fitted[i]);
        c->score += mm_price_share(share);
        if (c->basis[k].kind == MM_BASIS_ONE && fit->coefficient[k] < 0)
            c->score += mm_price_negative(share);
        if (c->basis[k].kind == MM_BASIS_HINGE && fit->coefficient[k] < 0)
            c->score += SLOWER;
    }
    c->score += steep_price(bench, c, fit) + falling_price(bench, c, fit);
    return 0;
}

/* Weighted sum of squared residuals, each over 1 - leverage, minus its expectation, if
 * the relative scatter of sizes is `tau`. */
static double excess_at(struct mm_bench *bench, const struct mm_candidate *c, double tau)
{
    struct mm_sheet *s = (struct mm_sheet *)bench->sheet;
    struct mm_fit fit;
    double sum = 0, before = s->tau;

    mm_sheet_set_tau(s, tau);
    if (fit_columns(bench, c, &fit) == 0 && (set_fitted(bench, c, &fit), 1))
        for (size_t i = 0; i < s->rows; i++)
            sum += s->weight[i] * (s->y[i] - bench->fitted[i]) * bench->loo[i];
    mm_sheet_set_tau(s, before);
    return sum - (double)s->rows;
}

double mm_judge_tau(struct mm_bench *bench, const struct mm_candidate *c)
{
    double low = 0, high = TAU_MOST;

    if (bench->sheet->rows <= c->count || set_columns(bench, c) < 0)
        return 0;
    if (!(excess_at(bench, c, MM_EXACT) > 0))
        return 0;
    low = MM_EXACT;
    for (int i = 0; i < TAU_STEPS && high > 1.02 * low; i++) {
        double middle = sqrt(low * high);

        if (excess_at(bench, c, middle) > 0)
            low = middle;
        else
            high = middle;
    }
    return sqrt(low * high);
}
