/* SPDX-License-Identifier: BSD-3-Clause */
/* laws.c: quantities of the runs become cost functions of the run's parameters, which are
 * globals. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "activity/trip/text.h"
#include "common/array.h"
#include "mastermind/counts/counts.h"

/* The axes that scaling functions use. */
struct used_axes {
    struct mm_law_axis items[MM_LAW_AXES];
    size_t at[MM_LAW_AXES]; /* indexes of the axes in trip->axes */
    size_t count, varying;
};

static void use_axes(const struct trip *trip, struct used_axes *used)
{
    const struct mm_axes *axes = &trip->axes;

    used->count = used->varying = 0;
    for (int divisors = 0; divisors < 2; divisors++) {
        for (size_t i = 0; i < axes->count && used->count < MM_LAW_AXES; i++) {
            const struct mm_axis *axis = &axes->items[i];

            if (!mm_axis_counts(axes, i) || !axis->is_number ||
                (divisors ? axis->varies || !axis->is_divisor : !axis->varies))
                continue;
            used->items[used->count] = (struct mm_law_axis){.name = axis->name};
            used->at[used->count++] = i;
            used->varying += !divisors;
        }
    }
}

/* Name of an axis in the text: the part after its last dot; the number of ranks is
 * nproc. */
static const char *name_of_axis(struct text *text, const struct mm_axis *axis)
{
    const char *dot = strrchr(axis->name, '.');

    return axis->kind == MM_AXIS_RANKS
               ? "nproc"
               : text_name(text, dot && dot[1] ? dot + 1 : axis->name);
}

void text_axes(struct text *text, FILE *out)
{
    struct used_axes used;

    if (!text->trip->by_laws)
        return;
    use_axes(text->trip, &used);
    text->axis_names = trip_take(text->trip, MM_LAW_AXES * sizeof *text->axis_names);
    for (size_t k = 0; k < used.count && text->axis_names; k++) {
        const struct mm_axis *axis = &text->trip->axes.items[used.at[k]];

        text->axis_names[k] = name_of_axis(text, axis);
        if (axis->kind == MM_AXIS_RANKS)
            continue;
        if (strcmp(text->axis_names[k], axis->name) != 0)
            fprintf(out, "// %s\n", axis->name);
        fprintf(out, "global double %s = %.12g\n", text->axis_names[k], axis->number[0]);
    }
    if (!text->axis_names)
        text->failed = -ENOMEM;
}

static int same_rates(const double *a, const double *b, size_t runs)
{
    for (size_t i = 0; i < runs; i++)
        if (isnan(a[i]) != isnan(b[i]) || fabs(a[i] - b[i]) > 1e-9 * fabs(a[i]))
            return 0;
    return 1;
}

/* --- Fits. --- */

/* Fit y = c x^p to one axis, p from 0 to 3. This form follows times and other noisy
 * numbers closely enough and is never below 0. *left is the runs' residual scatter. NULL:
 * it does not fit. */
static const char *power_of_axis(struct text *text, const struct used_axes *used,
                                 size_t k, const double *y, double *left)
{
    double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0, syy = 0, power;
    const struct mm_axis *axis = &text->trip->axes.items[used->at[k]];

    for (size_t run = 0; run < text->trip->runs; run++) {
        double x = axis->number[run];

        if (!isfinite(y[run]))
            continue;
        if (!(x > 0 && y[run] > 0))
            return NULL;
        n++;
        sx += log(x);
        sy += log(y[run]);
        sxx += log(x) * log(x);
        sxy += log(x) * log(y[run]);
        syy += log(y[run]) * log(y[run]);
    }
    if (n < 2 || n * sxx - sx * sx < 1e-9)
        return NULL;
    power = fmin(3, fmax(0, (n * sxy - sx * sy) / (n * sxx - sx * sx)));
    *left = syy - sy * sy / n - 2 * power * (sxy - sx * sy / n) +
            power * power * (sxx - sx * sx / n);
    if (power < .0005)
        return text_print(text, "%.6g", exp((sy - power * sx) / n));
    return text_print(text, "%.6g*pow(%s, %.3f)", exp((sy - power * sx) / n),
                      text->axis_names[k], power);
}

/* The power function of a single axis with the smallest residual. NULL: none fits. */
static const char *power_law(struct text *text, const struct used_axes *used,
                             const double *y)
{
    const char *best = NULL;
    double least = INFINITY, left;

    for (size_t k = 0; k < used->varying; k++) {
        const char *found = power_of_axis(text, used, k, y, &left);

        if (found && left < least * (1 - 1e-9)) {
            least = left;
            best = found;
        }
    }
    return best;
}

/* Fit a scaling function over the first `axes` of the axes `used`; `driver`, if it is not
 * NULL, is one more axis, the last. */
