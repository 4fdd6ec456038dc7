/* SPDX-License-Identifier: BSD-3-Clause */
/* svg_axis.h: axes of figures: from values to pixels, ticks and their texts. */
#ifndef MASTERMIND_EXPORT_SVG_AXIS_H
#define MASTERMIND_EXPORT_SVG_AXIS_H

#include <stddef.h>

/* An axis from `low` to `high` > low, at pixels `from` to `to`; logarithmic where both
 * are above 0 and `log` is set. */
struct mm_axis {
    double low, high, from, to;
    int log;
};

#define MM_TICKS 24

struct mm_tick {
    double value;
    int named; /* others are short lines without a text */
};

/* The pixel of a value; values outside the axis, or not finite, end one length of the
 * axis beyond it. */
double mm_axis_pixel(const struct mm_axis *axis, double value);
/* The value at `share` of the length of the axis. */
double mm_axis_value(const struct mm_axis *axis, double share);
/* Widen an axis whose ends are too near each other: to a factor of `least`, or where it
 * is not logarithmic to twice its value. */
void mm_axis_widen(struct mm_axis *axis, double least);
/* Choose ticks inside the axis: ticks[MM_TICKS]. Returns how many. */
size_t mm_axis_ticks(const struct mm_axis *axis, struct mm_tick *ticks);

/* Print a value for a tick: "2 us" for times in ns, else "30,000", "1e6", "0.25". */
void mm_axis_text(double value, int time, char *text, size_t size);

/* Print a whole number: "30,000". */
void mm_axis_thousands(double value, char *text, size_t size);

#endif
