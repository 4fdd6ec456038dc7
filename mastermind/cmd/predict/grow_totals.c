/* SPDX-License-Identifier: BSD-3-Clause */
/* grow_totals.c: time and peak memory of the runs asked for, by the forecast of `predict`
 * from the same runs. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mastermind/cmd/model/model_verb.h"
#include "mastermind/cmd/predict/grow.h"
#include "mastermind/cmd/predict/question.h"
#include "mastermind/cmd/predict/run_input.h"

/* A forecaster made of the sweep's experiments. */
struct source {
    struct mm_run_input runs;
    struct mm_library *library;
    struct mm_forecaster *forecaster;
};

static int open_source(struct source *source, const struct grow *grow, const char *metric)
{
    const struct cca_given option = {.name = "--metric", .given = 1, .values = &metric};
    char *const paths[] = {(char *)grow->sweep.dir};
    struct cca_error err = {0};
    int result = mm_run_input_open(
        &source->runs, paths, 1,
        &(struct mm_run_options){.metric = metric ? &option : NULL}, NULL);

    if (result >= 0)
        return result;
    source->library = mm_input_library(&source->runs.models, NULL, &err);
    if (source->library)
        source->forecaster = mm_forecaster_new(source->runs.runs, source->runs.run_count,
                                               source->library, &err);
    return source->forecaster ? -1 : mm_complain(&err);
}

static void close_source(struct source *source)
{
    mm_forecaster_free(source->forecaster);
    mm_library_free(source->library);
    mm_run_input_done(&source->runs);
}

static void read_total(const struct mm_forecast *forecast, struct grow_total *total)
{
    total->value = forecast->total_ns;
    total->low = forecast->low_ns;
    total->high = forecast->high_ns;
    if (forecast->unknown && forecast->part_count)
        snprintf(total->why, sizeof total->why, "%.190s", forecast->parts[0].why);
    else if (forecast->why)
        snprintf(total->why, sizeof total->why, "%.190s", forecast->why);
}

/* The scaling function of a forecast of a single method, as text. */
static void read_law(const struct mm_forecast *forecast, char *law, size_t size)
{
    const struct mm_forecast_cell *cell = forecast->parts[0].cells;

    if (forecast->part_count != 1 || forecast->parts[0].cell_count != 1)
        return;
    if (cell->model)
        mm_model_print(cell->model, law, size);
    else
        snprintf(law, size, "%s", cell->typical.law);
}

/* Forecast a run of the size `at`. `law` [GROW_LAW] gets its scaling function; law,
 * notes: NULL: not wanted. */
static int forecast_at(const struct source *source, const struct grow *grow,
                       const char *at, struct grow_total *total, char *law,
                       struct mm_notes *notes)
{
    const struct mm_axes *axes = mm_forecaster_axes(source->forecaster);
    const struct mm_question_rule rule = {.has_base = 0};
    struct mm_question question = {0};
    struct mm_forecast *forecast = NULL;
    struct cca_error err = {0};
    const char *values[1];
    char word[300];
    int result;

    snprintf(word, sizeof word, "%.200s=%.90s", sweep_axis_parameter(grow_axis(grow)),
             at);
    values[0] = word;
    result = mm_question_read(
        &question, axes,
        &(struct mm_question_options){
            .variable =
                &(struct cca_given){.name = "--at", .given = 1, .values = values}},
        &rule);
    *total = (struct grow_total){.value = NAN, .low = NAN, .high = NAN};
    if (result < 0)
        forecast = mm_forecast_new(source->forecaster, question.text, &err);
    if (forecast) {
        read_total(forecast, total);
        if (law)
            read_law(forecast, law, GROW_LAW);
        for (size_t i = 0; notes && i < forecast->notes.count && result < 0; i++)
            if (mm_notes_add(notes, "%s", forecast->notes.items[i]))
                result = mm_no_memory();
    } else if (result < 0 && err.code == -ENODATA) {
        snprintf(total->why, sizeof total->why, "%.190s", err.text);
    } else if (result < 0) {
        result = mm_complain(&err);
    }
    mm_forecast_free(forecast);
    mm_question_done(&question);
    return result;
}

/* The source of a figure's costs: forecasts of runs. */
struct drawn {
    const struct source *source;
    const struct grow *grow;
};

static void estimate_run(const void *context, double x, struct mm_estimate *e)
{
    const struct drawn *drawn = context;
    struct grow_total total;
    char size[40];

    snprintf(size, sizeof size, "%.15g", x);
    *e = (struct mm_estimate){.fit_low = NAN, .fit_high = NAN};
    forecast_at(drawn->source, drawn->grow, size, &total, NULL, NULL);
    e->typ = total.value;
    e->low = total.low;
    e->high = total.high;
}

/* Draw the runs and the forecasts up to the largest size asked for. */
static int draw_runs(const struct grow *grow, const struct source *source)
{
    const struct drawn drawn = {source, grow};
    struct mm_figure_source costs = {.estimate = estimate_run, .context = &drawn};
    char title[200];
    const struct mm_model_view view = {.library = source->library,
                                       .metric = &source->runs.models.metric,
                                       .title = title,
                                       .source = &costs};
    size_t used = 0;

    for (char *const *word = grow->sweep.command; *word && used < sizeof title; word++)
        used += (size_t)snprintf(title + used, sizeof title - used, "%s%.60s",
                                 used ? " " : "", *word);
    for (size_t i = 0; i < grow->at_count; i++)
        costs.upto = fmax(costs.upto, 1.05 * strtod(grow->at[i], NULL));
    return mm_model_draw(&view, grow->svg);
}

static int find_total(struct grow *grow, const char *metric, struct grow_total *totals,
                      char *law, struct mm_notes *notes)
{
    struct source source = {.library = NULL};
    int result = open_source(&source, grow, metric);

    for (size_t i = 0; i < grow->at_count && result < 0; i++)
        result =
            forecast_at(&source, grow, grow->at[i], &totals[i], law, i ? NULL : notes);
    if (result < 0 && grow->svg && totals == grow->time)
        result = draw_runs(grow, &source);
    close_source(&source);
    return result;
}

int grow_find_totals(struct grow *grow)
{
    int result = find_total(grow, NULL, grow->time, grow->law, &grow->notes);

    if (result < 0 && grow->sweep.is_plain)
        result = find_total(grow, "o.peak_bytes", grow->peak, grow->peak_law, NULL);
    else
        for (size_t i = 0; i < grow->at_count; i++)
            grow->peak[i] = (struct grow_total){.value = NAN, .low = NAN, .high = NAN};
    return result;
}
