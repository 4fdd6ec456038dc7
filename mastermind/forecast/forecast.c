/* SPDX-License-Identifier: BSD-3-Clause */
/* forecast.c: all cells of the requested run, their sum and its variance components. */
#include "mastermind/forecast/forecast.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "mastermind/forecast/cost.h"
#include "mastermind/forecast/parts.h"

/* --- Parts ------------------------------------------------------------------------- */

static struct mm_forecast_part *part_of(struct mm_forecast *forecast, size_t vertex)
{
    struct mm_forecast_part *part;

    for (size_t i = 0; i < forecast->part_count; i++)
        if (forecast->parts[i].vertex == vertex)
            return &forecast->parts[i];
    part = cca_array_add(&forecast->parts, &forecast->part_count, sizeof *part);
    if (part) {
        part->vertex = vertex;
        part->beyond = 1;
    }
    return part;
}

static void add_up(struct mm_forecast_part *part)
{
    double own = 0, model = 0, driver[MM_DRIVERS] = {0}, squares = 0;

    for (size_t i = 0; i < part->cell_count; i++) {
        const struct mm_forecast_cell *cell = &part->cells[i];

        part->calls += cell->calls.number.value;
        part->calls_low += cell->calls.number.low;
        part->calls_high += cell->calls.number.high;
        part->cost_ns += cell->cost_ns;
        own += cell->own_ns;
        model += cell->model_ns;
        for (size_t d = 0; d < MM_DRIVERS; d++)
            driver[d] += cell->driver_ns[d];
        if (cell->beyond > part->beyond) {
            part->beyond = cell->beyond;
            part->beyond_name = cell->beyond_name;
        }
    }
    squares = own * own + model * model;
    for (size_t d = 0; d < MM_DRIVERS; d++)
        squares += driver[d] * driver[d];
    part->half_ns = sqrt(squares);
}

/* True for a cell whose method or caller belongs to an instance that the requested run
 * does not have. */
static int is_absent(const struct mm_forecaster *f, const struct mm_asked *asked,
                     const struct mm_cell *cell)
{
    return !mm_forecast_class(f, asked, cell->vertex) ||
           (f->structure.cells.vertices[cell->caller].method &&
            !mm_forecast_class(f, asked, cell->caller));
}

/* True if no call of the cell's method has ended in any run, as of a driver while it
 * runs. */
static int is_open_alone(const struct mm_forecaster *f, size_t cell)
{
    const char *name = mm_cell_method(&f->structure.cells, cell)->name;
    uint64_t open = 0, calls = 0;

    for (size_t r = 0; r < f->count; r++)
        for (size_t i = 0; i < f->profiles[r]->source.method_count; i++)
            if (strcmp(f->profiles[r]->source.methods[i]->name, name) == 0) {
                open += f->profiles[r]->dual->vertices[i].open;
                calls += f->profiles[r]->dual->vertices[i].calls;
            }
    return open && open == calls;
}

static int forecast_cell(struct mm_forecaster *f, struct mm_forecast *forecast,
                         size_t cell, struct cca_error *err)
{
    size_t vertex = f->structure.cells.items[cell].vertex;
    const char *class_name = mm_forecast_class(f, &forecast->asked, vertex);
    struct mm_forecast_part *part = part_of(forecast, vertex);
    struct mm_forecast_cell *of =
        part ? cca_array_add(&part->cells, &part->cell_count, sizeof *of) : NULL;
    struct mm_quantity *calls =
        mm_structure_quantity(&f->structure, MM_QUANTITY_CALLS, cell, NULL);
    struct mm_cell_source source;

    if (!of || !calls)
        return cca_no_memory(err);
    part->class_name = class_name;
    of->cell = cell;
    if (mm_structure_amount(&f->structure, calls, &forecast->asked, &of->calls, err))
        return err->code;
    if (mm_cell_source_init(&source, f, &forecast->asked, cell, class_name,
                            &forecast->notes))
        return cca_no_memory(err);
    if (!source.set && is_open_alone(f, cell)) {
        of->beyond = 1;
        return mm_notes_add(&forecast->notes,
                            "%s: no call has ended: its own time is left out",
                            mm_cell_method(&f->structure.cells, cell)->name)
                   ? cca_no_memory(err)
                   : 0;
    }
    return mm_cell_forecast(f, &forecast->asked, &source, class_name, of, part->why, err);
}

/* Order parts of a forecast: unknown parts first, then by descending cost. */
static int part_order(const void *left, const void *right)
{
    const struct mm_forecast_part *a = left, *b = right;
    double x = isnan(a->cost_ns) ? INFINITY : a->cost_ns;
    double y = isnan(b->cost_ns) ? INFINITY : b->cost_ns;

    return x != y ? (x < y) - (x > y) : (a->vertex > b->vertex) - (a->vertex < b->vertex);
}

