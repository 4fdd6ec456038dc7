/* SPDX-License-Identifier: BSD-3-Clause */
/* model_figure.c: compute the contents of a figure of the models of one method. */
#include "mastermind/export/parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/cost/cost.h"

#define BEYOND 5.  /* factor by which the x axis extends beyond the measured sizes */
#define BEFORE 1.5 /* factor by which the x axis extends below the measured sizes */
/* least ratio of the y axis's ends, so that noise looks small */
#define LEAST_RATIO 12.
/* the lower end of a band is at least curve / LOW_RATIO */
#define LOW_RATIO 6.
#define STEPS 60
#define GOLDEN .6180339887 /* golden ratio, with which dots are spread evenly */

static int is_parameter(const struct mm_method_info *method, size_t k)
{
    return k < method->in_count && method->values[k].kind == MONITOR_PARAM;
}

/* --- The parameter on the x axis --------------------------------------------------- */

/* Choose the parameter for the x axis: the parameter that changes the cost most in most
 * of the models; else a parameter that varies; else a parameter that the port's author
 * wrote as an expression; else any. */
static size_t choose_parameter(const struct mm_model *models, size_t count)
{
    const struct mm_method_info *method = models[0].method;
    size_t votes[MONITOR_MAX_IN] = {0}, best = method->in_count;

    if (models[0].lacks)
        return best;
    for (size_t i = 0; i < count; i++) {
        struct mm_sizes sizes = mm_model_sizes(&models[i]);
        size_t leading = mm_forms_leading(&models[i].forms, &sizes);

        for (size_t k = 0; k < method->in_count; k++) {
            if (!is_parameter(method, k))
                continue;
            votes[k] += leading == k ? 1000 : 0;
            votes[k] += models[i].high[k] > models[i].low[k] ? 2 : 0;
            votes[k] += mm_value_is_derived(&method->values[k]) ? 1 : 0;
        }
    }
    for (size_t k = 0; k < method->in_count; k++)
        if (is_parameter(method, k) &&
            (best == method->in_count || votes[k] > votes[best]))
            best = k;
    return best;
}

/* --- Calls ----------------------------------------------------------------------------
 */

static int point_is_of(const struct mm_point *point, const struct mm_model *model)
{
    return point->n && mm_same_modes(model->method, model->modes, point->in) &&
           (model->lacks || !mm_missing_parameter(model->method, point->in));
}

/* Set the parameters that are not on the x axis to their medians over the calls of all
 * modes. */
static int set_medians(struct mm_figure_series *series, const struct mm_points *points)
{
    const struct mm_model *model = series->model;
    struct mm_sizes sizes = mm_model_sizes(model);
    struct mm_value *values;

    mm_sizes_middle(&sizes, series->at);
    values = calloc(points ? points->count + 1 : 1, sizeof *values);
    if (!values)
        return -ENOMEM;
    for (size_t k = 0; points && k < model->method->in_count; k++) {
        size_t count = 0, at = 0;
        double total = 0, sum = 0;

        for (size_t i = 0; i < points->count && is_parameter(model->method, k); i++) {
            const struct mm_point *point = &points->points[i];

            if (!point->n || model->lacks ||
                mm_missing_parameter(model->method, point->in))
                continue;
            values[count++] = (struct mm_value){mm_in_value(model->method, point->in, k),
                                                (double)point->n};
            total += (double)point->n;
        }
        if (!count)
            continue;
        mm_values_sort(values, count);
        while (at + 1 < count && (sum += values[at].weight) < total / 2)
            at++;
        series->at[k] = values[at].value;
    }
    free(values);
    return 0;
}

/* Return the ratio of costs, by the formula, with which a call's cost is multiplied to
 * show it at the values that the series has for the parameters other than the one on the
 * x axis. */
static double move_ratio(const struct mm_figure_series *series, size_t parameter,
                         const double *x)
{
    const struct mm_form *form = &series->model->forms.form[0];
    double at[MONITOR_MAX_IN], here, there;

    memcpy(at, series->at, sizeof at);
    if (parameter < series->model->method->in_count)
        at[parameter] = x[parameter];
    here = mm_form_value(form, x);
    there = mm_form_value(form, at);
    return here > 0 && there > 0 && isfinite(there / here) ? there / here : 1;
}