static struct mm_law *law_fit(struct text *text, const struct used_axes *used,
                              size_t axes, const double *driver, const double *y,
                              int is_rounded)
{
    struct mm_law_axis axis[MM_LAW_AXES];
    size_t runs = text->trip->runs, width = axes + (driver != NULL);
    struct mm_law_table table = {axis, width, runs, NULL, y, is_rounded};
    double *x = calloc(runs * width + 1, sizeof *x);
    struct cca_error err = {0};
    struct mm_law *law;

    if (!x) {
        text->failed = cca_no_memory(text->trip->err);
        return NULL;
    }
    memcpy(axis, used->items, axes * sizeof *axis);
    if (driver)
        axis[axes] = (struct mm_law_axis){"driver", 1};
    for (size_t run = 0; run < runs; run++) {
        for (size_t k = 0; k < axes; k++)
            x[run * width + k] = text->trip->axes.items[used->at[k]].number[run];
        if (driver)
            x[run * width + axes] = driver[run];
    }
    table.x = x;
    law = mm_law_find(&table, &err);
    free(x);
    return law;
}

/* Fit an exact scaling function, first over the axes that vary between runs; NULL: there
 * is none. */
static struct mm_law *law_fit_exact(struct text *text, const struct used_axes *used,
                                    const double *driver, const double *y, int is_rounded,
                                    size_t *axes)
{
    for (int with = 0; with < 2; with++) {
        struct mm_law *law;

        *axes = with ? used->count : used->varying;
        if (with && used->count == used->varying)
            return NULL;
        law = law_fit(text, used, *axes, driver, y, is_rounded);
        if (law && mm_law_kind(law) == MM_LAW_EXACT)
            return law;
        mm_law_free(law);
    }
    return NULL;
}

/* The constant factor between two quantities: c with a = c b in all runs; NaN: there is
 * none. */
static double factor_of(const double *a, const double *b, size_t runs)
{
    double c = NAN;

    for (size_t i = 0; i < runs; i++) {
        if (isnan(a[i]))
            continue;
        if (isnan(b[i]) || b[i] == 0 ||
            (!isnan(c) && fabs(a[i] - c * b[i]) > 1e-9 * fabs(a[i])))
            return NAN;
        c = isnan(c) ? a[i] / b[i] : c;
    }
    return c;
}

/* An exact form of a rate (sum by visits), made from the form of the sum: possible if the
 * number of visits is a constant times the exogenous count. */
static const char *law_of_sums(struct text *text, const struct used_axes *used,
                               const double *rate)
{
    size_t runs = text->trip->runs;
    const char *found = NULL;

    for (size_t i = 0; i < text->quantity_count && !found; i++) {
        const struct text_quantity *q = &text->quantities[i];
        double c;
        struct mm_law *law;
        size_t axes;

        if (!text->driver || !same_rates(q->rate, rate, runs))
            continue;
        c = factor_of(q->visits, text->driver, runs);
        law = isnan(c) ? NULL : law_fit_exact(text, used, text->driver, q->sum, 0, &axes);
        if (law)
            found = text_of_form(text, law, text->axis_names, axes, c);
        mm_law_free(law);
    }
    return found;
}

/* Find a closed form of a rate that holds in all runs; NULL: none was found. */
static const char *find_closed(struct text *text, const double *rate,
                               enum text_rate_kind kind)
{
    struct simple_axis simple[MM_LAW_AXES];
    struct used_axes used;
    struct mm_law *law;
    const char *found;
    size_t axes;

    use_axes(text->trip, &used);
    if (!used.count || !text->axis_names)
        return NULL;
    for (size_t k = 0; k < used.count; k++)
        simple[k] = (struct simple_axis){text->axis_names[k],
                                         text->trip->axes.items[used.at[k]].number};
    found = text_of_simple(text, simple, used.count, rate,
                           !text->driver ||
                               !same_rates(rate, text->driver, text->trip->runs));
    if (found)
        return found;
    law = law_fit_exact(text, &used, NULL, rate, kind == TEXT_TURNS, &axes);
    if (law)
        found = text_of_form(text, law, text->axis_names, MM_LAW_NO_AXIS, 1);
    mm_law_free(law);
    return found ? found : law_of_sums(text, &used, rate);
}

/* Fit a trend (a function with scatter of the runs about it) over the axes `used`; NULL:
 * no function is good enough. */
static const char *trend_over(struct text *text, const struct used_axes *used,
                              const double *y, enum text_rate_kind kind)
{
    struct mm_law *law;
    const char *found = NULL;

    if (kind != TEXT_TIME) {
        law = law_fit(text, used, used->varying, NULL, y, 1);
        if (law)
            found = text_of_form(text, law, text->axis_names, MM_LAW_NO_AXIS, 1);
        mm_law_free(law);
    }
    return found ? found : power_law(text, used, y);
}

