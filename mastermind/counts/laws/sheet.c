/* SPDX-License-Identifier: BSD-3-Clause */
/* sheet.c: fits of trends, and their validation errors. */
#include "mastermind/counts/laws/sheet.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/cost/cost.h"

/* largest number of run sizes from which larger runs are predicted, to validate a fit */
#define FORWARD 8
/* factor by which a form's variance is raised: the best of many forms looks better than
 * it is */
#define CHOSEN 2.6
#define PRIOR .02    /* scatter assumed before any run is seen */
#define ROUNDING .29 /* sd of rounding to a whole number */
/* largest mean square error of a fit that rounding to whole numbers explains, in units of
 * the variance of rounding */
#define AS_ROUNDED 3
#define KNOWN 10    /* degrees of freedom of a variance that is known */
#define MOST_OFF 3. /* largest logarithm of a prediction's error */
/* least 1 - leverage; below it, one run determines a coefficient alone */
#define DECIDED 1e-6

double mm_law_shape_value(enum mm_law_shape shape, double v)
{
    return shape == MM_LAW_POWER ? log(v) : shape == MM_LAW_SLOW ? log(log2(v)) : 1 / v;
}

const double *mm_law_sheet_shape(const struct mm_law_sheet *sheet, size_t variable,
                                 enum mm_law_shape shape)
{
    return sheet->shape + (variable * MM_LAW_SHAPES + shape) * sheet->data->runs;
}

static void set_shapes(struct mm_law_sheet *sheet)
{
    size_t runs = sheet->data->runs;

    for (size_t v = 0; v < sheet->data->factors; v++) {
        for (size_t i = 0; i < runs; i++) {
            double x = mm_law_variable_value(&sheet->data->variable[v],
                                             sheet->data->x + i * sheet->data->axes);

            sheet->variable[v * runs + i] = x;
            for (int s = 0; s < MM_LAW_SHAPES; s++)
                sheet->shape[(v * MM_LAW_SHAPES + (size_t)s) * runs + i] =
                    mm_law_shape_value((enum mm_law_shape)s, x);
        }
    }
}

static void set_counts(struct mm_law_sheet *sheet)
{
    const double *y = sheet->data->y;
    size_t runs = sheet->data->runs;
    int whole = 1;

    sheet->floor = 1e-20;
    for (size_t i = 0; i < runs; i++) {
        sheet->ones[i] = 1;
        sheet->logs[i] = log(y[i]);
        sheet->most = fmax(sheet->most, y[i]);
        whole = whole && y[i] == floor(y[i]);
    }
    for (size_t i = 0; whole && i < runs; i++) {
        double share = ROUNDING / fmax(fabs(y[i]), 1);

        sheet->floor += share * share / (double)runs;
    }
}

int mm_law_sheet_init(struct mm_law_sheet *sheet, const struct mm_law_data *data)
{
    size_t n = data->runs, columns = data->factors * (1 + MM_LAW_SHAPES);
    double *next = malloc((columns + 2 * MM_LAW_TERMS + 5) * n * sizeof *next);

    *sheet = (struct mm_law_sheet){.data = data, .values = next};
    if (!next)
        return -ENOMEM;
    sheet->variable = next;
    sheet->shape = next += data->factors * n;
    sheet->made = next += data->factors * MM_LAW_SHAPES * n;
    sheet->ones = next += MM_LAW_TERMS * n;
    sheet->logs = next += n;
    sheet->target = next += n;
    sheet->weight = next += n;
    sheet->work = next + n;
    set_shapes(sheet);
    set_counts(sheet);
    return 0;
}

void mm_law_sheet_done(struct mm_law_sheet *sheet)
{
    free(sheet->values);
}

int mm_law_sheet_product(struct mm_law_sheet *sheet, const struct mm_law_member *member)
{
    size_t runs = sheet->data->runs;

    sheet->column[0] = sheet->ones;
    for (size_t k = 1; k < member->columns; k++) {
        sheet->column[k] =
            mm_law_sheet_shape(sheet, member->variable[k], member->shape[k]);
        for (size_t i = 0; i < runs; i++)
            if (!isfinite(sheet->column[k][i]))
                return -EDOM;
    }
    memcpy(sheet->target, sheet->logs, runs * sizeof *sheet->target);
    for (size_t k = 0; k < member->fixed_count; k++) {
        const double *logs = mm_law_sheet_shape(sheet, member->fixed[k], MM_LAW_POWER);

        for (size_t i = 0; i < runs; i++)
            sheet->target[i] -= logs[i];
    }
    for (size_t i = 0; i < runs; i++)
        sheet->weight[i] = member->recency > 0
                               ? pow(sheet->data->y[i] / sheet->most, member->recency)
                               : 1;
    return 0;
}

void mm_law_sheet_sum(struct mm_law_sheet *sheet, const struct mm_law_member *member,
                      const struct mm_law_term *const *term, const double *weight)
{
    size_t size = sheet->data->runs * sizeof *sheet->target;

    for (size_t k = 0; k < member->columns; k++)
        sheet->column[k] = term[k]->value;
    memcpy(sheet->target, sheet->data->y, size);
    memcpy(sheet->weight, weight, size);
}

