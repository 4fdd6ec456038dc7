/* SPDX-License-Identifier: BSD-3-Clause */
/* powers.c: free exponents and neighbours of formulas. */
#include "mastermind/analysis/models/search/powers.h"

#include <math.h>
#include <string.h>

#include "mastermind/analysis/models/search/price.h"

#define LEAST_POWER (-2.)
#define NEAR_USUAL .055
#define COLUMNS_POWER 3. /* the largest that pool.c has columns of */
#define NEAR_LOG .12
#define MOST_AXES 3
#define SECTIONS 24
#define ROUNDS 3   /* over the axes */
#define STEPS 4    /* of improving one candidate */
#define IMPROVED 3 /* candidates that are improved */
#define DIGITS 1e3 /* exponents are given to so many parts of 1 */

static const double ladder[] = {-2,   -1.5,   -1,     -.75,   -2. / 3, -.5,    -1. / 3,
                                -.25, 0,      .25,    1. / 3, .5,      2. / 3, .75,
                                1,    1.25,   4. / 3, 1.5,    5. / 3,  1.75,   2,
                                2.25, 7. / 3, 2.5,    8. / 3, 2.75,    3};
#define LADDER (sizeof ladder / sizeof *ladder)

/* Fit with factor `f` of the first term at exponent `power`; chi2, INFINITY where that is
 * no cost. */
static double chi2_at(struct mm_bench *bench, struct mm_candidate *c, size_t f,
                      double power)
{
    struct mm_fit fit;

    c->basis[0].factor[f].power = power;
    if (mm_judge_fit(bench, c, &fit) < 0 || !(fit.coefficient[0] > 0))
        return INFINITY;
    return fit.chi2;
}

/* Minimise over the exponent of factor `f` between low and high. */
static double best_power(struct mm_bench *bench, struct mm_candidate *c, size_t f,
                         double low, double high)
{
    static const double golden = .6180339887498949;
    double left = high - golden * (high - low), right = low + golden * (high - low);
    double at_left = chi2_at(bench, c, f, left), at_right = chi2_at(bench, c, f, right);

    for (int i = 0; i < SECTIONS && high - low > .5 / DIGITS; i++) {
        if (at_left <= at_right) {
            high = right;
            right = left;
            at_right = at_left;
            left = high - golden * (high - low);
            at_left = chi2_at(bench, c, f, left);
        } else {
            low = left;
            left = right;
            at_left = at_right;
            right = low + golden * (high - low);
            at_right = chi2_at(bench, c, f, right);
        }
    }
    return round((low + high) / 2 * DIGITS) / DIGITS;
}

/* Price of a candidate's terms; INFINITY: not allowed. */
static double terms_price(const struct mm_bench *bench, const struct mm_candidate *c,
                          double max_power)
{
    return mm_price_sum(bench->sheet, c->basis, c->count, max_power);
}

/* True near the usual powers, which then are what is meant, and near 0, where a power is
 * a logarithm. */
static int is_usual(double power)
{
    return fabs(power) < NEAR_LOG || fabs(2 * power - round(2 * power)) < 2 * NEAR_USUAL;
}

static void offer_powers(struct mm_bench *bench, struct mm_candidate *c, double max_power,
                         struct mm_shortlist *list)
{
    struct mm_fit fit;

    c->price = terms_price(bench, c, max_power);
    if (!isfinite(c->price))
        return;
    for (size_t k = 0; k < c->basis[0].factors && c->places; k++) {
        double *power = &c->basis[0].factor[k].power;

        if (!is_usual(*power))
            continue;
        if (*power <= COLUMNS_POWER + NEAR_USUAL)
            return;
        *power = round(2 * *power) / 2; /* no column has it */
    }
    if (mm_judge_fit(bench, c, &fit) == 0)
        mm_shortlist_add(list, c);
}

/* Weighted squares that a x^p (+ c) leaves. */
static double power_chi2(const struct mm_sheet *s, const struct mm_axis *axis,
                         int constant, double power)
{
    double ww = 0, wg = 0, gg = 0, wy = 0, gy = 0, yy = 0, middle = axis->log[0];

    for (size_t i = 0; i < s->rows; i++) {
        double w = s->weight[i], g = exp2(power * (axis->log[i] - middle)), y = s->y[i];

        ww += w;
        wg += w * g;
        gg += w * g * g;
        wy += w * y;
        gy += w * g * y;
        yy += w * y * y;
    }
    if (constant) {
        gg -= wg * wg / ww;
        gy -= wg * wy / ww;
        yy -= wy * wy / ww;
    }
    return gg > 0 && gy > 0 ? yy - gy * gy / gg : INFINITY;
}

