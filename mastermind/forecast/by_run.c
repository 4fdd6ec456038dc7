/* SPDX-License-Identifier: BSD-3-Clause */
/* by_run.c: methods whose parameters do not explain their cost: the mean cost of a call
 * in each run, as a scaling function of the run's parameters. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/forecast/explain.h"
#include "mastermind/counts/counts.h"
#include "common/statistics.h"
#include "mastermind/forecast/parts.h"

/* factor by which an explanation's error must be smaller than a model's */
#define MUCH 1.5
/* largest error of a scaling function, relative to the error of an explanation */
#define FAR_BETTER .3
#define ONE_MEAN .5 /* relative half-width if only a single mean cost is known */

/* Mean exclusive cost of the calls of a cell's method and mode in a run with the class;
 * NaN: no calls. */
static double mean_in_run(const struct mm_forecaster *f, size_t cell, size_t run,
                          const char *class_name)
{
    const struct mm_cells *cells = &f->structure.cells;
    const struct mm_cell *c = &cells->items[cell];
    const struct mm_method_info *method = mm_cell_method(cells, cell);
    const struct mm_profile *profile = f->profiles[run];
    double sum = 0, calls = 0;

    for (size_t i = 0; i < profile->source.method_count; i++) {
        const struct mm_method_info *own = profile->source.methods[i];
        const struct mm_points *points = &profile->points[i];

        if (strcmp(own->name, method->name) != 0 ||
            strcmp(own->class_name, class_name) != 0)
            continue;
        for (size_t k = 0; k < points->count; k++) {
            union monitor_value mapped[MONITOR_MAX_IN];

            if (c->mode && (mm_values_map(method, own, points->points[k].in, mapped) ||
                            !mm_same_modes(method, c->mode, mapped)))
                continue;
            sum += (double)points->points[k].n * mm_point_own_ns(&points->points[k]);
            calls += (double)points->points[k].n;
        }
    }
    return calls > 0 ? sum / calls : NAN;
}

/* The mean of a class that only other assemblies ran, or that ran at too few sizes. */
static void mean_of_all(const struct mm_cell_source *source, const double *y,
                        size_t count, struct mm_amount *mean)
{
    double sum = 0, n = 0, low = INFINITY, high = 0;

    for (size_t r = 0; r < count; r++) {
        if (!(y[r] >= 0))
            continue;
        sum += y[r];
        n++;
        low = fmin(low, y[r]);
        high = fmax(high, y[r]);
    }
    if (!n && source->set && source->set->calls) {
        sum = source->set->measured_ns / (double)source->set->calls;
        n = 1;
        low = 0;
        high = 2 * sum;
    }
    if (!n)
        return;
    *mean = (struct mm_amount){.number = {sum / n, low, high}};
    mean->own = fmax((high - low) / 2, n < 2 ? ONE_MEAN * sum : 0);
    snprintf(mean->law, sizeof mean->law, "mean of its runs");
}

/* Predict the mean cost of the calls of a cell by an explanation (explain.h). */
static int explained_mean(struct mm_forecaster *f, const struct mm_asked *asked,
                          const struct mm_explanation *by, struct mm_amount *mean,
                          struct cca_error *err)
{
    struct mm_amount what = {.number = {1, 1, 1}};
    double share = 0;

    *mean = (struct mm_amount){.number = {NAN, NAN, NAN}};
    if (by->what && mm_explanation_amount(f, asked, by, &what, err))
        return err->code;
    if (!isfinite(what.number.value))
        return 0;
    mean->number.value = by->a + by->b * what.number.value;
    if (by->what && what.number.value > 0)
        share = by->b * what.own / mean->number.value;
    mean->own = mean->number.value * hypot(CCA_NORMAL_90 * by->error, share);
    mean->number.low = fmax(mean->number.value - mean->own, 0);
    mean->number.high = mean->number.value + mean->own;
    if (by->what)
        snprintf(mean->law, sizeof mean->law, "%.4g us + %.4g us * %s", by->a / 1e3,
                 by->b / 1e3, by->text);
    else
        snprintf(mean->law, sizeof mean->law, "%.4g us", by->a / 1e3);
    return 0;
}

static double relative(const struct mm_amount *mean)
{
    return mean->number.value > 0 ? mean->own / mean->number.value : INFINITY;
}

/* Find the mean cost of a call: as measured in runs with the requested parameters; else
 * by the scaling function of the run's parameters or by an explanation, whichever is more
 * certain for the requested run. */
static int find_mean(struct mm_forecaster *f, const struct mm_asked *asked, size_t cell,
                     struct mm_quantity *quantity, struct mm_amount *mean,
                     struct cca_error *err)
{
    struct mm_explanation by[MM_EXPLANATIONS];
    size_t count;