static size_t dots_of(const struct mm_point *point)
{
    size_t kept = mm_sample_count(&point->sample);

    return kept ? kept : 1;
}

static void add_dots(struct mm_figure_panel *panel, struct mm_figure_series *series,
                     const struct mm_point *point)
{
    double x[MONITOR_MAX_IN], ratio, size = 1;
    uint32_t kept = mm_sample_count(&point->sample);

    mm_model_tuple(series->model, point->in, x);
    ratio = series->model->lacks ? 1 : move_ratio(series, panel->parameter, x);
    panel->moved |= fabs(ratio - 1) > 1e-6;
    if (panel->parameter < series->model->method->in_count && !series->model->lacks)
        size = x[panel->parameter];
    for (uint32_t i = 0; i < kept; i++) {
        /* models without a parameter: draw the dots side by side */
        if (panel->parameter == series->model->method->in_count)
            size = .6 + .8 * fmod((double)i * GOLDEN, 1);
        series->dots[series->dot_count++] = (struct mm_figure_dot){
            size, ratio * point->sample.call[i].ns, mm_sample_weight(&point->sample, i)};
    }
    if (!kept) /* no single calls are known, only their sums */
        series->dots[series->dot_count++] =
            (struct mm_figure_dot){size, ratio * point->mean_ns, (double)point->n};
    series->calls += (double)point->n;
}

static int set_dots(struct mm_figure_panel *panel, struct mm_figure_series *series,
                    const struct mm_points *points)
{
    size_t count = 0;

    for (size_t i = 0; points && i < points->count; i++)
        if (point_is_of(&points->points[i], series->model))
            count += dots_of(&points->points[i]);
    series->dots = calloc(count + 1, sizeof *series->dots);
    if (!series->dots)
        return -ENOMEM;
    for (size_t i = 0; points && i < points->count; i++)
        if (point_is_of(&points->points[i], series->model))
            add_dots(panel, series, &points->points[i]);
    return 0;
}

/* --- Axes
 * -------------------------------------------------------------------------------- */

static void set_x(struct mm_figure_panel *panel, size_t in_count)
{
    panel->low = INFINITY;
    panel->high = -INFINITY;
    for (size_t i = 0; i < panel->count && panel->parameter < in_count; i++) {
        panel->low = fmin(panel->low, panel->series[i].model->low[panel->parameter]);
        panel->high = fmax(panel->high, panel->series[i].model->high[panel->parameter]);
    }
    if (panel->parameter == in_count)
        panel->low = panel->high = 1;
    panel->x = (struct mm_plot_axis){.low = panel->low / BEFORE,
                                     .high = panel->source.upto > panel->high
                                                 ? panel->source.upto
                                                 : panel->high * BEYOND,
                                     .log = 1};
    if (panel->parameter == in_count)
        panel->x = (struct mm_plot_axis){.low = .5, .high = 1.5};
    else if (panel->series[0].model->narrow && panel->low > 0)
        panel->x = (struct mm_plot_axis){
            .low = panel->low / BEFORE, .high = panel->high * BEFORE, .log = 1};
    else if (!(panel->low > 0))
        panel->x = (struct mm_plot_axis){.low = panel->low,
                                         .high = panel->high +
                                                 fmax(panel->high - panel->low, 1) * .5};
    else
        mm_axis_widen(&panel->x, 10);
}

void mm_figure_estimate(const struct mm_figure_panel *panel,
                        const struct mm_figure_series *series, const double *x,
                        struct mm_estimate *e)
{
    if (panel->source.estimate && panel->parameter < series->model->method->in_count)
        panel->source.estimate(panel->source.context, x[panel->parameter], e);
    else
        mm_model_estimate_tuple(series->model, x, e);
}

/* Extend the range of the y axis to include a cost, if it is positive. */
static void take_y(struct mm_figure_panel *panel, double y)
{
    if (!(y > 0) || !isfinite(y))
        return;
    panel->y.low = fmin(panel->y.low, y);
    panel->y.high = fmax(panel->y.high, y);
}

