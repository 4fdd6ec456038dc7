/* SPDX-License-Identifier: BSD-3-Clause */
/* forecast_verb.c: read runs and print a forecast. */
#include "mastermind/cmd/predict/forecast_verb.h"

#include <errno.h>

#include "mastermind/cmd/kept.h"
#include "mastermind/cmd/line.h"
#include "mastermind/cmd/predict/run_input.h"

/* Print a forecast. Returns the exit code, MM_EXIT_NO if there is no prediction. */
static int print(const struct mm_forecast_report *report, int json)
{
    int result;

    if (json)
        return mm_keeper_finish(report->keeper, mm_forecast_print_json(report), 1);
    mm_forecast_print(report);
    mm_stretch_print(report->stretch);
    mm_print_notes(report->notes);
    mm_print_notes(&report->forecast->notes);
    result = mm_finish_output(MM_EXIT_DONE);
    result = mm_keeper_finish(report->keeper, result, 0);
    return result == MM_EXIT_DONE &&
                   (report->forecast->unknown || !report->forecast->part_count)
               ? MM_EXIT_NO
               : result;
}

struct mm_library *mm_forecast_library(const struct mm_run_input *runs,
                                       struct cca_error *err)
{
    struct mm_library *library = mm_input_library(&runs->models, NULL, err);
    int result = 0;

    if (library)
        result = mm_kept_note_input(&library->notes, &runs->models, err);
    if (library && !result && mm_kept_note_host(&library->notes, &runs->models))
        result = cca_no_memory(err);
    if (library && !result && runs->without_mpi &&
        mm_notes_add(&library->notes,
                     "%s: its time inside MPI was not measured: it counts as compute, "
                     "and waiting has no scaling function",
                     runs->without_mpi))
        result = cca_no_memory(err);
    if (!result)
        return library;
    mm_library_free(library);
    return NULL;
}

static int forecast(const struct mm_run_input *runs,
                    const struct mm_question_options *options,
                    const struct mm_run_input *held, struct mm_keeper *keeper, int json)
{
    struct cca_error err = {0};
    struct mm_library *library = mm_forecast_library(runs, &err);
    struct mm_forecaster *forecaster =
        library ? mm_forecaster_new(runs->runs, runs->run_count, library, &err) : NULL;
    struct mm_forecast *found = NULL;
    const struct mm_question_rule rule = {.has_base = runs->has_base};
    const struct mm_forecast_run *against = held->models.count ? &held->runs[0] : NULL;
    const struct mm_stretch *stretch = mm_input_stretch(&runs->models);
    struct mm_question question = {0};
    struct mm_forecast_errors errors;
    int result = -1;

    if (forecaster && against)
        result =
            mm_question_of_run(&question, mm_forecaster_axes(forecaster), against->run);
    else if (forecaster)
        result =
            mm_question_read(&question, mm_forecaster_axes(forecaster), options, &rule);
    if (forecaster && result < 0)
        result = mm_question_check_classes(&question, mm_forecaster_axes(forecaster),
                                           &runs->models);
    if (forecaster && result < 0)
        found = mm_forecast_new(forecaster, question.text, &err);
    if (found && !against && rule.has_base &&
        mm_question_is_base(&question, mm_forecaster_axes(forecaster)))
        against = &runs->runs[0];
    if (found && against)
        mm_forecast_check(found->by, found, against, &errors);
    if (found && stretch)
        mm_forecast_stretch(found, stretch);
    if (found && stretch && against) {
        errors.measured_ns = mm_forecast_run_wall(against);
        errors.total = found->total_ns / errors.measured_ns - 1;
    }
    if (result < 0 && err.code)
        result = err.code == -ENODATA
                     ? mm_refuse(MM_EXIT_NO, "no prediction: %s", mm_safe(err.text))
                     : mm_complain(&err);
    if (result < 0) {
        const struct mm_forecast_report report = {
            .input = &runs->models,
            .metric = mm_run_metric(runs),
            .forecaster = found->by,
            .forecast = found,
            .question = &question,
            .errors = against ? &errors : NULL,
            .against = against ? against->name : NULL,
            .base = rule.has_base && !against ? &runs->runs[0] : NULL,
            .stretch = stretch,
            .notes = &library->notes,
            .keeper = keeper};

        mm_forecast_keep(&report, "predict", found);
        result = print(&report, json);
    }
    mm_forecast_free(found);
    mm_question_done(&question);
    mm_forecaster_free(forecaster);
    mm_library_free(library);
    return result;
}

/* Check that --against names a single run, and no values are set: that run is the one to
 * predict. Returns -1 to go on. */
static int check_against(const struct mm_question_options *options, const char *against)
{
    const struct cca_given *set[] = {options->set, options->variable, options->class_of,
                                     options->ranks};

    if (!against)
        return -1;
    for (size_t i = 0; i < sizeof set / sizeof *set; i++)
        if (set[i] && set[i]->given)
            return mm_refuse(MM_EXIT_MISUSE,
                             "%s with --against, which asks for that run as it was",
                             set[i]->name);
    if (mm_path_is_sweep(against))
        return mm_refuse(MM_EXIT_MISUSE, "--against %s: found a sweep, expected a run",
                         mm_safe(against));
    return -1;
}

int mm_forecast_verb(char *const *paths, int count, const struct mm_run_options *runs,
                     const struct mm_question_options *options, const char *against,
                     const struct cca_given *ledger, int json)
{
    struct mm_run_input input = {0}, held = {0};
    struct mm_keeper keeper = {0};
    char *const held_path[] = {(char *)against};
    int result = check_against(options, against);

    if (result < 0)
        result = mm_run_input_open(&input, paths, count, runs, NULL);
    if (result < 0 && against)
        result =
            mm_run_input_open(&held, held_path, 1,
                              &(struct mm_run_options){.metric = runs->metric}, &input);
    if (result < 0)
        result = mm_keeper_open(&keeper, ledger, paths, count, against);
    if (result < 0 && against && !held.runs[0].run->is_known)
        result =
            mm_refuse(MM_EXIT_INPUT,
                      "%s: its parameters are not known: an older experiment, or not "
                      "of ccafe",
                      mm_safe(held.runs[0].name));
    if (result < 0)
        result = forecast(&input, options, &held, &keeper, json);
    mm_keeper_done(&keeper);
    mm_run_input_done(&held);
    mm_run_input_done(&input);
    return result;
}
