/* SPDX-License-Identifier: BSD-3-Clause */
/* doubt.c: the variance components of a forecast, by source. */
#include "mastermind/forecast/parts.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/array.h"
#include "mastermind/cost/cost.h"

#define MOST_HALF 3. /* largest half-width of a logarithm; a factor of 20 is useless */

/* Errors of one model: of a mode of a class's method. */
struct model_error {
    const struct mm_model *model; /* model with the error; for mean costs without a model:
                                     the part (method) of the forecast */
    const struct mm_forecast_part *part;
    double half_ns;
};

static int add_doubt(struct mm_forecast *forecast, const char *name, double half)
{
    struct mm_doubt *doubt;

    if (!(half > 0))
        return 0;
    doubt = cca_array_add(&forecast->doubts, &forecast->doubt_count, sizeof *doubt);
    if (!doubt)
        return -ENOMEM;
    snprintf(doubt->name, sizeof doubt->name, "%s", name);
    doubt->half = half;
    return 0;
}

static int add_model_error(struct model_error **errors, size_t *count,
                           const struct mm_forecast_part *part,
                           const struct mm_forecast_cell *cell)
{
    struct model_error *error = NULL;

    for (size_t i = 0; i < *count && !error; i++)
        if ((cell->model && (*errors)[i].model == cell->model) ||
            (!cell->model && !(*errors)[i].model && (*errors)[i].part == part))
            error = &(*errors)[i];
    if (!error) {
        error = cca_array_add(errors, count, sizeof *error);
        if (!error)
            return -ENOMEM;
        error->model = cell->model;
        error->part = part;
    }
    error->half_ns += cell->model_ns;
    return 0;
}

/* Sum the models' errors in squares; the part of a method gets the error of all of its
 * modes. */
static int find_model_doubts(struct mm_forecast *forecast, const struct mm_forecaster *f,
                             double *squares)
{
    struct model_error *errors = NULL;
    size_t count = 0;
    int result = 0;

    for (size_t i = 0; i < forecast->part_count && !result; i++)
        for (size_t k = 0; k < forecast->parts[i].cell_count && !result; k++)
            result = add_model_error(&errors, &count, &forecast->parts[i],
                                     &forecast->parts[i].cells[k]);
    for (size_t i = 0; i < count; i++)
        *squares += errors[i].half_ns * errors[i].half_ns;
    for (size_t i = 0; i < forecast->part_count && !result; i++) {
        const struct mm_forecast_part *part = &forecast->parts[i];
        double own = 0;
        char name[160];

        for (size_t k = 0; k < count; k++)
            if (errors[k].part == part)
                own += errors[k].half_ns * errors[k].half_ns;
        snprintf(name, sizeof name, "cost of %.100s",
                 f->structure.cells.vertices[part->vertex].name);
        result = add_doubt(forecast, name, sqrt(own) / forecast->total_ns);
    }
    free(errors);
    return result;
}

static int find_structure_doubts(struct mm_forecast *forecast,
                                 const struct mm_forecaster *f, double *squares)
{
    double own = 0, driver[MM_DRIVERS] = {0};

    for (size_t i = 0; i < forecast->part_count; i++)
        for (size_t k = 0; k < forecast->parts[i].cell_count; k++) {
            const struct mm_forecast_cell *cell = &forecast->parts[i].cells[k];

            own += cell->own_ns;
            for (size_t d = 0; d < MM_DRIVERS; d++)
                driver[d] += cell->driver_ns[d];
        }
    *squares += own * own;
    if (add_doubt(forecast, "sums of sizes and calls", own / forecast->total_ns))
        return -ENOMEM;
    for (size_t d = 0; d < f->structure.driver_count; d++) {
        char name[160];

        *squares += driver[d] * driver[d];
        mm_driver_print(&f->structure, d, name, sizeof name);
        if (add_doubt(forecast, name, fabs(driver[d]) / forecast->total_ns))
            return -ENOMEM;
    }
    return 0;
}

static int doubt_order(const void *left, const void *right)
{
    const struct mm_doubt *a = left, *b = right;

    return (a->half < b->half) - (a->half > b->half);
}

/* Variation between runs: variance of the requested run plus variance of the mean of the
 * measured runs. */
static int find_run_doubt(struct mm_forecast *forecast, const struct mm_forecaster *f,
                          struct mm_run_sd *runs, double *half)
{
    if (mm_run_differences_fit(runs, f, forecast->has_mpi))
        return -ENOMEM;
    forecast->run_sd = runs->sd;
    *half = mm_run_sd_half(*runs, (double)f->count, MM_FORECAST_LEVEL);
    return add_doubt(forecast, "between runs", *half);
}

static int find_mpi_doubts(struct mm_forecast *forecast, double *squares)
{
    double transfer = forecast->transfer.own, waiting = forecast->waiting.own;

    if (!forecast->has_mpi)
        return 0;
    *squares += transfer * transfer + waiting * waiting;
    return add_doubt(forecast, "transfer", transfer / forecast->total_ns) ||
                   add_doubt(forecast, "waiting", waiting / forecast->total_ns)
               ? -ENOMEM
               : 0;
}

int mm_doubts_find(struct mm_forecast *forecast, const struct mm_forecaster *f)
{
    double squares = 0, of_runs, half;
    struct mm_run_sd runs;

    if (forecast->unknown || !(forecast->total_ns > 0)) {
        forecast->why = "a part of the run has no prediction";
        return 0;
    }
    if (find_model_doubts(forecast, f, &squares) ||
        find_structure_doubts(forecast, f, &squares) ||
        find_mpi_doubts(forecast, &squares) ||
        find_run_doubt(forecast, f, &runs, &of_runs))
        return -ENOMEM;
    if (forecast->doubt_count)
        qsort(forecast->doubts, forecast->doubt_count, sizeof *forecast->doubts,
              doubt_order);
    forecast->fit_half = sqrt(squares) / forecast->total_ns;
    half = hypot(forecast->fit_half, of_runs);
    if (half > MOST_HALF) {
        forecast->why = "it would be wider than a factor of 20";
    } else if (isfinite(half)) { /* a cost is positive, so the interval is an interval of
                                    its logarithm */
        forecast->low_ns = forecast->total_ns * exp(-half);
        forecast->high_ns = forecast->total_ns * exp(half);
    } else if (!forecast->why) {
        forecast->why = "the error of a model is unknown";
    }
    mm_limits_apply(forecast, f, runs);
    return 0;
}