static void set_y(struct mm_figure_panel *panel)
{
    panel->y = (struct mm_plot_axis){.low = INFINITY, .high = -INFINITY, .log = 1};
    for (size_t i = 0; i < panel->count; i++) {
        const struct mm_figure_series *series = &panel->series[i];
        double x[MONITOR_MAX_IN], least;

        for (size_t k = 0; k < series->dot_count; k++)
            take_y(panel, series->dots[k].y);
        memcpy(x, series->at, sizeof x);
        for (int step = 0; step <= STEPS; step++) {
            struct mm_estimate e;

            if (panel->parameter < series->model->method->in_count)
                x[panel->parameter] = mm_axis_value(&panel->x, step / (double)STEPS);
            mm_figure_estimate(panel, series, x, &e);
            take_y(panel, e.typ);
            take_y(panel, e.fit_high);
            /* limited, because the lower end of a band may be near 0 */
            least = fmax(e.typ / LOW_RATIO, e.fit_low);
            take_y(panel, least);
            take_y(panel, fmin(e.high, 30 * e.typ));
        }
    }
    if (!(panel->y.low <= panel->y.high))
        panel->y.low = panel->y.high = 1;
    panel->y.low /= 1.3;
    panel->y.high *= 1.3;
    mm_axis_widen(&panel->y, LEAST_RATIO);
}

/* --- Texts -------------------------------------------------------------------------- */

/* Set the subtitle "w = 2.1, nx = 64": the parameters of the formulas that are not on the
 * x axis, with their values. */
static void set_subtitle(struct mm_figure_panel *panel)
{
    const struct mm_figure_series *series = &panel->series[0];
    const struct mm_method_info *method = series->model->method;
    size_t size = sizeof panel->subtitle, used = 0, named = 0;
    double calls = 0;
    char number[40];

    for (size_t k = 0; k < method->in_count && used < size - 160; k++) {
        int used_by = 0;

        for (size_t i = 0; i < panel->count; i++)
            used_by |= mm_form_uses(&panel->series[i].model->forms.form[0], k);
        if (k == panel->parameter || !is_parameter(method, k) || !used_by)
            continue;
        used += (size_t)snprintf(panel->subtitle + used, size - used, "%s%.60s = %.4g",
                                 named++ ? ", " : "at the median ",
                                 method->values[k].name, series->at[k]);
    }
    used +=
        (size_t)snprintf(panel->subtitle + used, size - used, "%s", named ? "; " : "");
    for (size_t i = 0; i < panel->count; i++)
        calls += panel->series[i].calls;
    mm_axis_thousands(calls, number, sizeof number);
    if (calls > 0)
        snprintf(panel->subtitle + used, size - used, "%s calls%s", number,
                 named && panel->moved ? ", those at other values moved along the formula"
                                       : "");
    else
        snprintf(panel->subtitle + used, size - used, "no calls are kept with the model");
}

int mm_figure_init(struct mm_figure_panel *panel, const struct mm_model *models,
                   const char (*labels)[256], size_t count,
                   const struct mm_points *points, const struct mm_figure_source *source)
{
    const struct mm_method_info *method = models[0].method;

    *panel = (struct mm_figure_panel){.series = calloc(count, sizeof *panel->series)};
    if (!panel->series)
        return -ENOMEM;
    panel->parameter = choose_parameter(models, count);
    snprintf(panel->title, sizeof panel->title, "%.140s   %.140s", method->name,
             method->class_name);
    for (size_t i = 0; i < count; i++) {
        struct mm_figure_series *series = &panel->series[panel->count++];

        series->model = &models[i];
        memcpy(series->label, labels[i], sizeof series->label);
        if (i)
            memcpy(series->at, panel->series[0].at, sizeof series->at);
        if ((!i && set_medians(series, points)) || set_dots(panel, series, points)) {
            mm_figure_done(panel);
            return -ENOMEM;
        }
    }
    if (source)
        panel->source = *source;
    set_x(panel, method->in_count);
    set_y(panel);
    set_subtitle(panel);
    return 0;
}

void mm_figure_done(struct mm_figure_panel *panel)
{
    for (size_t i = 0; i < panel->count; i++)
        free(panel->series[i].dots);
    free(panel->series);
    *panel = (struct mm_figure_panel){0};
}