/* --- Numbers of ranks. --- */

/* The index of the number of ranks among the varying axes, or used->varying. */
static size_t find_ranks(const struct text *text, const struct used_axes *used)
{
    size_t k = 0;

    while (k < used->varying && text->trip->axes.items[used->at[k]].kind != MM_AXIS_RANKS)
        k++;
    return k;
}

/* The mean over the runs whose value is not NaN. */
static double mean_of(const struct text *text, const double *y)
{
    double sum = 0, n = 0;

    for (size_t i = 0; i < text->trip->runs; i++) {
        sum += isnan(y[i]) ? 0 : y[i];
        n += !isnan(y[i]);
    }
    return sum / n;
}

/* Text of the trend, or else of the mean, of the runs on `ranks` ranks. */
static const char *trend_at(struct text *text, const struct used_axes *used, size_t axis,
                            double ranks, const double *y, enum text_rate_kind kind)
{
    const double *number = text->trip->axes.items[used->at[axis]].number;
    double *own = trip_take(text->trip, text->trip->runs * sizeof *own), mean;
    const char *found;

    if (!own)
        return "0";
    for (size_t i = 0; i < text->trip->runs; i++)
        own[i] = number[i] == ranks ? y[i] : NAN;
    found = trend_over(text, used, own, kind); /* the number of ranks is the same in all
                                                * of these runs */
    mean = mean_of(text, own);
    return found ? found : text_print(text, "%.6g", mean);
}

/* If the runs have too few numbers of ranks for a scaling function, write a table by
 * number of ranks: between two of them the nearer one is used; beyond them the model ends
 * with an error, an index outside of a table. */
static const char *by_few_ranks(struct text *text, const struct used_axes *used,
                                size_t axis, const struct mm_law_ranks *ranks,
                                const double *y, enum text_rate_kind kind)
{
    int64_t *none = calloc(1, sizeof *none);
    const char *found = "", *table;
    char numbers[80];

    if (!none) {
        text->failed = cca_no_memory(text->trip->err);
        return NULL;
    }
    table = text_add_table(text, "unknown_ranks", 0, none, 1);
    for (size_t i = ranks->count; i-- > 0;) {
        const char *at = trend_at(text, used, axis, ranks->number[i], y, kind);

        found =
            i + 1 == ranks->count
                ? at
                : text_print(text, "nproc < %.6g ? %s : %s",
                             sqrt(ranks->number[i] * ranks->number[i + 1]), at, found);
    }
    mm_law_ranks_print(ranks, numbers, sizeof numbers);
    text_note(
        text,
        text_print(text,
                   "Runs on %s ranks determine no scaling function in the number of "
                   "ranks, which needs %d different numbers%s. Beyond them the model has "
                   "no costs: it ends at '%s'.",
                   numbers, MM_LAW_RANKS,
                   kind == TEXT_TIME ? ", of runs with no more ranks than cores" : "",
                   table));
    return text_print(text, "(nproc < %.0f || nproc > %.0f ? %s[nproc] : %s)",
                      ranks->number[0], ranks->number[ranks->count - 1], table, found);
}

/* The times `y` with NaN for runs that had more ranks than cores; `y` itself if all runs
 * had. */
static const double *times_of(struct text *text, const double *y)
{
    const struct trip *trip = text->trip;
    double *own = trip_take(text->trip, trip->runs * sizeof *own);
    int any = 0;

    for (size_t i = 0; i < trip->runs && own; i++) {
        own[i] = trip->axes.is_crowded[i] ? NAN : y[i];
        any |= !isnan(own[i]);
    }
    return any ? own : y;
}

/* Fit a trend (a function with scatter of the runs about it); NULL: no function is good
 * enough.
 * */
static const char *find_trend(struct text *text, const double *y,
                              enum text_rate_kind kind)
{
    struct mm_law_ranks ranks;
    struct used_axes used;
    size_t axis;

    use_axes(text->trip, &used);
    if (!used.count || !text->axis_names)
        return NULL;
    axis = find_ranks(text, &used);
    if (axis == used.varying)
        return trend_over(text, &used, y, kind);
    y = kind == TEXT_TIME ? times_of(text, y) : y;
    mm_law_ranks_init(&ranks, text->trip->axes.items[used.at[axis]].number, y, NULL,
                      text->trip->runs);
    return ranks.count < MM_LAW_RANKS ? by_few_ranks(text, &used, axis, &ranks, y, kind)
                                      : trend_over(text, &used, y, kind);
}

/* --- Cost functions. --- */

