/* SPDX-License-Identifier: BSD-3-Clause */
/* powers.c: fit exponents. */
#include "mastermind/cost/search/parts.h"

#include <math.h>
#include <string.h>

#include "mastermind/cost/search/ladder.h"
#include "mastermind/cost/search/price.h"

#define LEAST_POWER (-2.)
#define NEAR_USUAL .055
#define COLUMNS_POWER 3. /* largest exponent among the columns of pool.c */
#define NEAR_LOG .12
#define MOST_AXES 3
#define REACH .4 /* largest change of an exponent from the slope of the logarithms */
#define SECTIONS 60
/* step of an exponential's exponent, times the range of the parameter */
#define EXPONENT_DIGITS 1e-3
#define NEAR_WHOLE .02
#define DIGITS 1e3 /* exponents are rounded to 1 / DIGITS */

/* Price of a candidate's terms; INFINITY: a term is not allowed. */
static double terms_price(const struct mm_bench *bench, const struct mm_candidate *c,
                          double max_power)
{
    return mm_price_sum(bench->sheet, c->basis, c->count, max_power);
}

/* True near usual powers, of which the pool has columns, and near 0, where a power
 * resembles a logarithm. */
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
        *power = round(2 * *power) / 2; /* round the power to halves, because the pool
                                           has no such column */
    }
    if (mm_judge_fit(bench, c, &fit) == 0)
        mm_shortlist_add(list, c);
}

/* Weighted squares that remain after the fit of a 2^(p u) (+ c), or with `base` a
 * exp2(base) 2^(p u): a power of x where u is log2(x), an exponential where u is x. */
