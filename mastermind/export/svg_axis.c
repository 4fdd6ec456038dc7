/* SPDX-License-Identifier: BSD-3-Clause */
/* svg_axis.c: convert values to pixels, and choose ticks and their texts. */
#include "mastermind/export/parts.h"

#include <math.h>
#include <stdio.h>

/* up to this ratio of the axis's ends, ticks are evenly spaced */
#define ROUND_STEPS 6.
/* on a logarithmic axis with fewer decades, ticks at 2 and 5 are labelled, too */
#define FEW_DECADES 1.7
#define MANY_DECADES 8.

static int is_log(const struct mm_plot_axis *axis)
{
    return axis->log && axis->low > 0;
}

double mm_axis_pixel(const struct mm_plot_axis *axis, double value)
{
    double share;

    if (isnan(value))
        return axis->from;
    if (is_log(axis))
        share = value > 0 ? log(value / axis->low) / log(axis->high / axis->low) : -1;
    else
        share = (value - axis->low) / (axis->high - axis->low);
    share = fmax(-1, fmin(2, share));
    return axis->from + share * (axis->to - axis->from);
}

double mm_axis_value(const struct mm_plot_axis *axis, double share)
{
    return is_log(axis) ? axis->low * pow(axis->high / axis->low, share)
                        : axis->low + share * (axis->high - axis->low);
}

void mm_axis_widen(struct mm_plot_axis *axis, double least)
{
    if (is_log(axis)) {
        double missing = sqrt(least / (axis->high / axis->low));

        if (missing > 1) {
            axis->low /= missing;
            axis->high *= missing;
        }
    } else if (!(axis->high > axis->low)) {
        double more = fabs(axis->high) > 0 ? fabs(axis->high) : 1;

        axis->low -= axis->low == 0 ? 0 : more;
        axis->high += more;
    }
}

static size_t log_ticks(const struct mm_plot_axis *axis, struct mm_tick *ticks)
{
    double decades = log10(axis->high / axis->low);
    int step = decades > 2 * MANY_DECADES ? 4 : decades > MANY_DECADES ? 2 : 1;
    int first = (int)floor(log10(axis->low));
    size_t count = 0;

    for (int k = first; k <= first + (int)decades + 2; k++) {
        for (int lead = 1; lead <= 5 && count < MM_TICKS; lead += lead == 1 ? 1 : 3) {
            double value = lead * pow(10, k);

            if (value < axis->low * (1 - 1e-9) || value > axis->high * (1 + 1e-9) ||
                (lead > 1 && decades > 4) || k % step)
                continue;
            ticks[count++] = (struct mm_tick){value, lead == 1 || decades <= FEW_DECADES};
        }
    }
    return count;
}

static size_t linear_ticks(const struct mm_plot_axis *axis, struct mm_tick *ticks)
{
    double rough = (axis->high - axis->low) / 5, unit = pow(10, floor(log10(rough)));
    double step = rough > 5 * unit   ? 10 * unit
                  : rough > 2 * unit ? 5 * unit
                  : rough > unit     ? 2 * unit
                                     : unit;
    size_t count = 0;

    for (double at = ceil(axis->low / step - 1e-9); count < MM_TICKS; at++) {
        if (at * step > axis->high + 1e-9 * step)
            break;
        ticks[count++] = (struct mm_tick){at == 0 ? 0 : at * step, 1};
    }
    return count;
}

size_t mm_axis_ticks(const struct mm_plot_axis *axis, struct mm_tick *ticks)
{
    int wide = is_log(axis) && axis->high > ROUND_STEPS * axis->low;
    size_t count = wide ? log_ticks(axis, ticks) : linear_ticks(axis, ticks);
    size_t named = 0;

    for (size_t i = 0; i < count; i++)
        named += (size_t)ticks[i].named;
    for (size_t i = 0; named < 2 && i < count; i++) /* label all ticks if fewer than
                                                       two have labels */
        ticks[i].named = 1;
    return count;
}

void mm_axis_thousands(double value, char *text, size_t size)
{
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%.0f", value);
    size_t used = 0;

    for (int i = 0; i < length && used + 2 < size; i++) {
        if (i && (length - i) % 3 == 0 && digits[i - 1] != '-')
            text[used++] = ',';
        text[used++] = digits[i];
    }
    text[used] = '\0';
}

void mm_axis_text(double value, int time, char *text, size_t size)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    int unit = 0;

    while (time && unit < 3 && fabs(value) >= 999.5) {
        value /= 1000;
        unit++;
    }
    if (!time && fabs(value) >= 999.5 && fabs(value) < 1e5 && value == round(value)) {
        mm_axis_thousands(value, text, size);
        return;
    }
    if (!time && fabs(value) >= 1e5) {
        int exponent = (int)floor(log10(fabs(value)) + 1e-9);

        snprintf(text, size, "%.3ge%d", value / pow(10, exponent), exponent);
        return;
    }
    snprintf(text, size, "%.3g%s%s", value, time ? " " : "", time ? units[unit] : "");
}
