/* SPDX-License-Identifier: BSD-3-Clause */
/* forecast_json.c: print a forecast as a document, mastermind/predict/1. */

#include "mastermind/cmd/line.h"
#include "mastermind/cmd/predict/forecast_verb.h"

static void put_amount(json_t *object, const struct mm_amount *amount)
{
    mm_json_set(object, "value low high exact law why", amount->number.value,
                amount->number.low, amount->number.high, json_boolean(amount->exact),
                *amount->law ? amount->law : NULL, *amount->why ? amount->why : NULL);
}

static json_t *sum_json(const struct mm_forecast_cell *cell, size_t at,
                        const struct mm_metric *metric)
{
    json_t *object = json_object();

    put_amount(object, &cell->sums[at]);
    if (cell->model) {
        const struct mm_form *form = &cell->model->forms.form[0];
        struct mm_form one = {.basis[0] = form->basis[at], .a[0] = 1, .count = 1};
        char text[MM_LAW_TEXT];

        mm_form_print(&one, cell->model->method, 1, text, sizeof text);
        mm_json_put(object, "of", mm_json_escaped(text));
        mm_json_set_ns(object, metric, "coefficient", form->a[at]);
    } else {
        mm_json_put(object, "of", json_string("mean cost of a call in each run"));
    }
    return object;
}

static json_t *cell_json(const struct mm_forecast_report *r,
                         const struct mm_forecast_cell *of)
{
    const struct mm_metric *metric = r->metric;
    const struct mm_cells *cells = &mm_forecaster_structure(r->forecaster)->cells;
    const struct mm_cell *cell = &cells->items[of->cell];
    json_t *object = json_object(), *calls = json_object(), *sums = json_array();
    char mode[300] = "";

    mm_json_put(object, "caller", mm_json_escaped(cells->vertices[cell->caller].name));
    if (cell->mode)
        mm_mode_print(cells->vertices[cell->vertex].method, cell->mode, mode,
                      sizeof mode);
    mm_json_set(object, "mode", *mode ? mode : NULL);
    if (cell->level != MM_NO_LEVEL)
        mm_json_put(object, "level", json_integer(cell->level));
    put_amount(calls, &of->calls);
    mm_json_put(object, "calls", calls);
    mm_json_set_seconds(object, metric, "predicted structure_half_90 cost_half_90",
                        of->cost_ns, of->own_ns, of->model_ns);
    for (size_t i = 0; i < of->sum_count; i++)
        json_array_append_new(sums, sum_json(of, i, metric));
    mm_json_put(object, "sums", sums);
    if (of->typical.number.value > 0) {
        json_t *typical = json_object();

        put_amount(typical, &of->typical);
        mm_json_put(object, "typical", typical);
    }
    if (of->model)
        mm_json_put(object, "mean_over_typical", mm_json_finite(of->ratio));
    if (of->beyond > 1) {
        mm_json_set(object, "beyond beyond_parameter", of->beyond, of->beyond_name);
    }
    return object;
}

static json_t *part_json(const struct mm_forecast_report *r,
                         const struct mm_forecast_part *part)
{
    const struct mm_metric *metric = r->metric;
    double low, high;
    const struct mm_method_info *method =
        mm_forecaster_structure(r->forecaster)->cells.vertices[part->vertex].method;
    json_t *object = json_object(), *cells = json_array();

    mm_forecast_part_interval(r->forecast, part, &low, &high);
    mm_json_set(object, "name instance port method class calls calls_low calls_high",
                method->name, method->instance, method->port, method->method,
                part->class_name, part->calls, part->calls_low, part->calls_high);
    mm_json_set_seconds(object, metric, "predicted half_90 low high", part->cost_ns,
                        part->half_ns, low, high);
    if (r->errors) {
        mm_json_set_seconds(object, metric, "counted measured", part->counted_ns,
                            part->measured_ns);
    }
    mm_json_set(object, "why", *part->why ? part->why : NULL);
    for (size_t i = 0; i < part->cell_count; i++)
        json_array_append_new(cells, cell_json(r, &part->cells[i]));
    mm_json_put(object, "cells", cells);
    return object;
}

