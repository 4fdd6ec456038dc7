/* SPDX-License-Identifier: BSD-3-Clause */
/* trend.c: products and sums are judged by runs that they were fitted without: each one,
 * and the larger ones after the smaller ones. */
#include "mastermind/analysis/laws/trend.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/analysis/models/forms/fit.h"

#define VARIABLES 12  /* of which products are tried */
#define PRODUCTS 16   /* judged by larger runs after smaller ones, too */
#define SUMS 12       /* sets of terms tried of each number of terms */
#define PRICE_FREE 2  /* of a power that is fitted */
#define PRICE_FIXED 1 /* of a power of 1 */
#define PRICE_BIT .7  /* of a bit of a sum's description */
#define LESS_LIKELY 8 /* score by which the worst member may be behind the best */
#define ROUNDING .29  /* sd of rounding to a whole number */
#define NORMAL 1.645  /* 90 % */

/* The runs as the columns of a regression. */
struct sheet {
    double *values; /* all of the below */
    double *column[MM_LAW_TERMS], *target, *weight, *work;
    double *variables; /* [runs][MM_LAW_VARIABLES] */
    size_t runs;
    double floor; /* least variance: that of rounding */
};

static int sheet_init(struct sheet *sheet, const struct mm_law_data *data)
{
    size_t n = data->runs;
    double *next = calloc(n * (2 * MM_LAW_TERMS + 4 + MM_LAW_VARIABLES), sizeof *next);
    int whole = 1;

    *sheet = (struct sheet){.values = next, .runs = n, .floor = 1e-20};
    if (!next)
        return -ENOMEM;
    for (size_t k = 0; k < MM_LAW_TERMS; k++, next += n)
        sheet->column[k] = next;
    sheet->target = next;
    sheet->weight = next += n;
    sheet->variables = next += n;
    sheet->work = next + n * MM_LAW_VARIABLES;
    for (size_t i = 0; i < n; i++) {
        mm_law_data_variables(data, data->x + i * data->axes,
                              sheet->variables + i * MM_LAW_VARIABLES);
        whole = whole && data->y[i] == floor(data->y[i]);
    }
    for (size_t i = 0; whole && i < n; i++) {
        double share = ROUNDING / fmax(fabs(data->y[i]), 1);

        sheet->floor += share * share / (double)n;
    }
    return 0;
}

static void member_row(const struct mm_law_member *member, const double *variables,
                       double *column, double *offset)
{
    *offset = 0;
    for (size_t k = 0; k < member->columns; k++) {
        if (member->is_sum)
            column[k] = mm_basis_value(&member->basis[k], variables);
        else
            column[k] = k ? log(variables[member->variable[k]]) : 1;
    }
    for (size_t k = 0; k < member->fixed_count; k++)
        *offset += log(variables[member->fixed[k]]);
}

static int sheet_set(struct sheet *sheet, const struct mm_law_member *member,
                     const struct mm_law_data *data, const double *weight)
{
    for (size_t i = 0; i < sheet->runs; i++) {
        double column[MM_LAW_TERMS], offset;

        member_row(member, sheet->variables + i * MM_LAW_VARIABLES, column, &offset);
        for (size_t k = 0; k < member->columns; k++) {
            sheet->column[k][i] = column[k];
            if (!isfinite(column[k]))
                return -EDOM;
        }
        sheet->target[i] = member->is_sum ? data->y[i] : log(data->y[i]) - offset;
        sheet->weight[i] = member->is_sum ? weight[i] : 1;
    }
    return 0;
}

static double row_leverage(const struct sheet *sheet, const struct mm_fit *fit,
                           size_t columns, size_t row)
{
    double sum = 0;

    for (size_t a = 0; a < columns; a++)
        for (size_t b = 0; b < columns; b++)
            sum += sheet->column[a][row] * fit->cov[a][b] * sheet->column[b][row];
    return sum * sheet->weight[row];
}

static double row_residual(const struct sheet *sheet, const struct mm_fit *fit,
                           size_t columns, size_t row)
{
    double left = sheet->target[row];

    for (size_t k = 0; k < columns; k++)
        left -= fit->coefficient[k] * sheet->column[k][row];
    return left * sqrt(sheet->weight[row]);
}

/* Mean square error of larger runs after a fit of the smaller ones, each relative to what
 * its leverage lets expect; NaN: too few runs. */
static double forward_error(const struct sheet *sheet, size_t columns)
{
    double sum = 0;
    size_t count = 0;

    for (size_t train = columns + 1; train < sheet->runs; train++) {
        const double *column[MM_LAW_TERMS];
        struct mm_fit fit;
        double error;

        for (size_t k = 0; k < columns; k++)
            column[k] = sheet->column[k];
        if (mm_fit_plain(train, columns, column, sheet->target, sheet->weight,
                         sheet->work, &fit) < 0)
            continue;
        error = row_residual(sheet, &fit, columns, train);
        sum += error * error / (1 + row_leverage(sheet, &fit, columns, train));
        count++;
    }
    return count ? sum / (double)count : NAN;
}

