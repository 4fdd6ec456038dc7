/* SPDX-License-Identifier: BSD-3-Clause */
/* model_figure.h: contents of a figure of the models of one method.
 *
 * A panel has the models of all modes. The parameter that changes the cost most is on x;
 * the others are at their medians over the calls. Calls with other values of these are
 * moved along the formula, by the ratio of its values. */
#ifndef MASTERMIND_EXPORT_MODEL_FIGURE_H
#define MASTERMIND_EXPORT_MODEL_FIGURE_H

#include "mastermind/cost/model.h"
#include "mastermind/export/svg_axis.h"

/* A call, or several calls with one size and about equal cost. */
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

struct mm_figure_panel {
    char title[300], subtitle[600];
    size_t parameter;    /* index of the parameter on the x axis; in_count: none */
    double low, high;    /* range of the measured sizes over all modes */
    struct mm_axis x, y; /* axes of the panel, not yet scaled to pixels */
    struct mm_figure_series *series;
    size_t count;
    int moved; /* 1: calls were moved along the formula to other values of parameters */
};

/* Set up the panel of the models [count] of one method with their calls, `points` (NULL:
 * unknown); all are borrowed. `labels` [count] name the modes. Free with mm_figure_done.
 * 0 or -ENOMEM. */
int mm_figure_init(struct mm_figure_panel *panel, const struct mm_model *models,
                   const char (*labels)[256], size_t count,
                   const struct mm_points *points);
void mm_figure_done(struct mm_figure_panel *panel);

#endif