/* The power between low and high that leaves least, by golden sections. */
static double section_power(const struct mm_sheet *s, const struct mm_axis *axis,
                            int constant, double low, double high)
{
    static const double golden = .6180339887498949;
    double left = high - golden * (high - low), right = low + golden * (high - low);
    double at_left = power_chi2(s, axis, constant, left);
    double at_right = power_chi2(s, axis, constant, right);

    while (high - low > 2 / DIGITS) {
        if (at_left <= at_right) {
            high = right;
            right = left;
            at_right = at_left;
            left = high - golden * (high - low);
            at_left = power_chi2(s, axis, constant, left);
        } else {
            low = left;
            left = right;
            at_left = at_right;
            right = low + golden * (high - low);
            at_right = power_chi2(s, axis, constant, right);
        }
    }
    return round((low + high) / 2 * DIGITS) / DIGITS;
}

/* a x^p (+ c): one axis. */
static void fit_power(struct mm_bench *bench, const struct mm_axis *axis, int constant,
                      double max_power, struct mm_shortlist *list)
{
    struct mm_candidate c = {.count = 1, .places = 1};
    double scan[] = {-2, -1.25, -.6, -.1, .1, .6, 1.25, 2, 2.6, 3, 4, 5, 6, 8, 10},
           best = INFINITY;
    size_t at = 0, count = sizeof scan / sizeof *scan;

    for (size_t i = 0; i < count && scan[i] <= max_power; i++) {
        double chi2 = power_chi2(bench->sheet, axis, constant, scan[i]);

        if (chi2 < best) {
            best = chi2;
            at = i;
        }
    }
    if (!isfinite(best))
        return;
    c.basis[0] = (struct mm_basis){
        .kind = MM_BASIS_PRODUCT, .factor = {{axis->parameter, 1, 0}}, .factors = 1};
    if (constant)
        c.basis[c.count++] = (struct mm_basis){.kind = MM_BASIS_ONE};
    c.basis[0].factor[0].power =
        section_power(bench->sheet, axis, constant, scan[at ? at - 1 : 0],
                      fmin(max_power, scan[at + 1 < count ? at + 1 : at]));
    offer_powers(bench, &c, max_power, list);
}

/* Slopes of log cost over the logs of some axes, by weighted least squares. */
static int log_slopes(struct mm_bench *bench, const size_t *axis, size_t axes,
                      double *slope)
{
    const struct mm_sheet *s = bench->sheet;
    const double *column[MOST_AXES + 1];
    double *y = bench->fitted, *ones = bench->loo, *weight = bench->column[0];
    struct mm_fit fit;

    for (size_t i = 0; i < s->rows; i++) {
        if (!(s->y[i] > 0))
            return 0;
        y[i] = log2(s->y[i]);
        ones[i] = 1;
        weight[i] = s->weight[i] * s->y[i] * s->y[i];
    }
    for (size_t k = 0; k < axes; k++)
        column[k] = s->axis[axis[k]].log;
    column[axes] = ones;
    if (mm_fit_plain(s->rows, axes + 1, column, y, weight, bench->work, &fit) < 0)
        return 0;
    memcpy(slope, fit.coefficient, axes * sizeof *slope);
    return 1;
}

static double nearest_step(double power)
{
    double best = ladder[0];

    for (size_t i = 1; i < LADDER; i++)
        if (fabs(ladder[i] - power) < fabs(best - power))
            best = ladder[i];
    return best;
}

