/* SPDX-License-Identifier: BSD-3-Clause */
/* outlier.c: decide whether one size differs from all others. */
#include "mastermind/cost/search/parts.h"

#include <math.h>

#include "mastermind/cost/search/price.h"
#include "mastermind/cost/calls/numbers.h"

/* least number of rows (sizes) beyond the outlier and the coefficients */
#define LEAST_FREEDOM 4
/* share of a row's variance due to its calls, above which no row is an outlier */
#define SCATTER .2
#define PRICE 4. /* penalty of an outlier, in addition to one more coefficient */
#define FAR 1e-6 /* factor on the weight of a row that is left out */
#define MOST_TRIED 24

/* Score of a candidate with one row left out; its residual counts as one more fitted
 * number. */
static double score_without(struct mm_bench *bench, struct mm_candidate *c, size_t row,
                            double *residual)
{
    struct mm_sheet *s = (struct mm_sheet *)bench->sheet;
    double weight = s->weight[row], root = s->root[row], rows = (double)s->rows - 1;
    double press = 0, own;
    struct mm_fit fit;
    int result;

    s->weight[row] = weight * FAR;
    s->root[row] = sqrt(s->weight[row]);
    result = mm_judge_fit(bench, c, &fit);
    s->weight[row] = weight;
    s->root[row] = root;
    if (result < 0 || !isfinite(c->score))
        return INFINITY;
    for (size_t i = 0; i < s->rows; i++)
        if (i != row)
            press += weight > 0 ? s->weight[i] * bench->loo[i] * bench->loo[i] : 0;
    *residual = s->y[row] - bench->fitted[row];
    own = weight * *residual * *residual;
    /* c->score contains the prices of the terms; replace the misfit of all rows. */
    return c->score - mm_judge_score(s, fit.press, 0, 0) +
           rows / (rows + 1) * mm_judge_score(s, press * (rows + 1) / rows, 0, 0) +
           log(fmax(own, 1)) + 1 + log(rows) + PRICE;
}

/* Find the row (size) with the largest left-out residual, if enough other rows remain. */
static int worst_row(struct mm_bench *bench, struct mm_candidate *c, size_t *row)
{
    const struct mm_sheet *s = bench->sheet;
    struct mm_fit fit;
    double most = -1;

    if (c->count + c->places + 1 + LEAST_FREEDOM > s->rows ||
        mm_judge_fit(bench, c, &fit) < 0)
        return 0;
    for (size_t k = 0; k < s->rows; k++) {
        double off = s->weight[k] * bench->loo[k] * bench->loo[k];

        if (off > most) {
            most = off;
            *row = k;
        }
    }
    return 1;
}

/* Remove terms that fall beside growing ones, which a slow first size can cause. False:
 * the candidate has no such term. */
static int drop_falling(const struct mm_sheet *s, struct mm_candidate *c)
{
    size_t kept = 0, terms = 0;
    double most = 0;

    for (size_t k = 0; k < c->count; k++)
        most = fmax(most, mm_price_growth(s, &c->basis[k]));
    for (size_t k = 0; k < c->count && most > 0 && !c->places; k++) {
        terms++;
        if (!(mm_price_growth(s, &c->basis[k]) < 0))
            c->basis[kept++] = c->basis[k];
    }
    if (kept == terms)
        return 0;
    c->count = kept;
    c->price = mm_price_sum(s, c->basis, kept, INFINITY);
    return 1;
}

int mm_outlier_find(struct mm_bench *bench, const struct mm_shortlist *list, size_t *row,
                    double *residual)
{
    const struct mm_sheet *s = bench->sheet;
    size_t order[MM_SHORTLIST];
    double best;
    int found = 0;

    if (s->rows < MM_OUTLIER_ROWS || !list->count)
        return 0;
    mm_shortlist_order(list, order);
    best = list->item[order[0]].score;
    for (size_t i = 0; i < 2 * list->count && i < MOST_TRIED; i++) {
        struct mm_candidate c = list->item[order[i / 2]];
        size_t worst = 0;
        double rest = 0, score;

        if (i % 2 ? !drop_falling(s, &c) : s->known > SCATTER)
            continue;
        if (!worst_row(bench, &c, &worst))
            continue;
        score = score_without(bench, &c, worst, &rest);
        if (score < best) {
            best = score;
            *row = worst;
            *residual = rest;
            found = 1;
        }
    }
    return found;
}
