/* SPDX-License-Identifier: BSD-3-Clause */
/* model_figure.h: what a figure of the models of one method shows.
 *
 * One panel has the models of all modes. Of several parameters the one that moves the
 * cost most is on x; the others are at the medians of the calls. Calls that had other
 * values of these are moved along the formula, by the ratio of its values. */
#ifndef MASTERMIND_EXPORT_MODEL_FIGURE_H
#define MASTERMIND_EXPORT_MODEL_FIGURE_H

#include "mastermind/cost/model.h"
#include "mastermind/export/svg_axis.h"

/* A call, or several of one size and about one cost. */
struct mm_figure_dot {
    double x, y, weight;
};

/* The models of one mode. */
struct mm_figure_series {
    const struct mm_model *model; /* borrowed */
    char label[256];              /* the mode, "" where there is none */
    double at[MONITOR_MAX_IN];    /* tuple for the curve, but for the one on x */
    struct mm_figure_dot *dots;
    size_t dot_count;
    double calls; /* that the dots stand for */
};

struct mm_figure_panel {
    char title[300], subtitle[600];
    size_t parameter;    /* on x; in_count: there is none */
    double low, high;    /* sizes seen, of all modes */
    struct mm_axis x, y; /* without pixels */
    struct mm_figure_series *series;
    size_t count;
    int moved; /* calls were moved along the formula */
};

/* Set up the panel of the models [count] of one method with their calls, `points` (NULL:
 * none are known); all are borrowed. `labels` [count] name the modes. mm_figure_done
 * frees it. 0 or -ENOMEM. */
int mm_figure_init(struct mm_figure_panel *panel, const struct mm_model *models,
                   const char (*labels)[256], size_t count,
                   const struct mm_points *points);
void mm_figure_done(struct mm_figure_panel *panel);

#endif