static json_t *doubts_json(const struct mm_forecast *f)
{
    json_t *doubts = json_array();

    for (size_t i = 0; i < f->doubt_count; i++) {
        json_array_append_new(
            doubts, mm_json_object("name share", f->doubts[i].name, f->doubts[i].half));
    }
    return doubts;
}

static json_t *drivers_json(const struct mm_forecast_report *r)
{
    const struct mm_structure *s = mm_forecaster_structure(r->forecaster);
    json_t *drivers = json_array();

    for (size_t d = 0; d < s->driver_count; d++) {
        json_t *object = json_object();
        char name[200];

        mm_driver_print(s, d, name, sizeof name);
        mm_json_put(object, "name", mm_json_escaped(name));
        put_amount(object, &r->forecast->asked.driver[d]);
        json_array_append_new(drivers, object);
    }
    return drivers;
}

json_t *mm_forecast_times_json(const struct mm_forecast *f,
                               const struct mm_metric *metric)
{
    json_t *object = json_object();
    double compute = 0;

    for (size_t i = 0; i < f->part_count; i++)
        compute += f->parts[i].cost_ns;
    mm_json_set_seconds(object, metric, "compute transfer waiting", compute,
                        f->transfer.number.value, f->waiting.number.value);
    return object;
}

/* JSON members for the predicted times of compute, transfer and waiting; an unknown
 * time is replaced by its reason. */
static json_t *what_json(const struct mm_forecast_report *r)
{
    const struct mm_forecast *f = r->forecast;
    json_t *object = mm_forecast_times_json(f, r->metric);

    if (*f->transfer.why)
        mm_json_put(object, "why", mm_json_escaped(f->transfer.why));
    else if (*f->waiting.why)
        mm_json_put(object, "why", mm_json_escaped(f->waiting.why));
    return object;
}

/* Number of the runs, without their shadow calls. */
static size_t count_runs(const struct mm_input *input)
{
    size_t count = 0;

    for (size_t i = 0; i < input->count; i++)
        count += !input->experiments[i]->is_apart;
    return count;
}

int mm_forecast_print_json(const struct mm_forecast_report *r)
{
    const struct mm_forecast *f = r->forecast;
    const struct mm_metric *metric = r->metric;
    json_t *document = mm_json_metric_document("predict", metric);
    json_t *parts = json_array();
    int result;

    mm_json_set(document, "runs asked", (json_int_t)count_runs(r->input),
                mm_question_json(r->question, mm_forecaster_axes(r->forecaster)));
    if (!f->unknown) {
        mm_json_set_seconds(document, metric, "total low high", f->total_ns, f->low_ns,
                            f->high_ns);
    }
    if (f->has_mpi)
        mm_json_put(document, "what", what_json(r));
    mm_json_set(document, "level no_interval run_sd doubts drivers", MM_FORECAST_LEVEL,
                f->why, f->run_sd, doubts_json(f), drivers_json(r));
    for (size_t i = 0; i < f->part_count; i++)
        json_array_append_new(parts, part_json(r, &f->parts[i]));
    mm_json_put(document, "parts", parts);
    if (r->errors) {
        json_t *against = json_object();

        mm_json_put(against, "experiment", mm_json_escaped(r->against));
        mm_json_set_seconds(against, metric, "measured transfer waiting",
                            r->errors->measured_ns, r->errors->transfer_ns,
                            r->errors->waiting_ns);
        mm_json_set(against, "cost_error structure_error total_error", r->errors->cost,
                    r->errors->structure, r->errors->total);
        mm_json_put(document, "against", against);
    }
    if (r->base) {
        json_t *base = json_object();

        mm_json_put(base, "experiment", mm_json_escaped(r->base->name));
        mm_json_set_seconds(base, metric, "measured",
                            r->stretch ? mm_forecast_run_wall(r->base)
                                       : mm_forecast_run_total(r->base));
        mm_json_put(document, "base", base);
    }
    mm_stretch_put(document, r->stretch);
    mm_json_set(document, "ledger notes", mm_keeper_json(r->keeper),
                mm_json_notes(r->notes, &f->notes));
    result = mm_json_print(document);
    return result == MM_EXIT_DONE && f->unknown ? MM_EXIT_NO : result;
}
