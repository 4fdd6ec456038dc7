/* SPDX-License-Identifier: BSD-3-Clause */
/* products.c: trends that are products: powers first, then the best of them with some
 * powers fixed or replaced by shapes. */
#include <errno.h>
#include <math.h>

#include "common/same.h"
#include "mastermind/counts/laws/sheet.h"
#include "mastermind/counts/laws/parts.h"

#define VARIABLES 10 /* largest number of variables considered for products */
#define COLUMNS 4    /* largest number of fitted numbers of a product */
/* number of products judged also by how they predict larger runs from smaller ones */
#define PRODUCTS 10
#define PRICE_FIXED 1 /* price of a factor with a power of 1 */
/* recency (mm_law_member) of products that give larger runs more weight */
#define RECENCY .5
#define BENT_SLOWLY 2.5 /* largest plausible power of a logarithm */
#define BENT 1.2        /* largest plausible a/v in exp(a/v) at the smallest run */

struct products {
    const struct mm_law_data *data;
    struct mm_law_sheet *sheet;
    size_t variable[VARIABLES], count;
    int may_be_free[VARIABLES]; /* true if the power of a variable is fitted; an exogenous
                                   count in step with parameters has power 1 */
    struct mm_law_member best[PRODUCTS], steep[PRODUCTS]; /* best products, and
                                                             best steep ones
                                                             (steep.c) */
    size_t kept, steep_kept;
};

/* Squared correlation of the logarithms of two variables. */
static double in_step(const struct mm_law_sheet *sheet, size_t a, size_t b)
{
    const double *x = mm_law_sheet_shape(sheet, a, MM_LAW_POWER);
    const double *y = mm_law_sheet_shape(sheet, b, MM_LAW_POWER);
    double mean[2] = {0}, squares[2] = {0}, product = 0;
    size_t runs = sheet->data->runs;

    for (size_t i = 0; i < runs; i++) {
        mean[0] += x[i] / (double)runs;
        mean[1] += y[i] / (double)runs;
    }
    for (size_t i = 0; i < runs; i++) {
        squares[0] += (x[i] - mean[0]) * (x[i] - mean[0]);
        squares[1] += (y[i] - mean[1]) * (y[i] - mean[1]);
        product += (x[i] - mean[0]) * (y[i] - mean[1]);
    }
    return product * product / (squares[0] * squares[1]);
}

/* Drop each parameter that varies in step with an earlier one: products need only one of
 * them. */
static void choose_variables(struct products *p)
{
    const struct mm_law_data *data = p->data;

    for (size_t v = 0; v < data->factors && p->count < VARIABLES; v++) {
        const struct mm_law_variable *variable = &data->variable[v];
        double most = 0;

        if (!variable->is_positive || !mm_law_variable_is_smooth(variable))
            continue;
        for (size_t k = 0; k < p->count; k++)
            if (!data->variable[p->variable[k]].is_driver)
                most = fmax(most, in_step(p->sheet, p->variable[k], v));
        if (most > 1 - CCA_SAME && !variable->is_driver)
            continue;
        p->may_be_free[p->count] = !variable->is_driver || most < MM_LAW_IN_STEP;
        p->variable[p->count++] = v;
    }
}

/* True if the product's powers are plausible for counts, and its shapes bend the curve
 * through the runs only slightly. */
static int is_plausible(const struct mm_law_member *member,
                        const struct mm_law_sheet *sheet)
{
    for (size_t k = 1; k < member->columns; k++) {
        const double *value = sheet->variable + member->variable[k] * sheet->data->runs;
        double least = value[0], a = fabs(member->a[k]);

        for (size_t i = 1; i < sheet->data->runs; i++)
            least = fmin(least, value[i]);
        if (a > (member->shape[k] == MM_LAW_POWER  ? MM_LAW_STEEP
                 : member->shape[k] == MM_LAW_SLOW ? BENT_SLOWLY
                                                   : BENT * least))
            return 0;
    }
    return 1;
}

static double product_price(const struct mm_law_member *member)
{
    return MM_LAW_PRICE_FREE * (double)(member->columns - 1) +
           PRICE_FIXED * (double)member->fixed_count;
}

/* Keep the product if it is among the best in leave-one-out validation. */
static void offer_product(struct products *p, struct mm_law_member member)
{
    struct mm_law_member *list;
    size_t *count;
    int is_steep;

    if (mm_law_sheet_product(p->sheet, &member) < 0 ||
        mm_law_sheet_fit(p->sheet, &member, 0, product_price(&member), 0) < 0 ||
        !is_plausible(&member, p->sheet))
        return;
    is_steep = mm_law_member_is_steep(p->data, &member);
    list = is_steep ? p->steep : p->best;
    count = is_steep ? &p->steep_kept : &p->kept;
    for (size_t i = 0; i < *count; i++)
        if (list[i].score == member.score) /* the same product was found in another
                                              order of its variables */
            return;
    mm_law_keep_member(list, count, PRODUCTS, &member);
}