    if (mm_structure_amount(&f->structure, quantity, asked, mean, err))
        return err->code;
    if (isfinite(mean->number.value) && strcmp(mean->law, MM_AS_COUNTED) == 0)
        return 0;
    if (mm_explain(f, cell, quantity->y, by, &count, err))
        return err->code;
    /* A scaling function of a few noisy means must be far better than an explanation by
     * calls. */
    if (count && !(mean->is_proven && mean->ahead < FAR_BETTER * by[0].error))
        mean->number.value = NAN;
    for (size_t i = 0; i < count && by[i].worth <= MM_NEARLY * by[0].worth; i++) {
        struct mm_amount other;

        if (explained_mean(f, asked, &by[i], &other, err))
            return err->code;
        if (isfinite(other.number.value) &&
            (!isfinite(mean->number.value) || relative(&other) < relative(mean)))
            *mean = other;
    }
    return 0;
}

/* Mean cost of a cell's calls, which have one size, in a run by the model; NaN:
 * unknown. */
static double modelled_mean(const struct mm_forecaster *f, size_t cell, size_t run,
                            const struct mm_model *model)
{
    const struct mm_cell_run *of = &f->structure.cells.items[cell].runs[run];
    union monitor_value mapped[MONITOR_MAX_IN];

    if (!of->count ||
        mm_values_map(model->method, mm_cell_method(&f->structure.cells, cell),
                      of->tuples[0].in, mapped))
        return NAN;
    return mm_model_mean_ns(model, mapped);
}

/* Relative error of the model in the runs with the requested classes; if there are none,
 * in all runs. */
static double model_error(const struct mm_forecaster *f, const struct mm_asked *asked,
                          const struct mm_cell_source *source, size_t cell,
                          const double *y)
{
    double squares[2] = {0}, count[2] = {0};

    for (size_t r = 0; r < f->count; r++) {
        double residual = log(y[r] / modelled_mean(f, cell, r, source->model));
        int alike = mm_run_has_classes(&f->structure, asked, r);

        if (!isfinite(residual))
            continue;
        squares[alike] += residual * residual;
        count[alike]++;
    }
    return count[1] > 0   ? sqrt(squares[1] / count[1])
           : count[0] > 0 ? sqrt(squares[0] / count[0])
                          : NAN;
}

/* True if another cell has calls of the same method and mode, as with a method that calls
 * itself; the mean cost in a run then covers several sizes. */
static int shares_calls(const struct mm_cells *cells, size_t cell)
{
    const struct mm_cell *own = &cells->items[cell];

    for (size_t i = 0; i < cells->count; i++)
        if (i != cell && cells->items[i].vertex == own->vertex &&
            (!own->mode || !cells->items[i].mode ||
             mm_same_modes(mm_cell_method(cells, cell), own->mode, cells->items[i].mode)))
            return 1;
    return 0;
}

int mm_cell_calls_explain(struct mm_forecaster *f, const struct mm_asked *asked,
                          const struct mm_cell_source *source, const char *class_name,
                          size_t cell, struct cca_error *err)
{
    struct mm_explanation by[MM_EXPLANATIONS];
    size_t count = 0;
    int better = 0;
    double *y;

    if (shares_calls(&f->structure.cells, cell))
        return 0;
    y = calloc(f->count + 1, sizeof *y);
    if (!y)
        return cca_no_memory(err);
    for (size_t r = 0; r < f->count; r++)
        y[r] = mean_in_run(f, cell, r, class_name);
    if (mm_explain(f, cell, y, by, &count, err)) {
        free(y);
        return err->code;
    }
    better = count && by[0].what && by[0].is_own &&
             MUCH * by[0].error < model_error(f, asked, source, cell, y);
    free(y);
    return better;
}

int mm_cell_by_run(struct mm_forecaster *f, const struct mm_asked *asked,
                   const struct mm_cell_source *source, const char *class_name,
                   struct mm_forecast_cell *of, char *why, struct cca_error *err)
{
    double *y = calloc(f->count + 1, sizeof *y), calls = of->calls.number.value;
    struct mm_amount *mean = &of->sums[0];
    struct mm_quantity *quantity = NULL;

    for (size_t r = 0; r < f->count && y; r++)
        y[r] = mean_in_run(f, of->cell, r, class_name);
    if (y)
        quantity = mm_structure_numbers(&f->structure, MM_QUANTITY_GIVEN, source->set,
                                        of->cell, y);
    free(y);
    if (!quantity)
        return cca_no_memory(err);
    if (find_mean(f, asked, of->cell, quantity, mean, err))
        return err->code;
    if (!isfinite(mean->number.value))
        mean_of_all(source, quantity->y, f->count, mean);
    if (!isfinite(mean->number.value)) {
        snprintf(why, MM_LAW_TEXT, "%.100s: no cost of a call is known", class_name);
        return 0;
    }
    of->sum_count = 1;
    of->cost_ns = calls * mean->number.value;
    of->own_ns = of->calls.own * mean->number.value;
    for (size_t d = 0; d < MM_DRIVERS; d++)
        of->driver_ns[d] = of->calls.driver[d] * mean->number.value;
    of->model_ns = calls * mean->own;
    of->beyond = 1;
    return 0;
}
