/* SPDX-License-Identifier: BSD-3-Clause */
/* laws.c: what runs had as cost functions of the run's parameters, which are globals. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "activity/trip/law_text.h"
#include "activity/trip/text.h"
#include "common/array.h"

/* The axes that laws have. */
struct used_axes {
    struct mm_law_axis items[MM_LAW_AXES];
    size_t at[MM_LAW_AXES]; /* in trip->axes */
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

/* Name of an axis in the text: what is behind its last dot; ranks are nproc. */
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

/* --- Fits. --- */

/* y = c x^p, where one axis varied: for too few runs, or forms that text does not have.
 * NULL: not so. */
static const char *power_law(struct text *text, const struct used_axes *used,
                             const double *y)
{
    double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0, power;
    const struct mm_axis *axis = &text->trip->axes.items[used->at[0]];

    if (used->varying != 1)
        return NULL;
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
    }
    if (n * sxx - sx * sx < 1e-9)
        return NULL;
    power = (n * sxy - sx * sy) / (n * sxx - sx * sx);
    return text_print(text, "%.6g*pow(1.0*%s, %.4f)", exp((sy - power * sx) / n),
                      text->axis_names[0], power);
}

static const char *find_law(struct text *text, const double *y, int is_rounded)
{
    struct used_axes used;
    struct mm_law_table table = {.runs = text->trip->runs, .is_rounded = is_rounded};
    double *x;
    struct mm_law *law = NULL;
    struct cca_error err = {0};
    const char *found = NULL;

    use_axes(text->trip, &used);
    if (!used.count || !text->axis_names)
        return NULL;
    x = calloc(text->trip->runs * used.count + 1, sizeof *x);
    if (!x) {
        text->failed = cca_no_memory(text->trip->err);
        return NULL;
    }
    for (size_t run = 0; run < text->trip->runs; run++)
        for (size_t k = 0; k < used.count; k++)
            x[run * used.count + k] = text->trip->axes.items[used.at[k]].number[run];
    table.axis = used.items;
    table.axes = used.count;
    table.x = x;
    table.y = y;
    law = mm_law_find(&table, &err);
    if (law)
        found = text_of_form(text, law, text->axis_names);
    mm_law_free(law);
    free(x);
    return found ? found : power_law(text, &used, y);
}

static int same_y(const double *a, const double *b, size_t runs)
{
    for (size_t i = 0; i < runs; i++)
        if (isnan(a[i]) != isnan(b[i]) || (!isnan(a[i]) && a[i] != b[i]))
            return 0;
    return 1;
}

/* A number that all runs have. */
static const char *constant_text(struct text *text, double value, int whole)
{
    if (whole && value == nearbyint(value))
        return text_print(text, "%.0f", value);
    if (value == nearbyint(value) && fabs(value) < 1e15)
        return text_print(text, "%.1f", value);
    return text_print(text, "%.9g", value);
}

const char *text_of_law(struct text *text, const char *name, const double *y,
                        int is_rounded)
{
    size_t runs = text->trip->runs;
    double base = NAN;
    int same = 1;
    struct text_law *law;
    double *copy;

    for (size_t i = 0; i < runs; i++) {
        same &= isnan(y[i]) || isnan(base) || y[i] == base;
        base = isnan(base) ? y[i] : base;
    }
    if (same)
        return constant_text(text, isnan(base) ? 0 : base, is_rounded);
    for (size_t i = 0; i < text->law_count; i++)
        if (same_y(text->laws[i].y, y, runs))
            return text_print(text, "%s()", text->laws[i].name);
    copy = trip_take(text->trip, runs * sizeof *copy);
    law = copy ? cca_array_add(&text->laws, &text->law_count, sizeof *law) : NULL;
    if (!law) {
        text->failed = cca_no_memory(text->trip->err);
        return "0";
    }
    memcpy(copy, y, runs * sizeof *copy);
    law->y = copy;
    law->name = text_name(text, name);
    law->text = find_law(text, y, is_rounded);
    if (!law->text) {
        law->text = constant_text(text, base, 0);
        text_note(text, text_print(text,
                                   "No law was found for %s, which is that of the first "
                                   "run.",
                                   law->name));
    }
    return text_print(text, "%s()", law->name);
}
