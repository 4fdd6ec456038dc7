/* SPDX-License-Identifier: BSD-3-Clause */
/* doubts.c: sources of uncertainty: structure of sizes, few sizes, categories, hidden
 * terms. */
#include "mastermind/cost/doubts.h"

#include <math.h>

#define LEAST_STEP 8
#define LEAST_SIZES 4 /* least number of sizes that show a structure */
#define MOST_LEVELS 16
/* least deviation of the costs at one value of a category from the form, as a
 * logarithm */
#define LEVEL .4
#define TURN .22 /* least rise or fall of a parameter's effect, as a logarithm */
/* a steeper term with a smaller share of the standard error is invisible in the data */
#define HIDDEN .5
/* relative error at a size that is no multiple of 8, or no power of 2, where all measured
 * sizes are */
#define OTHER_STEP .02
#define WHOLE 9007199254740992. /* 2^53: doubles represent all integers below it */
#define HALF 1.6                /* least half-width of an interval, in standard errors */

/* Write the distinct values of `x` in ascending order. Returns their number, or `most` +
 * 1 if there are more than `most`. */
static size_t find_levels(const double *x, size_t count, size_t most, double *level)
{
    size_t found = 0;

    for (size_t i = 0; i < count; i++) {
        size_t at = 0;

        while (at < found && level[at] < x[i])
            at++;
        if (at < found && level[at] == x[i])
            continue;
        if (found == most)
            return most + 1;
        for (size_t k = found++; k > at; k--)
            level[k] = level[k - 1];
        level[at] = x[i];
    }
    return found;
}

/* log(a / b), or 0 where it does not exist. */
static double log_ratio(double a, double b)
{
    return a > 0 && b > 0 ? log(a / b) : 0;
}

static int is_power_of_2(double x)
{
    int exponent;

    return frexp(x, &exponent) == .5;
}

/* The largest power of 2 that divides all values of a parameter; 1: all are powers of 2;
 * 0: neither. */
static double find_step(const double *x, size_t count)
{
    double level[LEAST_SIZES], step = WHOLE;
    int powers = 1;

    if (find_levels(x, count, LEAST_SIZES - 1, level) < LEAST_SIZES)
        return 0;
    for (size_t i = 0; i < count; i++) {
        if (!(x[i] >= 1 && x[i] < WHOLE))
            return 0;
        while (step > 1 && fmod(x[i], step) != 0)
            step /= 2;
        powers = powers && is_power_of_2(x[i]);
    }
    return powers ? 1 : step >= LEAST_STEP ? step : 0;
}

int mm_doubts_other_step(const struct mm_doubts *doubts, size_t k, double x)
{
    double step = doubts->step[k];

    return step > 1 ? fmod(x, step) != 0 : step > 0 && !is_power_of_2(x);
}

/* For each level of parameter `k`, the mean logarithm of the costs over the form with the
 * parameter at its lowest level (`effect`), and over the form itself (`rest`). */
static void level_effects(const struct mm_sample_table *t, const struct mm_form *form,
                          const double *fitted, size_t k, const double *level,
                          size_t levels, double *effect, double *rest)
{
    for (size_t l = 0; l < levels; l++) {
        double rows = 0;

        effect[l] = rest[l] = 0;
        for (size_t i = 0; i < t->count; i++) {
            double x[MONITOR_MAX_IN], base;

            if (t->x[k][i] != level[l])
                continue;
            mm_sample_table_tuple(t, i, x);
            x[k] = level[0] > 0 ? level[0] : level[levels - 1];
            base = mm_form_value(form, x);
            effect[l] += log_ratio(t->typ[i], base > 0 ? base : fitted[i]);
            rest[l] += log_ratio(t->typ[i], fitted[i]);
            rows++;
        }
        effect[l] /= rows;
        rest[l] /= rows;
    }
}

/* True where the levels explain most of the deviations from the form: less than 30 % of
 * the squared logarithms remain about the means of the levels. */
static int levels_explain(const struct mm_sample_table *t, const double *fitted, size_t k,
                          const double *level, size_t levels, const double *rest)
{
    double all = 0, within = 0;

    for (size_t i = 0; i < t->count; i++) {
        double own = log_ratio(t->typ[i], fitted[i]);
        size_t l = 0;

        while (l + 1 < levels && level[l] != t->x[k][i])
            l++;
        all += own * own;
        within += (own - rest[l]) * (own - rest[l]);
    }
    return within < .3 * all;
}