static double power_chi2(const struct mm_sheet *s, const double *u, const double *base,
                         int constant, double power)
{
    double ww = 0, wg = 0, gg = 0, wy = 0, gy = 0, yy = 0, middle = u[0];

    for (size_t i = 0; i < s->rows; i++) {
        double w = s->weight[i], y = s->y[i];
        double g = exp2(power * (u[i] - middle) + (base ? base[i] : 0));

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

/* The power between low and high with the least squares, by golden section search, to
 * `digits`. */
static double section_power(const struct mm_sheet *s, const double *u, const double *base,
                            int constant, double low, double high, double digits)
{
    static const double golden = .6180339887498949;
    double left = high - golden * (high - low), right = low + golden * (high - low);
    double at_left = power_chi2(s, u, base, constant, left);
    double at_right = power_chi2(s, u, base, constant, right);

    for (int i = 0; i < SECTIONS && high - low > 1 / digits; i++) {
        if (at_left <= at_right) {
            high = right;
            right = left;
            at_right = at_left;
            left = high - golden * (high - low);
            at_left = power_chi2(s, u, base, constant, left);
        } else {
            low = left;
            left = right;
            at_left = at_right;
            right = low + golden * (high - low);
            at_right = power_chi2(s, u, base, constant, right);
        }
    }
    return (low + high) / 2;
}

static double round_power(double power)
{
    return round(power * DIGITS) / DIGITS;
}

/* Fit a 2^(p x) (+ c): costs that double at regular steps of x. If the step is near a
 * whole number, use that number. */
static void fit_exponential(struct mm_bench *bench, const struct mm_axis *axis,
                            int constant, double max_power, struct mm_shortlist *list)
{
    static const double bits[] = {1.5, 2, 3, 4.5, 7, 10, 15, 22, 32, 48, 64};
    const struct mm_sheet *s = bench->sheet;
    struct mm_candidate c = {.count = 1, .places = 1};
    double best = INFINITY, range = axis->high - axis->low, rate;
    size_t at = 0, count = sizeof bits / sizeof *bits;
    struct mm_fit fit;

    for (size_t i = 0; i < count; i++) {
        double chi2 = power_chi2(s, axis->x, NULL, constant, bits[i] / range);

        if (chi2 < best) {
            best = chi2;
            at = i;
        }
    }
    if (!isfinite(best) || !at || at + 1 == count || !isfinite(range))
        return;
    rate = section_power(s, axis->x, NULL, constant, bits[at - 1] / range,
                         bits[at + 1] / range, range / EXPONENT_DIGITS);
    c.basis[0] = (struct mm_basis){.kind = MM_BASIS_EXPONENTIAL,
                                   .factor = {{axis->parameter, rate, 0}},
                                   .factors = 1};
    if (constant)
        c.basis[c.count++] = (struct mm_basis){.kind = MM_BASIS_ONE};
    c.price = terms_price(bench, &c, max_power);
    for (int whole = 0; whole < 2; whole++) {
        if (mm_judge_fit(bench, &c, &fit) == 0)
            mm_shortlist_add(list, &c);
        c.basis[0].factor[0].power = 1 / fmax(round(1 / rate), 1);
        c.places = 0;
        if (fabs(c.basis[0].factor[0].power / rate - 1) > NEAR_WHOLE)
            return;
    }
}

/* Fit a x^p (+ c), where x is the parameter of one axis. */
static void fit_power(struct mm_bench *bench, const struct mm_axis *axis, int constant,
                      double max_power, struct mm_shortlist *list)
{
    struct mm_candidate c = {.count = 1, .places = 1};
    double scan[] = {-2, -1.25, -.6, -.1, .1, .6, 1.25, 2, 2.6, 3, 4, 5, 6, 8, 10},
           best = INFINITY;
    size_t at = 0, count = sizeof scan / sizeof *scan;

    for (size_t i = 0; i < count && scan[i] <= max_power; i++) {
        double chi2 = power_chi2(bench->sheet, axis->log, NULL, constant, scan[i]);

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
    c.basis[0].factor[0].power = round_power(
        section_power(bench->sheet, axis->log, NULL, constant, scan[at ? at - 1 : 0],
                      fmin(max_power, scan[at + 1 < count ? at + 1 : at]), DIGITS / 2));
    offer_powers(bench, &c, max_power, list);
}

/* Slopes of the logarithm of the cost over the logarithms of some parameters, by weighted
 * least squares. */
static int log_slopes(struct mm_bench *bench, const size_t *axis, size_t axes,
                      double *slope)
{
    const struct mm_sheet *s = bench->sheet;
    const double *column[MOST_AXES + 1];
    double *y = bench->fitted, *ones = bench->loo, *weight = bench->column[0];
    struct mm_fit fit;

    bench->holds[0] = 0;
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

/* Move exponent `f` of a product to its best value within REACH, with the other exponents
 * fixed. */
static void move_power(struct mm_bench *bench, struct mm_candidate *c, size_t f,
                       double max_power)
{
    const struct mm_sheet *s = bench->sheet;
    struct mm_factor *factor = c->basis[0].factor;
    double *base = bench->fitted, power = factor[f].power;

    for (size_t i = 0; i < s->rows; i++)
        base[i] = 0;
    for (size_t k = 0; k < c->basis[0].factors; k++) {
        const double *log = mm_sheet_axis(s, factor[k].parameter)->log;

        for (size_t i = 0; k != f && i < s->rows; i++)
            base[i] += factor[k].power * (log[i] - log[0]);
    }
    factor[f].power = round_power(section_power(
        s, mm_sheet_axis(s, factor[f].parameter)->log, base, c->count > 1,
        fmax(power - REACH, LEAST_POWER), fmin(power + REACH, max_power), 2 * DIGITS));
}

/* Fit a x^p y^q (+ c), starting from the slopes of the logarithms; also try the fractions
 * nearest to p and q. */
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
        for (size_t k = 0; k < axes; k++)
            move_power(bench, &c, k, max_power);
        c.places = axes;
        offer_powers(bench, &c, max_power, list);
        c.places = 0;
        for (size_t k = 0; k < axes; k++)
            c.basis[0].factor[k].power = mm_ladder_nearest(c.basis[0].factor[k].power);
        offer_powers(bench, &c, max_power, list);
    }
}

void mm_powers_search(struct mm_bench *bench, double max_power, struct mm_shortlist *list)
{
    const struct mm_sheet *s = bench->sheet;
    size_t axis[MOST_AXES];

    for (size_t a = 0; a < s->axes; a++) {
        for (int constant = 0; constant < 2 && s->axis[a].distinct > 4; constant++)
            if (!mm_judge_hopeless(s, list, 2 + (size_t)constant, 0))
                fit_exponential(bench, &s->axis[a], constant, max_power, list);
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
