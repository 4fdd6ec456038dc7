/* SPDX-License-Identifier: BSD-3-Clause */
/* grow_totals.c: time and peak memory of the runs asked for, by the forecast of `predict`
 * from the same runs. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

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
    int result =
        mm_run_input_open(&source->runs, paths, 1, metric ? &option : NULL, NULL, NULL);

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

static int forecast_at(const struct source *source, struct grow *grow, size_t at,
                       struct grow_total *total, char *law, size_t law_size,
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

    snprintf(word, sizeof word, "%.200s=%.90s", grow_axis(grow)->name, grow->at[at]);
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
        read_law(forecast, law, law_size);
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

static int find_total(struct grow *grow, const char *metric, struct grow_total *totals,
                      char *law, size_t law_size, struct mm_notes *notes)
{
    struct source source = {.library = NULL};
    int result = open_source(&source, grow, metric);

    for (size_t i = 0; i < grow->at_count && result < 0; i++)
        result =
            forecast_at(&source, grow, i, &totals[i], law, law_size, i ? NULL : notes);
    close_source(&source);
    return result;
}

int grow_find_totals(struct grow *grow)
{
    int result =
        find_total(grow, NULL, grow->time, grow->law, sizeof grow->law, &grow->notes);

    if (result < 0 && grow->sweep.is_plain)
        result = find_total(grow, "o.peak_bytes", grow->peak, grow->peak_law,
                            sizeof grow->peak_law, NULL);
    else
        for (size_t i = 0; i < grow->at_count; i++)
            grow->peak[i] = (struct grow_total){.value = NAN, .low = NAN, .high = NAN};
    return result;
}