/* Fit a member and judge it. Beside its columns `chosen` powers were fitted by choosing
 * among many. */
static int member_fit(struct mm_law_member *member, struct sheet *sheet, size_t chosen,
                      double price, int is_judged_forward)
{
    const double *column[MM_LAW_TERMS];
    struct mm_fit fit;
    double squares = 0, press = 0, forward, n = (double)sheet->runs;

    if (member->columns + chosen >= sheet->runs)
        return -EDOM;
    for (size_t k = 0; k < member->columns; k++)
        column[k] = sheet->column[k];
    if (mm_fit_plain(sheet->runs, member->columns, column, sheet->target, sheet->weight,
                     sheet->work, &fit) < 0)
        return -EDOM;
    for (size_t i = 0; i < sheet->runs; i++) {
        double left = row_residual(sheet, &fit, member->columns, i);
        double rest = 1 - row_leverage(sheet, &fit, member->columns, i);

        squares += left * left;
        /* A run that decides a number alone tells nothing about errors. */
        press += rest > 1e-6 ? left * left / (rest * rest) : 0;
    }
    forward = is_judged_forward ? forward_error(sheet, member->columns) : NAN;
    member->freedom = sheet->runs - member->columns - chosen;
    member->variance = squares / (double)member->freedom;
    if (!isnan(forward))
        member->variance = .5 * (member->variance + forward);
    member->variance += sheet->floor;
    press = press / n + (isnan(forward) ? member->variance : forward);
    member->score = n * log(.5 * press + sheet->floor) + price;
    memcpy(member->a, fit.coefficient, member->columns * sizeof *member->a);
    for (size_t k = 0; k < member->columns; k++)
        memcpy(member->cov[k], fit.cov[k], member->columns * sizeof **member->cov);
    return 0;
}

/* Keep the members with the lowest scores. */
static void keep_member(struct mm_law_member *kept, size_t *count, size_t most,
                        const struct mm_law_member *member)
{
    size_t at = *count;

    while (at > 0 && kept[at - 1].score > member->score)
        at--;
    if (at == most)
        return;
    if (*count == most)
        --*count;
    memmove(kept + at + 1, kept + at, (*count - at) * sizeof *kept);
    kept[at] = *member;
    ++*count;
}

/* Products, the best by the runs left out one by one. */
struct products {
    struct mm_law_member member[PRODUCTS];
    size_t count;
};

static double product_price(const struct mm_law_member *member)
{
    return PRICE_FREE * (double)(member->columns - 1) +
           PRICE_FIXED * (double)member->fixed_count;
}

static void offer_product(struct products *products, const struct mm_law_data *data,
                          struct sheet *sheet, struct mm_law_member member)
{
    if (sheet_set(sheet, &member, data, NULL) == 0 &&
        member_fit(&member, sheet, 0, product_price(&member), 0) == 0)
        keep_member(products->member, &products->count, PRODUCTS, &member);
}

/* Offer all products that go on with variables from `first` on. */
static void offer_products(struct products *products, const struct mm_law_data *data,
                           struct sheet *sheet, const struct mm_law_member *member,
                           size_t first)
{
    size_t most = data->factors < VARIABLES ? data->factors : VARIABLES;

    offer_product(products, data, sheet, *member);
    if (member->columns + member->fixed_count == MM_LAW_TERMS)
        return;
    for (size_t v = first; v < most; v++) {
        struct mm_law_member longer = *member;

        if (!data->variable[v].is_positive ||
            !mm_law_variable_is_smooth(&data->variable[v]))
            continue;
        longer.variable[longer.columns++] = v;
        offer_products(products, data, sheet, &longer, v + 1);
        if (!data->variable[v].is_driver)
            continue;
        longer = *member;
        longer.fixed[longer.fixed_count++] = v;
        offer_products(products, data, sheet, &longer, v + 1);
    }
}

int mm_law_trend_products(struct mm_law_trend *trend, const struct mm_law_data *data)
{
    struct mm_law_member member = {.columns = 1};
    struct products products = {.count = 0};
    struct sheet sheet;

    trend->is_positive = 1;
    for (size_t i = 0; i < data->runs; i++)
        trend->is_positive = trend->is_positive && data->y[i] > 0;
    if (!trend->is_positive)
        return 0;
    if (sheet_init(&sheet, data) < 0)
        return -ENOMEM;
    offer_products(&products, data, &sheet, &member, 0);
    for (size_t i = 0; i < products.count; i++) {
        struct mm_law_member *product = &products.member[i];

        if (sheet_set(&sheet, product, data, NULL) == 0 &&
            member_fit(product, &sheet, 0, product_price(product), 1) == 0)
            keep_member(trend->member, &trend->count, MM_LAW_MEMBERS, product);
    }
    free(sheet.values);
    return 0;
}

/* True where no coefficient of a sum of positive counts is negative; it would pass 0
 * somewhere. */
