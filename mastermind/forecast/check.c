/* SPDX-License-Identifier: BSD-3-Clause */
/* check.c: compare a forecast with a measured run. */
#include <math.h>
#include <string.h>

#include "mastermind/forecast/parts.h"

/* The cell of a part whose calls have the modes of `in`, or a cell for all modes; NULL:
 * none. */
static const struct mm_forecast_cell *cell_of(const struct mm_cells *cells,
                                              const struct mm_forecast_part *part,
                                              const struct mm_method_info *own,
                                              const union monitor_value *in)
{
    const struct mm_method_info *method = cells->vertices[part->vertex].method;
    const struct mm_forecast_cell *all = NULL;
    union monitor_value mapped[MONITOR_MAX_IN];

    if (mm_values_map(method, own, in, mapped))
        return NULL;
    for (size_t i = 0; i < part->cell_count; i++) {
        const union monitor_value *mode = cells->items[part->cells[i].cell].mode;

        if (mode && mm_same_modes(method, mode, mapped))
            return &part->cells[i];
        all = mode ? all : &part->cells[i];
    }
    return all;
}

/* Ratio of mean to typical cost of the calls of a mode, over all callers and levels. */
static double mode_ratio(const struct mm_cells *cells,
                         const struct mm_forecast_part *part,
                         const struct mm_forecast_cell *like)
{
    const struct mm_method_info *method = cells->vertices[part->vertex].method;
    const union monitor_value *mode = cells->items[like->cell].mode;
    double cost = 0, typical = 0;

    for (size_t i = 0; i < part->cell_count; i++) {
        const struct mm_forecast_cell *cell = &part->cells[i];
        const union monitor_value *other = cells->items[cell->cell].mode;

        if (cell->model != like->model || !mode != !other ||
            (mode && !mm_same_modes(method, mode, other)) || !(cell->ratio > 0))
            continue;
        cost += cell->cost_ns;
        typical += cell->cost_ns / cell->ratio;
    }
    return typical > 0 ? cost / typical : like->ratio;
}

/* Cost of the measured calls of a part, by the models of the forecast. */
static double counted_cost(const struct mm_cells *cells,
                           const struct mm_forecast_part *part,
                           const struct mm_profile *run, size_t at)
{
    const struct mm_method_info *own = run->source.methods[at];
    const struct mm_points *points = &run->points[at];
    double cost = 0;

    if (run->source.counts) /* a count needs no models */
        return (double)run->dual->vertices[at].exclusive_ns;
    for (size_t i = 0; i < points->count; i++) {
        const struct mm_forecast_cell *cell =
            cell_of(cells, part, own, points->points[i].in);
        union monitor_value mapped[MONITOR_MAX_IN];
        double calls = (double)points->points[i].calls, x[MONITOR_MAX_IN];

        if (!cell)
            return NAN;
        if (!cell->model)
            cost += calls * cell->sums[0].number.value;
        else if (mm_values_map(cell->model->method, own, points->points[i].in, mapped))
            return NAN;
        else {
            mm_model_tuple(cell->model, mapped, x);
            cost += calls * mode_ratio(cells, part, cell) *
                    mm_form_value(&cell->model->forms.form[0], x);
        }
    }
    return cost;
}

void mm_forecast_check(const struct mm_forecaster *forecaster,
                       struct mm_forecast *forecast, const struct mm_forecast_run *run,
                       struct mm_forecast_errors *errors)
{
    const struct mm_cells *cells = &forecaster->structure.cells;
    const struct mm_profile *profile = run->profile;
    double counted = 0, predicted = 0;

    for (size_t k = 0; k < forecast->part_count; k++) {
        predicted += forecast->parts[k].cost_ns;
        forecast->parts[k].counted_ns = forecast->parts[k].measured_ns = NAN;
    }
    for (size_t i = 0; i < profile->source.method_count; i++) {
        struct mm_forecast_part *part = NULL;

        if (!profile->dual->vertices[i].calls)
            continue;
        for (size_t k = 0; k < forecast->part_count && !part; k++)
            if (strcmp(cells->vertices[forecast->parts[k].vertex].name,
                       profile->source.methods[i]->name) == 0)
                part = &forecast->parts[k];
        if (part) {
            part->counted_ns = counted_cost(cells, part, profile, i);
            part->measured_ns = (double)profile->dual->vertices[i].exclusive_ns;
        }
        counted += part ? part->counted_ns : NAN;
    }
    *errors = (struct mm_forecast_errors){
        .measured_ns =
            isfinite(run->total_ns) ? run->total_ns : (double)profile->dual->total_ns,
        .cost = counted / (double)profile->dual->total_ns - 1,
        .structure = predicted / counted - 1,
        .transfer_ns = run->transfer_ns,
        .waiting_ns = run->waiting_ns,
    };
    errors->total = forecast->total_ns / errors->measured_ns - 1;
}