/* Text of the value of a quantity that is equal in all runs. */
static const char *constant_text(struct text *text, double value, int whole)
{
    if (whole && value == nearbyint(value))
        return text_print(text, "%.0f", value);
    if (value == nearbyint(value) && fabs(value) < 1e15)
        return text_print(text, "%.1f", value);
    return text_print(text, "%.9g", value);
}

/* The value of a quantity if it is equal in all runs; NaN: runs differ. */
static double same_in_all(const struct text *text, const double *y)
{
    double base = NAN;

    for (size_t i = 0; i < text->trip->runs; i++) {
        if (!isnan(y[i]) && !isnan(base) && y[i] != base)
            return NAN;
        base = isnan(base) ? y[i] : base;
    }
    return isnan(base) ? 0 : base;
}

static const struct text_law *known_law(const struct text *text, const double *y,
                                        enum text_law_kind kind)
{
    for (size_t i = 0; i < text->law_count; i++)
        if (text->laws[i].y && text->laws[i].kind == kind &&
            same_rates(text->laws[i].y, y, text->trip->runs))
            return &text->laws[i];
    return NULL;
}

static const char *add_law(struct text *text, const char *name, const double *y,
                           enum text_law_kind kind, const char *form)
{
    double *copy = trip_take(text->trip, text->trip->runs * sizeof *copy);
    struct text_law *law =
        copy ? cca_array_add(&text->laws, &text->law_count, sizeof *law) : NULL;

    if (!law) {
        text->failed = cca_no_memory(text->trip->err);
        return "0";
    }
    if (y)
        memcpy(copy, y, text->trip->runs * sizeof *copy);
    law->name = name ? text_name(text, name) : "";
    law->y = y ? copy : NULL;
    law->kind = kind;
    law->text = form;
    return text_print(text, "%s()", law->name);
}

static const char *text_of_closed(struct text *text, const char *name, const double *y,
                                  enum text_rate_kind kind)
{
    double same = same_in_all(text, y);
    const struct text_law *known = known_law(text, y, TEXT_CLOSED);
    const char *form;

    if (!isnan(same))
        return constant_text(text, same, kind == TEXT_TURNS);
    if (known)
        return text_print(text, "%s()", known->name);
    if (known_law(text, y, TEXT_NOT_CLOSED))
        return NULL;
    form = find_closed(text, y, kind);
    if (form)
        return add_law(text, name, y, TEXT_CLOSED, form);
    /* remember that this quantity has no closed form */
    add_law(text, NULL, y, TEXT_NOT_CLOSED, NULL);
    return NULL;
}

const char *text_of_trend(struct text *text, const char *name, const double *y,
                          enum text_rate_kind kind)
{
    double same = same_in_all(text, y);
    const struct text_law *known = known_law(text, y, TEXT_TREND);
    const char *form;
    size_t first = 0;

    if (!isnan(same))
        return constant_text(text, same, 0);
    if (known)
        return text_print(text, "%s()", known->name);
    form = find_trend(text, y, kind);
    if (form)
        return add_law(text, name, y, TEXT_TREND, form);
    while (isnan(y[first]))
        first++;
    name = add_law(text, name, y, TEXT_TREND, constant_text(text, y[first], 0));
    text_note(
        text,
        text_print(text,
                   "No scaling function was found for %s, which has the value of a run.",
                   name));
    return name;
}

/* Text of the product a*b; a factor "1" is dropped. */
static const char *factors_text(struct text *text, const char *a, const char *b)
{
    if (strcmp(a, "1") == 0 || strcmp(a, "1.0") == 0)
        return b;
    if (strcmp(b, "1") == 0 || strcmp(b, "1.0") == 0)
        return a;
    return text_print(text, strchr(a, ' ') ? "(%s)*%s" : "%s*%s", a, b);
}

const char *text_of_rate(struct text *text, const struct text_block *block,
                         const char *name, const struct text_quantity *quantity,
                         enum text_rate_kind kind, const char **visits)
{
    const char *rate = text_of_closed(text, name, quantity->rate, kind);
    const char *all, *name_of_all;

    if (rate) {
        if (visits)
            *visits = factors_text(text, block->visits, rate);
        return rate;
    }
    if (strcmp(block->visits, "1") == 0) {
        rate = text_of_trend(text, name, quantity->sum, TEXT_MEAN);
        if (visits)
            *visits = rate;
        return rate;
    }
    name_of_all = text_print(text, "all_%s", name);
    all = text_of_closed(text, name_of_all, quantity->sum, TEXT_MEAN);
    all = all ? all : text_of_trend(text, name_of_all, quantity->sum, TEXT_MEAN);
    if (visits)
        *visits = all;
    return add_law(text, name, NULL, TEXT_TREND,
                   text_print(text, strpbrk(block->visits, " */") ? "%s/(%s)" : "%s/%s",
                              all, block->visits));
}