/* Offer all products extended by powers of variables from `first` on. An exogenous count
 * in step with parameters has the power 1. */
static void offer_powers(struct products *p, const struct mm_law_member *member,
                         size_t first)
{
    offer_product(p, *member);
    for (size_t k = first; k < p->count; k++) {
        struct mm_law_member longer = *member;

        if (p->may_be_free[k] && member->columns < COLUMNS) {
            longer.variable[longer.columns] = p->variable[k];
            longer.shape[longer.columns++] = MM_LAW_POWER;
            offer_powers(p, &longer, k + 1);
        }
        longer = *member;
        if (p->data->variable[p->variable[k]].is_driver &&
            member->fixed_count < MM_LAW_FIXED) {
            longer.fixed[longer.fixed_count++] = p->variable[k];
            offer_powers(p, &longer, k + 1);
        }
    }
}

/* Offer a product with the fitted power of column `k` replaced by a fixed one, alone or
 * with a shape. */
static void offer_changes(struct products *p, const struct mm_law_member *member,
                          size_t k)
{
    size_t v = member->variable[k];

    for (size_t power = 1; power <= 2; power++) {
        struct mm_law_member changed = *member;

        if (member->fixed_count + power > MM_LAW_FIXED)
            return;
        for (size_t i = 0; i < power; i++)
            changed.fixed[changed.fixed_count++] = v;
        for (int s = MM_LAW_SLOW; s < MM_LAW_SHAPES; s++) {
            changed.shape[k] = (enum mm_law_shape)s;
            offer_product(p, changed);
        }
        changed.columns--;
        for (size_t i = k; i < changed.columns; i++) {
            changed.variable[i] = changed.variable[i + 1];
            changed.shape[i] = changed.shape[i + 1];
        }
        offer_product(p, changed);
    }
}

static void change_best(struct products *p)
{
    struct mm_law_member best[PRODUCTS];
    size_t kept = p->kept;

    for (size_t i = 0; i < kept; i++)
        best[i] = p->best[i];
    for (size_t i = 0; i < kept; i++)
        for (size_t k = 1; k < best[i].columns; k++)
            if (best[i].shape[k] == MM_LAW_POWER &&
                p->data->variable[best[i].variable[k]].kind == MM_LAW_AXIS)
                offer_changes(p, &best[i], k);
}

/* Judge products also by how they predict larger runs from smaller ones, fitted with
 * equal weights and with more weight on larger runs. */
static void judge_products(const struct products *p, const struct mm_law_member *list,
                           size_t count, struct mm_law_trend *trend)
{
    for (size_t i = 0; i < 2 * count; i++) {
        struct mm_law_member product = list[i / 2];

        product.recency = i % 2 ? RECENCY : 0;
        if (mm_law_sheet_product(p->sheet, &product) == 0 &&
            mm_law_sheet_fit(p->sheet, &product, 0, product_price(&product), 1) == 0)
            mm_law_trend_offer(trend, p->data, &product);
    }
}

/* Set the errors of a constant and of powers of one axis when larger runs are
 * predicted. */
static void judge_simple(const struct products *p, struct mm_law_trend *trend)
{
    trend->level_ahead = trend->power_ahead = INFINITY;
    for (size_t k = 0; k <= p->count; k++) {
        struct mm_law_member member = {.columns = k ? 2 : 1};

        if (k)
            member.variable[1] = p->variable[k - 1];
        if ((k && p->data->variable[member.variable[1]].kind != MM_LAW_AXIS) ||
            mm_law_sheet_product(p->sheet, &member) < 0 ||
            mm_law_sheet_fit(p->sheet, &member, 0, 0, 1) < 0)
            continue;
        if (!k)
            trend->level_ahead = member.ahead;
        else if (member.tests > 1)
            trend->power_ahead = fmin(trend->power_ahead, member.ahead);
    }
}

int mm_law_trend_products(struct mm_law_trend *trend, const struct mm_law_data *data)
{
    struct mm_law_sheet sheet;
    struct products p = {.data = data, .sheet = &sheet};
    const struct mm_law_member one = {.columns = 1};

    trend->is_positive = 1;
    for (size_t i = 0; i < data->runs; i++)
        trend->is_positive = trend->is_positive && data->y[i] > 0;
    if (!trend->is_positive)
        return 0;
    if (mm_law_sheet_init(&sheet, data) < 0)
        return -ENOMEM;
    choose_variables(&p);
    offer_powers(&p, &one, 0);
    change_best(&p);
    judge_products(&p, p.best, p.kept, trend);
    judge_products(&p, p.steep, p.steep_kept, trend);
    judge_simple(&p, trend);
    mm_law_sheet_done(&sheet);
    return 0;
}
