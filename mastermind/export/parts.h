/* SPDX-License-Identifier: BSD-3-Clause */
/* parts.h: functions that the files of a figure share. */
#ifndef MASTERMIND_EXPORT_PARTS_H
#define MASTERMIND_EXPORT_PARTS_H

#include <stddef.h>

#include "mastermind/cost/cost.h"

/* --- svg_axis.c ---------------------------------------------------------- */

/* An axis from `low` to `high` > low, at pixels `from` to `to`; logarithmic if both are
 * positive and `log` is set. */
struct mm_plot_axis {
    double low, high, from, to;
    int log;
};

#define MM_TICKS 24

struct mm_tick {
    double value;
    int named; /* true if the tick has a label, false for a short line without one */
};

/* Return the pixel of a value. A value that is outside the axis, or not finite, is placed
 * at most one axis length beyond the axis. */
double mm_axis_pixel(const struct mm_plot_axis *axis, double value);
/* Return the value at the fraction `share` (0 to 1) of the axis's length. */
double mm_axis_value(const struct mm_plot_axis *axis, double share);
/* Widen a narrow axis: a logarithmic axis until the ratio of its ends is `least`, a
 * linear axis to twice its value. */
void mm_axis_widen(struct mm_plot_axis *axis, double least);
/* Choose at most MM_TICKS ticks inside the axis. Returns the number of ticks. */
size_t mm_axis_ticks(const struct mm_plot_axis *axis, struct mm_tick *ticks);

/* Print a value for a tick: "2 us" for times in ns, else "30,000", "1e6", "0.25". */
void mm_axis_text(double value, int time, char *text, size_t size);

/* Print a whole number: "30,000". */
void mm_axis_thousands(double value, char *text, size_t size);

/* --- model_figure.c ------------------------------------------------------ */

/* Contents of a figure of the models of one method.
 *
 * A panel has the models of all modes. The parameter that changes the cost most is on the
 * x axis; the other parameters have their medians over the calls. If a call has other
 * values of these, its cost is multiplied by the ratio of the formula's values at the
 * two. */

/* A call, or `weight` calls with the same size and about equal costs. */
struct mm_figure_dot {
    double x, y, weight;
};

/* The models of one mode (in-values that select behaviour) in a figure. */
struct mm_figure_series {
    const struct mm_model *model; /* model of the mode; borrowed */
    char label[256];              /* text of the mode; "": there are no modes */
    double at[MONITOR_MAX_IN];    /* in-values of the curve; the parameter on the x
                                     axis is ignored */
    struct mm_figure_dot *dots;
    size_t dot_count;
    double calls; /* number of calls that the dots represent */
};

/* Where else the costs of a figure come from than from its models. */
struct mm_figure_source {
    double
        upto; /* largest value on the x axis; 0: five times the largest measured size */
    /* Set the cost of a run at `x` on the x axis, with its 90 % interval (low, high);
     * fit_low and fit_high are NaN. NULL: costs by the models. */
    void (*estimate)(const void *context, double x, struct mm_estimate *e);
    const void *context;
};

struct mm_figure_panel {
    char title[300], subtitle[600];
    size_t parameter;         /* index of the parameter on the x axis; in_count: none */
    double low, high;         /* range of the sizes that were measured in any mode */
    struct mm_plot_axis x, y; /* axes of the panel, not yet scaled to pixels */
    struct mm_figure_source source;
    struct mm_figure_series *series;
    size_t count;
    int moved; /* true if costs of calls were converted by the formula to other values of
                  parameters */
};

/* Set up the panel for the `count` models of one method, with their calls in `points`
 * (NULL: unknown); all are borrowed. labels[count] are the names of the modes. `source`
 * may be NULL. To be freed with mm_figure_done. Returns 0 or -ENOMEM. */
int mm_figure_init(struct mm_figure_panel *panel, const struct mm_model *models,
                   const char (*labels)[256], size_t count,
                   const struct mm_points *points, const struct mm_figure_source *source);
/* Set the cost of a series at the in-values `x`. */
void mm_figure_estimate(const struct mm_figure_panel *panel,
                        const struct mm_figure_series *series, const double *x,
                        struct mm_estimate *e);
void mm_figure_done(struct mm_figure_panel *panel);

#endif