/* --- The total --------------------------------------------------------------------- */

/* Add the cost of a part to the total, which is the largest cost if costs do not add
 * up. */
static void add_to_total(const struct mm_forecaster *f, struct mm_forecast *forecast,
                         double cost_ns)
{
    if (!f->profiles[0]->source.largest)
        forecast->total_ns += cost_ns;
    else if (isnan(cost_ns) || cost_ns > forecast->total_ns)
        forecast->total_ns = cost_ns;
}

static int add_cells(struct mm_forecaster *f, struct mm_forecast *forecast,
                     struct cca_error *err)
{
    for (size_t i = 0; i < f->structure.cells.count; i++)
        if (!is_absent(f, &forecast->asked, &f->structure.cells.items[i]) &&
            forecast_cell(f, forecast, i, err))
            return err->code;
    for (size_t i = 0; i < forecast->part_count; i++) {
        struct mm_forecast_part *part = &forecast->parts[i];

        add_up(part);
        if (*part->why)
            part->cost_ns = NAN;
        forecast->unknown += isnan(part->cost_ns);
        add_to_total(f, forecast, part->cost_ns);
    }
    if (forecast->part_count)
        qsort(forecast->parts, forecast->part_count, sizeof *forecast->parts, part_order);
    return 0;
}

/* The forecaster to use: the given one, or the forecaster with merged mesh levels. */
static struct mm_forecaster *forecaster_for(struct mm_forecaster *f,
                                            const struct mm_asked *asked,
                                            struct cca_error *err)
{
    int lacks = mm_structure_lacks_level(&f->structure, asked, err);

    return lacks < 0 ? NULL : lacks ? mm_forecaster_flat(f, err) : f;
}

struct mm_forecast *mm_forecast_new(struct mm_forecaster *f, const char *const *text,
                                    struct cca_error *err)
{
    struct mm_forecast *forecast = calloc(1, sizeof *forecast);

    if (!forecast) {
        cca_no_memory(err);
        return NULL;
    }
    forecast->low_ns = forecast->high_ns = forecast->run_sd = NAN;
    forecast->asked.text =
        calloc(f->structure.axes.count + 1, sizeof *forecast->asked.text);
    if (!forecast->asked.text) {
        cca_no_memory(err);
        goto fail;
    }
    memcpy(forecast->asked.text, text, f->structure.axes.count * sizeof *text);
    f = forecaster_for(f, &forecast->asked, err);
    forecast->by = f;
    if (!f || mm_structure_ask(&f->structure, &forecast->asked, err) ||
        add_cells(f, forecast, err) || mm_forecast_mpi(f, forecast, err))
        goto fail;
    if (mm_doubts_find(forecast, f)) {
        cca_no_memory(err);
        goto fail;
    }
    return forecast;
fail:
    mm_forecast_free(forecast);
    return NULL;
}

void mm_forecast_stretch(struct mm_forecast *f, const struct mm_stretch *stretch)
{
    for (size_t i = 0; i < f->part_count; i++) {
        f->parts[i].cost_ns *= stretch->mean;
        f->parts[i].half_ns *= stretch->mean;
    }
    if (!f->unknown)
        mm_stretch_apply(stretch, &f->total_ns, &f->low_ns, &f->high_ns);
}

double mm_forecast_half_of_runs(const struct mm_forecast *f)
{
    for (size_t i = 0; i < f->doubt_count; i++)
        if (strcmp(f->doubts[i].name, "between runs") == 0)
            return f->doubts[i].half;
    return 0;
}

/* Half-width of the logarithm of a part's cost on the side where the total's is `all`;
 * NaN: the total has no interval, but the part has. */
static double part_half(const struct mm_forecast *f, const struct mm_forecast_part *part,
                        double all)
{
    double own = part->half_ns / part->cost_ns;

    if (isnan(all) && part->half_ns > 0)
        return hypot(own, mm_forecast_half_of_runs(f));
    return part->half_ns > 0
               ? sqrt(fmax(own * own + all * all - f->fit_half * f->fit_half, 0))
               : NAN;
}

void mm_forecast_part_interval(const struct mm_forecast *f,
                               const struct mm_forecast_part *part, double *low,
                               double *high)
{
    *low = part->cost_ns * exp(-part_half(f, part, log(f->total_ns / f->low_ns)));
    *high = part->cost_ns * exp(part_half(f, part, log(f->high_ns / f->total_ns)));
}

void mm_forecast_free(struct mm_forecast *forecast)
{
    if (!forecast)
        return;
    for (size_t i = 0; i < forecast->part_count; i++)
        free(forecast->parts[i].cells);
    free(forecast->parts);
    free(forecast->doubts);
    free(forecast->asked.text);
    mm_notes_done(&forecast->notes);
    free(forecast);
}
