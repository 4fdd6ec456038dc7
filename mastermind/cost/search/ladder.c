/* SPDX-License-Identifier: BSD-3-Clause */
/* ladder.c: formulas that are similar to a candidate. */
#include "mastermind/cost/search/ladder.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "mastermind/cost/search/lead.h"
#include "mastermind/cost/search/price.h"

#define STEPS 4    /* largest number of successive improvements of one candidate */
#define IMPROVED 3 /* number of best candidates to improve */

static const double ladder[] = {-2,   -1.5,   -1,     -.75,   -2. / 3, -.5,    -1. / 3,
                                -.25, 0,      .25,    1. / 3, .5,      2. / 3, .75,
                                1,    1.25,   4. / 3, 1.5,    5. / 3,  1.75,   2,
                                2.25, 7. / 3, 2.5,    8. / 3, 2.75,    3};
#define LADDER (sizeof ladder / sizeof *ladder)

struct climb {
    struct mm_bench *bench;
    struct mm_lead lead; /* the formula without the term to be replaced */
    double max_power;
    struct mm_candidate best;
};

double mm_ladder_nearest(double power)
{
    double best = ladder[0];

    for (size_t i = 1; i < LADDER; i++)
        if (fabs(ladder[i] - power) < fabs(best - power))
            best = ladder[i];
    return best;
}

/* Move the exponent of factor `f` of a term along the ladder (of usual exponents), and
 * its number of logarithms by -1 to 1. A factor without power and logarithms is removed.
 * False: there is no such step. */
static int step_factor(struct mm_basis *basis, size_t f, int step, int logs)
{
    struct mm_factor *factor = &basis->factor[f];
    size_t at = 0;

    while (at < LADDER && fabs(ladder[at] - factor->power) > 1e-9)
        at++;
    if (at == LADDER || (step < 0 && at < (size_t)-step) || at + (size_t)step >= LADDER)
        return 0;
    factor->power = ladder[at + (size_t)step];
    factor->logs += logs;
    if (factor->logs < 0 || factor->logs > 2)
        return 0;
    if (factor->power == 0 && !factor->logs) {
        *factor = basis->factor[--basis->factors];
        return basis->factors > 0;
    }
    return 1;
}

static int logs_defined(const struct mm_sheet *s, const struct mm_basis *basis)
{
    for (size_t i = 0; i < basis->factors; i++) {
        const struct mm_axis *axis = mm_sheet_axis(s, basis->factor[i].parameter);

        if (!axis || !axis->log || (basis->factor[i].logs && axis->low < 1))
            return 0;
    }
    return 1;
}

/* Keep the formula `next`, which differs in term `number`, if it is better than the best
 * so far. */
static int try_next(struct climb *c, struct mm_candidate *next, size_t number)
{
    const struct mm_sheet *s = c->bench->sheet;
    size_t numbers = next->count + next->places;
    double slope, rest = s->known * (double)s->rows, left;
    struct mm_fit fit;

    next->price = mm_price_sum(s, next->basis, next->count, c->max_power);
    /* Skip a formula that would not be better even if only the noise of the calls
     * remained. */
    if (!isfinite(next->price) ||
        mm_judge_score(s, rest, numbers, next->price) >= c->best.score ||
        !mm_sheet_evaluate(s, &next->basis[number], c->lead.column))
        return 0;
    for (size_t i = 0; i < s->rows; i++)
        c->lead.column[i] *= s->root[i];
    /* Left-out residuals are at least as large as the residuals of the fit. */
    left = mm_lead_rest(&c->lead, &slope);
    if (!isfinite(left) || mm_judge_score(s, left, numbers, next->price) >= c->best.score)
        return 0;
    if (mm_judge_fit(c->bench, next, &fit) < 0 || !(next->score < c->best.score - 1e-6))
        return 0;
    c->best = *next;
    return 1;
}

/* Try all formulas in which term `number` of `from` is replaced by a similar term. */
static int improve_term(struct climb *c, const struct mm_candidate *from, size_t number)
{
    static const int moves[][2] = {{-1, 0}, {1, 0},  {-2, 0}, {2, 0},  {0, 1},
                                   {0, -1}, {-1, 1}, {1, -1}, {-3, 0}, {3, 0}};
    const struct mm_sheet *s = c->bench->sheet;
    struct mm_candidate others = *from;
    int improved = 0;

    others.count--;
    memmove(&others.basis[number], &others.basis[number + 1],
            (others.count - number) * sizeof *others.basis);
    if (!mm_lead_set(&c->lead, &others))
        return 0;

    for (size_t f = 0; f < from->basis[number].factors; f++) {
        for (size_t m = 0; m < sizeof moves / sizeof *moves; m++) {
            struct mm_candidate next = *from;

            if (step_factor(&next.basis[number], f, moves[m][0], moves[m][1]) &&
                logs_defined(s, &next.basis[number]))
                improved |= try_next(c, &next, number);
        }
    }
    for (size_t k = 0; k < s->axes && from->basis[number].factors < MM_BASIS_FACTORS;
         k++) {
        static const double powers[] = {1, .5, -.5, -1};

        for (size_t p = 0; p < sizeof powers / sizeof *powers; p++) {
            struct mm_candidate next = *from;
            struct mm_basis *basis = &next.basis[number];
            size_t f = 0;

            while (f < basis->factors &&
                   basis->factor[f].parameter != s->axis[k].parameter)
                f++;
            if (f < basis->factors)
                break;
            basis->factor[basis->factors++] =
                (struct mm_factor){s->axis[k].parameter, powers[p], 0};
            if (logs_defined(s, basis))
                improved |= try_next(c, &next, number);
        }
    }
    return improved;
}

static void climb_from(struct climb *c, const struct mm_candidate *start,
                       struct mm_shortlist *list)
{
    int improved = start->places == 0;

    c->best = *start;
    for (int step = 0; step < STEPS && improved; step++) {
        struct mm_candidate from = c->best;

        improved = 0;
        for (size_t number = 0; number < from.count; number++)
            if (from.basis[number].kind == MM_BASIS_PRODUCT)
                improved |= improve_term(c, &from, number);
        mm_shortlist_add(list, &c->best);
    }
}

int mm_ladder_climb(struct mm_bench *bench, double max_power, struct mm_shortlist *list)
{
    struct climb c = {.bench = bench, .max_power = max_power};
    struct mm_candidate start[IMPROVED];
    size_t order[MM_SHORTLIST], count = list->count < IMPROVED ? list->count : IMPROVED;

    if (mm_lead_init(&c.lead, bench->sheet) < 0)
        return -ENOMEM;
    mm_shortlist_order(list, order);
    for (size_t i = 0; i < count; i++)
        start[i] = list->item[order[i]];
    for (size_t i = 0; i < count; i++)
        climb_from(&c, &start[i], list);
    mm_lead_done(&c.lead);
    return 0;
}
