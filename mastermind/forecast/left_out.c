/* SPDX-License-Identifier: BSD-3-Clause */
/* left_out.c: fit a model to the smaller sizes and predict the costs of the larger
 * ones. */
#include "mastermind/forecast/left_out.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "common/array.h"
#include "mastermind/forecast/parts.h"

#define PARTS 2. /* a trial predicts sizes above the largest size divided by this */

static double value_at(const struct mm_points *points, size_t at, size_t parameter)
{
    return mm_in_value(points->method, points->points[at].in, parameter);
}

/* Number of distinct values of a parameter up to `limit`. */
static size_t different_below(const struct mm_points *points, size_t parameter,
                              double limit)
{
    size_t found = 0;

    for (size_t i = 0; i < points->count; i++) {
        double value = value_at(points, i, parameter);
        size_t k = 0;

        while (k < i && value_at(points, k, parameter) != value)
            k++;
        found += k == i && value <= limit;
    }
    return found;
}

/* Rms logarithmic error at sizes above `limit`, of a model fitted to the smaller sizes,
 * for each unit of log(size / limit). */
static double trial(const struct mm_points *all, const struct mm_points *below,
                    const struct mm_model *model, size_t parameter, double limit)
{
    struct cca_error none = {0};
    struct mm_model fitted;
    double squares = 0, far = 0, calls = 0;

    if (mm_model_fit(&fitted, below, model->modes, NULL, &none) < 0)
        return NAN;
    for (size_t i = 0; i < all->count; i++) {
        const struct mm_point *point = &all->points[i];
        double value = value_at(all, i, parameter), n = (double)point->n, error;

        if (value <= limit || !point->n ||
            !mm_same_modes(all->method, model->modes, point->in))
            continue;
        error = log(mm_model_mean_ns(&fitted, point->in) / mm_point_own_ns(point));
        if (!isfinite(error))
            continue;
        squares += n * error * error;
        far += n * log(value / limit);
        calls += n;
    }
    mm_model_done(&fitted);
    return far > 0 ? sqrt(squares / calls) / (far / calls) : NAN;
}

static int find_slope(const struct mm_points *points, const struct mm_model *model,
                      size_t parameter, double *slope)
{
    struct mm_points below = *points;
    double limit = model->high[parameter] / PARTS;

    *slope = NAN;
    if (!(limit > 0) || different_below(points, parameter, limit) < MM_LEAST_BELOW)
        return 0;
    below.points = malloc((points->count + 1) * sizeof *below.points);
    if (!below.points)
        return -ENOMEM;
    below.count = 0;
    for (size_t i = 0; i < points->count; i++)
        if (value_at(points, i, parameter) <= limit)
            below.points[below.count++] = points->points[i];
    *slope = trial(points, &below, model, parameter, limit);
    free(below.points);
    return 0;
}

int mm_left_out_slope(struct mm_forecaster *f, const struct mm_cell_source *source,
                      size_t parameter, double *slope, struct cca_error *err)
{
    struct mm_left_out *added;

    for (size_t i = 0; i < f->left_out_count; i++)
        if (f->left_out[i].model == source->model &&
            f->left_out[i].parameter == parameter) {
            *slope = f->left_out[i].slope;
            return 0;
        }
    if (!mm_same_in_values(source->set->method, source->model->method))
        *slope = NAN;
    else if (find_slope(&source->set->points, source->model, parameter, slope))
        return cca_no_memory(err);
    added = cca_array_add(&f->left_out, &f->left_out_count, sizeof *added);
    if (!added)
        return cca_no_memory(err);
    *added = (struct mm_left_out){source->model, parameter, *slope};
    return 0;
}