static int is_monotone(const struct mm_law_trend *trend,
                       const struct mm_law_member *member)
{
    for (size_t k = 0; trend->is_positive && k < member->columns; k++)
        if (member->a[k] < 0)
            return 0;
    return 1;
}

/* The powers of a term that were chosen to suit the runs: all but the power 1 of a
 * driver. */
static size_t chosen_powers(const struct mm_law_data *data, const struct mm_basis *basis)
{
    size_t chosen = 0;

    for (size_t f = 0; f < basis->factors; f++) {
        const struct mm_factor *factor = &basis->factor[f];
        const struct mm_law_variable *variable = &data->variable[factor->parameter];

        chosen += !data->is_driver[variable->axis] || factor->power != 1 || factor->logs;
    }
    return chosen;
}

int mm_law_trend_sums(struct mm_law_trend *trend, const struct mm_law_data *data,
                      const struct mm_law_gram *gram, const struct mm_law_subset *subset,
                      size_t count)
{
    struct sheet sheet;

    if (sheet_init(&sheet, data) < 0)
        return -ENOMEM;
    for (size_t i = 0, tried = 0; i < count && tried < SUMS; i++) {
        struct mm_law_member member = {.is_sum = 1, .columns = subset[i].count};
        size_t chosen = 0;

        for (size_t k = 0; k < member.columns; k++) {
            member.basis[k] = gram->term[subset[i].term[k]]->basis;
            chosen += chosen_powers(data, &member.basis[k]);
        }
        if (sheet_set(&sheet, &member, data, gram->weight) < 0 ||
            member_fit(&member, &sheet, chosen, PRICE_BIT * subset[i].bits, 1) < 0 ||
            !is_monotone(trend, &member))
            continue;
        keep_member(trend->member, &trend->count, MM_LAW_MEMBERS, &member);
        tried++;
    }
    free(sheet.values);
    return 0;
}

void mm_law_trend_end(struct mm_law_trend *trend)
{
    double sum = 0;
    size_t count = 0;

    for (; count < trend->count; count++) {
        double behind = trend->member[count].score - trend->member[0].score;

        if (behind > LESS_LIKELY)
            break;
        trend->member[count].weight = exp(-behind / 4);
        sum += trend->member[count].weight;
    }
    trend->count = count;
    for (size_t i = 0; i < count; i++)
        trend->member[i].weight /= sum;
}

/* The 95 % quantile of Student's t. */
static double student(size_t freedom)
{
    static const double quantile[] = {6.314, 2.920, 2.353, 2.132, 2.015,
                                      1.943, 1.895, 1.860, 1.833, 1.812};
    double nu = (double)freedom;

    return freedom <= 10 ? quantile[freedom - 1] : NORMAL + 1.53 / nu + 1.4 / (nu * nu);
}

/* Value of a member and its half-width, both as logarithms for positive counts. */
static int member_value(const struct mm_law_trend *trend,
                        const struct mm_law_member *member, const double *variables,
                        double *value, double *half)
{
    double column[MM_LAW_TERMS], offset, leverage = 0, sum = 0;

    member_row(member, variables, column, &offset);
    for (size_t a = 0; a < member->columns; a++) {
        sum += member->a[a] * column[a];
        for (size_t b = 0; b < member->columns; b++)
            leverage += column[a] * member->cov[a][b] * column[b];
    }
    sum += offset;
    if (!isfinite(sum) || (member->is_sum && trend->is_positive && sum <= 0))
        return -ERANGE;
    *half =
        student(member->freedom) *
        sqrt(member->variance * (member->is_sum ? sum * sum + leverage : 1 + leverage));
    if (member->is_sum && trend->is_positive) {
        *half /= sum;
        sum = log(sum);
    }
    *value = sum;
    return 0;
}

int mm_law_trend_value(const struct mm_law_trend *trend, const double *variables,
                       struct mm_law_number *number)
{
    double weights = 0, mean = 0, square = 0, half[MM_LAW_MEMBERS], value[MM_LAW_MEMBERS];
    int valid[MM_LAW_MEMBERS];

    for (size_t i = 0; i < trend->count; i++) {
        const struct mm_law_member *member = &trend->member[i];

        valid[i] = member_value(trend, member, variables, &value[i], &half[i]) == 0;
        if (!valid[i])
            continue;
        weights += member->weight;
        mean += member->weight * value[i];
    }
    if (!(weights > 0))
        return -ERANGE;
    mean /= weights;
    for (size_t i = 0; i < trend->count; i++) {
        double apart = valid[i] ? value[i] - mean : 0;

        if (valid[i])
            square += trend->member[i].weight / weights *
                      (half[i] * half[i] + NORMAL * NORMAL * apart * apart);
    }
    *number = (struct mm_law_number){mean, mean - sqrt(square), mean + sqrt(square)};
    if (trend->is_positive)
        *number = (struct mm_law_number){exp(mean), exp(number->low), exp(number->high)};
    return 0;
}