/* True where the effects of a parameter's values on the cost both rise and fall, so that
 * the values have no order. */
static int has_turn(const double *effect, size_t levels)
{
    int rises = 0, falls = 0;

    for (size_t l = 1; l < levels; l++) {
        rises |= effect[l] > effect[l - 1] + TURN;
        falls |= effect[l] < effect[l - 1] - TURN;
    }
    return rises && falls;
}

/* Find a parameter that is a number for a category: the form does not follow the costs at
 * its values, which both rise and fall. */
static void find_category(struct mm_doubts *d, const struct mm_sample_table *t,
                          const struct mm_form *form, const double *fitted)
{
    for (size_t k = 0; k < t->method->in_count && !d->category; k++) {
        double level[MOST_LEVELS], effect[MOST_LEVELS], rest[MOST_LEVELS], most = 0;
        size_t levels;

        if (!t->x[k])
            continue;
        levels = find_levels(t->x[k], t->count, MOST_LEVELS, level);
        if (levels < 3 || 2 * levels > t->count || levels > MOST_LEVELS)
            continue;
        level_effects(t, form, fitted, k, level, levels, effect, rest);
        for (size_t l = 0; l < levels; l++)
            most = fmax(most, fabs(rest[l]));
        if (!(most > LEVEL) || !has_turn(effect, levels) ||
            !levels_explain(t, fitted, k, level, levels, rest))
            continue;
        d->category = k + 1;
        d->level_error = expm1(fmin(most, 50)) / HALF;
    }
}

/* True where a jump of the form has only one size on one side. */
static int has_odd_end(const struct mm_sample_table *t, const struct mm_form *form)
{
    for (size_t i = 0; i < form->count; i++) {
        const struct mm_basis *basis = &form->basis[i];
        size_t below = 0, above = 0;

        if (basis->kind != MM_BASIS_JUMP)
            continue;
        for (size_t row = 0; row < t->count; row++) {
            below += t->x[basis->factor[0].parameter][row] <= basis->at;
            above += t->x[basis->factor[0].parameter][row] > basis->at;
        }
        if (below == 1 || above == 1)
            return 1;
    }
    return 0;
}

void mm_doubts_fit(struct mm_doubts *doubts, const struct mm_sample_table *t,
                   const struct mm_form *form, const double *fitted)
{
    struct mm_doubts *d = doubts;
    double level[MM_DOUBTS_FEW], value = mm_form_value(form, t->high);

    *d = (struct mm_doubts){0};
    for (size_t k = 0; k < t->method->in_count; k++) {
        size_t distinct;

        if (!t->x[k])
            continue;
        distinct = find_levels(t->x[k], t->count, MM_DOUBTS_FEW, level);
        d->few[k] = distinct > MM_DOUBTS_FEW ? 0 : distinct;
        d->step[k] = find_step(t->x[k], t->count);
    }
    if (value > 0)
        d->unseen = sqrt(mm_form_variance(form, t->high)) / value;
    if (!isfinite(d->unseen))
        d->unseen = 0;
    d->end = has_odd_end(t, form);
    d->coarse = t->tick > 0;
    find_category(d, t, form, fitted);
}

/* Relative error beyond the sizes where a parameter had few distinct values: with one
 * value the exponent is unknown within 2, with two within 1, with three within 1/2. */
static double few_error(size_t distinct, double far)
{
    return distinct ? (pow(far, pow(2, 2 - (double)distinct)) - 1) / HALF : 0;
}

double mm_doubts_variance(const struct mm_doubts *doubts, const double *x,
                          const double *far, size_t in_count)
{
    double variance = doubts->level_error * doubts->level_error, most = 1, other = 0;

    for (size_t k = 0; k < in_count; k++) {
        double few = few_error(doubts->few[k], far[k]);

        variance += few * few;
        if (mm_doubts_other_step(doubts, k, x[k]))
            other = OTHER_STEP * OTHER_STEP;
        most = fmax(most, far[k]);
    }
    most = HIDDEN * doubts->unseen * fmax(most - 8, 0);
    return variance + most * most + other;
}
