/* SPDX-License-Identifier: BSD-3-Clause */
/* svg_axis.h: axes of figures: conversion of values to pixels, ticks and their texts. */
#ifndef MASTERMIND_EXPORT_SVG_AXIS_H
#define MASTERMIND_EXPORT_SVG_AXIS_H

#include <stddef.h>

/* An axis from `low` to `high` > low, at pixels `from` to `to`; logarithmic if both are
 * positive and `log` is set. */
struct mm_axis {
    double low, high, from, to;
    int log;
};

#define MM_TICKS 24

struct mm_tick {
    double value;
    int named; /* 1: the tick has a label; 0: a short line without a label */
};

/* The pixel of a value. A value outside the axis, or not finite, is placed at most one
 * axis length beyond it. */
double mm_axis_pixel(const struct mm_axis *axis, double value);
/* The value at `share` (0 to 1) of the length of the axis. */
double mm_axis_value(const struct mm_axis *axis, double share);
/* Widen a narrow axis: a logarithmic one to the ratio `least`, another to twice its
 * value. */
void mm_axis_widen(struct mm_axis *axis, double least);
/* Choose ticks inside the axis: ticks[MM_TICKS]. Returns their number. */
size_t mm_axis_ticks(const struct mm_axis *axis, struct mm_tick *ticks);

/* Print a value for a tick: "2 us" for times in ns, else "30,000", "1e6", "0.25". */
void mm_axis_text(double value, int time, char *text, size_t size);

/* Print a whole number: "30,000". */
void mm_axis_thousands(double value, char *text, size_t size);

#endif