static double row_leverage(const struct mm_law_sheet *sheet, const struct mm_fit *fit,
                           size_t columns, size_t row)
{
    double sum = 0;

    for (size_t a = 0; a < columns; a++) {
        double part = fit->cov[a][a] * sheet->column[a][row];

        for (size_t b = 0; b < a; b++)
            part += 2 * fit->cov[a][b] * sheet->column[b][row];
        sum += part * sheet->column[a][row];
    }
    return sum * sheet->weight[row];
}

/* Squared residual of a run, times the run's weight. */
static double row_error(const struct mm_law_sheet *sheet, const struct mm_fit *fit,
                        size_t columns, size_t row)
{
    double left = sheet->target[row];

    for (size_t k = 0; k < columns; k++)
        left -= fit->coefficient[k] * sheet->column[k][row];
    return left * left * sheet->weight[row];
}

/* Mean square error at all larger runs of a fit to the smaller ones, each relative to the
 * error that its leverage implies; NaN: too few runs. */
static double forward_error(const struct mm_law_sheet *sheet, size_t columns)
{
    size_t runs = sheet->data->runs, first = columns + 1, count = 0;
    size_t step = runs > first ? (runs - first + FORWARD - 1) / FORWARD : 1;
    double sum = 0;

    for (size_t train = first; train < runs; train += step) {
        struct mm_fit fit;
        double errors = 0;

        if (mm_fit_plain(train, columns, sheet->column, sheet->target, sheet->weight,
                         sheet->work, &fit) < 0)
            continue;
        for (size_t i = train; i < runs; i++)
            errors += row_error(sheet, &fit, columns, i) /
                      (1 + row_leverage(sheet, &fit, columns, i));
        sum += errors / (double)(runs - train);
        count++;
    }
    return count ? sum / (double)count : NAN;
}

/* Logarithmic error of the fit at a run, at most MOST_OFF; MOST_OFF for a value below
 * 0. */
static double row_off(const struct mm_law_sheet *sheet, const struct mm_fit *fit,
                      const struct mm_law_member *member, size_t row)
{
    double value = 0, off;

    for (size_t k = 0; k < member->columns; k++)
        value += fit->coefficient[k] * sheet->column[k][row];
    off = member->is_sum ? log(value / sheet->target[row]) : value - sheet->target[row];
    return isnan(off) ? MOST_OFF : fmin(fabs(off), MOST_OFF);
}

/* Set the member's error at larger runs when it is fitted to the smaller ones, of which
 * there are at least as many as it has coefficients. */
static void look_ahead(const struct mm_law_sheet *sheet, struct mm_law_member *member)
{
    size_t runs = sheet->data->runs, first = member->columns;
    size_t step = runs > first ? (runs - first + FORWARD - 1) / FORWARD : 1;
    double sum = 0;

    member->tests = 0;
    for (size_t train = first; train < runs; train += step) {
        struct mm_fit fit;
        double squares = 0;

        if (mm_fit_plain(train, member->columns, sheet->column, sheet->target,
                         sheet->weight, sheet->work, &fit) < 0)
            continue;
        for (size_t i = train; i < runs; i++)
            squares += pow(row_off(sheet, &fit, member, i), 2);
        sum += squares / (double)(runs - train);
        member->tests++;
    }
    member->ahead = member->tests ? sqrt(sum / (double)member->tests) : INFINITY;
}

int mm_law_sheet_fit(struct mm_law_sheet *sheet, struct mm_law_member *member,
                     size_t chosen, double price, int is_judged_forward)
{
    size_t runs = sheet->data->runs, columns = member->columns;
    double squares = 0, press = 0, forward = NAN, prior, n = (double)runs;
    struct mm_fit fit;

    if (columns + chosen >= runs ||
        mm_fit_plain(runs, columns, sheet->column, sheet->target, sheet->weight,
                     sheet->work, &fit) < 0)
        return -EDOM;
    for (size_t i = 0; i < runs; i++) {
        double error = row_error(sheet, &fit, columns, i);
        double rest = 1 - row_leverage(sheet, &fit, columns, i);

        squares += error;
        press += rest > DECIDED ? error / (rest * rest) : 0;
    }
    if (is_judged_forward) {
        forward = forward_error(sheet, columns);
        look_ahead(sheet, member);
    }
    member->freedom = runs - columns - chosen;
    member->variance = squares / (double)member->freedom;
    if (!isnan(forward))
        member->variance = .5 * (member->variance + forward);
    /* A power or shape chosen to fit few runs is less certain than its fit looks. */
    prior = columns > 1 || member->is_sum ? PRIOR * PRIOR / n : 0;
    if (member->variance <= AS_ROUNDED * sheet->floor) {
        /* The residual is the rounding to whole numbers, whose size is known; so few runs
         * need no wide quantile of Student's t. */
        member->variance = CHOSEN * fmax(member->variance, sheet->floor) + prior;
        member->freedom = member->freedom < KNOWN ? KNOWN : member->freedom;
    } else {
        member->variance = CHOSEN * member->variance + sheet->floor + prior;
    }
    press = press / n + (isnan(forward) ? member->variance : forward) + prior;
    member->score = n * log(.5 * press + sheet->floor) + price;
    for (size_t i = 0; member->recency > 0 && i < runs; i++)
        member->score -= log(sheet->weight[i]);
    memcpy(member->a, fit.coefficient, columns * sizeof *member->a);
    for (size_t k = 0; k < columns; k++)
        memcpy(member->cov[k], fit.cov[k], columns * sizeof **member->cov);
    return 0;
}
