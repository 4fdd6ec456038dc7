/* SPDX-License-Identifier: BSD-3-Clause */
/* neighbours.c: measured over modelled costs, run by run. */
#include "mastermind/forecast/neighbours.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "mastermind/forecast/models/sum.h"
#include "mastermind/counts/classes.h"

#define SURE 1.645 /* normal quantile of 90 % */
#define USUAL .05  /* relative difference of runs, where it is not known */

static double residual(const struct mm_cell_source *source,
                       const struct mm_method_info *method,
                       const struct mm_profile *profile)
{
    double measured = 0;
    struct mm_cost_sum sum = {0};
    double result;

    for (size_t i = 0; i < profile->source.method_count; i++) {
        const struct mm_method_info *own = profile->source.methods[i];
        const struct mm_points *points = &profile->points[i];

        if (strcmp(own->name, method->name) != 0 ||
            strcmp(own->class_name, source->set->method->class_name) != 0)
            continue;
        for (size_t k = 0; k < points->count; k++) {
            union monitor_value mapped[MONITOR_MAX_IN];
            double n = (double)points->points[k].n;
            const struct mm_point *pooled;

            if (n < 1 ||
                mm_values_map(source->set->method, own, points->points[k].in, mapped) ||
                !mm_same_modes(source->set->method, source->model->modes, mapped))
                continue;
            pooled = mm_points_find(&source->set->points, mapped);
            if (!pooled || !mm_cost_sum_direct(&sum, source->model, pooled, n))
                continue; /* its form may be off there, which is no neighbour's doing */
            measured += n * mm_point_own_ns(&points->points[k]);
        }
    }
    result = sum.cost_ns > 0 && measured > 0 ? log(measured / sum.cost_ns) : NAN;
    mm_cost_sum_done(&sum);
    return result;
}

static const double *residuals_of(struct mm_forecaster *f,
                                  const struct mm_cell_source *source, size_t vertex)
{
    struct mm_run_residuals *added;

    for (size_t i = 0; i < f->residual_count; i++)
        if (f->residuals[i].model == source->model && f->residuals[i].vertex == vertex)
            return f->residuals[i].value;
    added = cca_array_add(&f->residuals, &f->residual_count, sizeof *added);
    if (!added)
        return NULL;
    added->model = source->model;
    added->vertex = vertex;
    added->value = calloc(f->count + 1, sizeof *added->value);
    if (!added->value) {
        f->residual_count--;
        return NULL;
    }
    for (size_t r = 0; r < f->count; r++)
        added->value[r] =
            residual(source, f->structure.cells.vertices[vertex].method, f->profiles[r]);
    return added->value;
}

static int has_word(const struct mm_structure *s, const struct mm_asked *asked,
                    size_t axis, size_t run)
{
    const char *text = s->axes.items[axis].text[run];

    return text && asked->text[axis] && strcmp(text, asked->text[axis]) == 0;
}

/* Mean residual of the runs that have the words asked for, on one axis or (MM_NO_AXIS) on
 * all; `*count` of them. */
static double mean_with(const struct mm_forecaster *f, const struct mm_asked *asked,
                        const double *value, size_t axis, double *count)
{
    const struct mm_structure *s = &f->structure;
    double sum = 0;

    *count = 0;
    for (size_t r = 0; r < f->count; r++) {
        int with = !isnan(value[r]);

        for (size_t i = 0; i < s->axes.count && with; i++)
            if ((axis == MM_NO_AXIS || axis == i) && mm_is_word_axis(s, i))
                with = has_word(s, asked, i, r);
        if (!with)
            continue;
        sum += value[r];
        ++*count;
    }
    return *count > 0 ? sum / *count : 0;
}

/* A mean over `count` runs, drawn towards 0 by its own uncertainty. */
static double shrink(double mean, double count, double sd)
{
    double noise = sd * sd / count;

    return count > 0 && mean != 0 ? mean * mean * mean / (mean * mean + noise) : 0;
}

int mm_neighbour_factor(struct mm_forecaster *f, const struct mm_asked *asked,
                        const struct mm_cell_source *source, size_t cell, double *factor)
{
    const struct mm_structure *s = &f->structure;
    struct mm_run_differences runs;
    const double *value;
    double count, mean, all = 0;
    int words = 0;

    *factor = 1;
    for (size_t i = 0; i < s->axes.count; i++)
        words |= mm_is_word_axis(s, i);
    if (!words)
        return 0;
    value = residuals_of(f, source, s->cells.items[cell].vertex);
    if (!value || mm_run_differences_fit(&runs, f, 0))
        return -ENOMEM;
    runs.sd = isfinite(runs.sd) ? runs.sd : USUAL;
    mean = mean_with(f, asked, value, MM_NO_AXIS, &count);
    if (count > 0) {
        *factor = exp(shrink(mean, count, runs.sd));
        return 0;
    }
    for (size_t i = 0; i < s->axes.count; i++)
        if (mm_is_word_axis(s, i)) {
            mean = mean_with(f, asked, value, i, &count);
            all += shrink(mean, count, runs.sd);
        }
    *factor = exp(all);
    return 0;
}

/* Residuals of equal runs as groups. */
struct groups {
    double count, runs;     /* of groups, of their runs */
    double sum, squares;    /* of their means */
    double within, freedom; /* squares within groups */
};

static void add_group(struct groups *g, const struct mm_axes *axes, const double *value,
                      size_t first)
{
    double sum = 0, squares = 0, n = 0, mean;

    for (size_t r = first; r < axes->runs; r++)
        if (!isnan(value[r]) && mm_axes_same_run(axes, first, r)) {
            sum += value[r];
            squares += value[r] * value[r];
            n++;
        }
    mean = sum / n;
    g->count++;
    g->runs += n;
    g->sum += mean;
    g->squares += mean * mean;
    g->within += squares - n * mean * mean;
    g->freedom += n - 1;
}

int mm_neighbour_doubt(struct mm_forecaster *f, const struct mm_cell_source *source,
                       size_t cell, double *half)
{
    const double *value = residuals_of(f, source, f->structure.cells.items[cell].vertex);
    const struct mm_axes *axes = &f->structure.axes;
    struct groups g = {0};
    double between;

    *half = 0;
    if (!value)
        return -ENOMEM;
    for (size_t r = 0; r < f->count; r++) {
        size_t k = 0;

        while (k < r && (isnan(value[k]) || !mm_axes_same_run(axes, k, r)))
            k++;
        if (!isnan(value[r]) && k == r)
            add_group(&g, axes, value, r);
    }
    if (g.count < 3 || g.freedom < 2)
        return 0;
    /* What equal runs differ by, which the whole run has, is in the means of groups, too.
     */
    between = (g.squares - g.sum * g.sum / g.count) / (g.count - 1) -
              g.within / g.freedom * g.count / g.runs;
    *half = SURE * sqrt(fmax(between, 0));
    return 0;
}