/* a x^p y^q (+ c): from the slopes of logarithms; their nearest fractions, too. */
static void fit_product(struct mm_bench *bench, const size_t *axis, size_t axes,
                        double max_power, struct mm_shortlist *list)
{
    double slope[MOST_AXES];
    struct mm_candidate start = {.count = 1}, c;

    if (bench->sheet->rows < 2 * axes + 3 || !log_slopes(bench, axis, axes, slope))
        return;
    start.basis[0] = (struct mm_basis){.kind = MM_BASIS_PRODUCT, .factors = axes};
    for (size_t k = 0; k < axes; k++)
        start.basis[0].factor[k] =
            (struct mm_factor){bench->sheet->axis[axis[k]].parameter,
                               fmin(fmax(slope[k], LEAST_POWER), max_power), 0};
    for (int constant = 0; constant < 2; constant++) {
        c = start;
        if (constant)
            c.basis[c.count++] = (struct mm_basis){.kind = MM_BASIS_ONE};
        for (int round = 0; round < ROUNDS; round++) {
            for (size_t k = 0; k < axes; k++) {
                double p = c.basis[0].factor[k].power, reach = .4 / (1 << round);

                c.basis[0].factor[k].power =
                    best_power(bench, &c, k, fmax(p - reach, LEAST_POWER),
                               fmin(p + reach, max_power));
            }
        }
        c.places = axes;
        offer_powers(bench, &c, max_power, list);
        c.places = 0;
        for (size_t k = 0; k < axes; k++)
            c.basis[0].factor[k].power = nearest_step(c.basis[0].factor[k].power);
        offer_powers(bench, &c, max_power, list);
    }
}

void mm_powers_search(struct mm_bench *bench, double max_power, struct mm_shortlist *list)
{
    const struct mm_sheet *s = bench->sheet;
    size_t axis[MOST_AXES];

    for (size_t a = 0; a < s->axes; a++) {
        if (!s->axis[a].log || !s->axis[a].wide || s->axis[a].distinct < 5 || s->rows < 6)
            continue;
        for (int constant = 0; constant < 2; constant++)
            if (!mm_judge_hopeless(s, list, 2 + (size_t)constant, 0))
                fit_power(bench, &s->axis[a], constant, max_power, list);
        axis[0] = a;
        for (size_t b = a + 1; b < s->axes && b < a + 8; b++) {
            if (!s->axis[b].log || !s->axis[b].wide || s->axis[b].distinct < 3 ||
                mm_judge_hopeless(s, list, 3, 0) || s->axis[b].group == s->axis[a].group)
                continue;
            axis[1] = b;
            fit_product(bench, axis, 2, max_power, list);
        }
    }
}

/* Move factor `f` of a term along the ladder; logs by -1 to 1. False: there is no such
 * step. A factor without power and logs goes. */
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

/* Keep `next` if it is better than `best`. */
static int try_next(struct mm_bench *bench, struct mm_candidate *next, double max_power,
                    struct mm_candidate *best)
{
    struct mm_fit fit;

    next->price = terms_price(bench, next, max_power);
    if (!isfinite(next->price) || mm_judge_fit(bench, next, &fit) < 0 ||
        !(next->score < best->score - 1e-6))
        return 0;
    *best = *next;
    return 1;
}

/* Try all neighbours of term `number` of `from`. */
static int improve_term(struct mm_bench *bench, const struct mm_candidate *from,
                        size_t number, double max_power, struct mm_candidate *best)
{
    static const int moves[][2] = {{-1, 0}, {1, 0},  {-2, 0}, {2, 0},  {0, 1},
                                   {0, -1}, {-1, 1}, {1, -1}, {-3, 0}, {3, 0}};
    const struct mm_sheet *s = bench->sheet;
    int improved = 0;

    for (size_t f = 0; f < from->basis[number].factors; f++) {
        for (size_t m = 0; m < sizeof moves / sizeof *moves; m++) {
            struct mm_candidate next = *from;

            if (step_factor(&next.basis[number], f, moves[m][0], moves[m][1]) &&
                logs_defined(s, &next.basis[number]))
                improved |= try_next(bench, &next, max_power, best);
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
                improved |= try_next(bench, &next, max_power, best);
        }
    }
    return improved;
}

void mm_powers_refine(struct mm_bench *bench, double max_power, struct mm_shortlist *list)
{
    struct mm_candidate start[IMPROVED];
    size_t order[MM_SHORTLIST], count = list->count < IMPROVED ? list->count : IMPROVED;

    mm_shortlist_order(list, order);
    for (size_t i = 0; i < count; i++)
        start[i] = list->item[order[i]];
    for (size_t i = 0; i < count; i++) {
        struct mm_candidate best = start[i];
        int improved = best.places == 0;

        for (int step = 0; step < STEPS && improved; step++) {
            struct mm_candidate from = best;

            improved = 0;
            for (size_t number = 0; number < from.count; number++)
                if (from.basis[number].kind == MM_BASIS_PRODUCT)
                    improved |= improve_term(bench, &from, number, max_power, &best);
            mm_shortlist_add(list, &best);
        }
    }
}
