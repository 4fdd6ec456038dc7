/* SPDX-License-Identifier: BSD-3-Clause */
/* forecast_verb.c: runs in, a forecast out. */
#include "mastermind/cmd/predict/forecast_verb.h"

#include <math.h>
#include <stdlib.h>

#include "mastermind/cmd/kept.h"

struct mm_forecaster *mm_forecaster_of_input(const struct mm_input *input,
                                             const struct mm_library *library,
                                             struct cca_error *err)
{
    struct mm_forecast_run *runs = calloc(input->count + 1, sizeof *runs);
    struct mm_forecaster *forecaster;

    if (!runs) {
        cca_no_memory(err);
        return NULL;
    }
    for (size_t i = 0; i < input->count; i++)
        runs[i] = (struct mm_forecast_run){input->experiments[i]->name,
                                           &input->experiments[i]->run,
                                           input->profiles[i], NAN};
    forecaster = mm_forecaster_new(runs, input->count, library, err);
    free(runs);
    return forecaster;
}

/* Print a forecast; the exit code tells whether there is one. */
static int print(const struct mm_forecast_report *report,
                 const struct mm_library *library, int json)
{
    int result;

    if (json)
        return mm_forecast_print_json(report);
    mm_forecast_print(report);
    mm_print_notes(&library->notes);
    mm_print_notes(&report->forecast->notes);
    result = mm_finish_output(MM_EXIT_DONE);
    return result == MM_EXIT_DONE && report->forecast->unknown ? MM_EXIT_NO : result;
}

static int forecast(const struct mm_input *input,
                    const struct mm_question_options *options,
                    const struct mm_input *held, int json)
{
    struct cca_error err = {0};
    struct mm_library *library = mm_input_library(input, NULL, &err);
    struct mm_forecaster *forecaster = NULL;
    struct mm_forecast *found = NULL;
    struct mm_question question = {0};
    struct mm_forecast_errors errors;
    int result = -1;

    if (library && !mm_kept_note_input(&library->notes, input, &err))
        forecaster = mm_forecaster_of_input(input, library, &err);
    if (forecaster)
        result =
            held->count
                ? mm_question_of_run(&question, mm_forecaster_axes(forecaster),
                                     &held->experiments[0]->run)
                : mm_question_read(&question, mm_forecaster_axes(forecaster), options, 0);
    if (forecaster && result < 0)
        found = mm_forecast_new(forecaster, question.text, &err);
    if (found && held->count)
        mm_forecast_check(forecaster, found, held->profiles[0],
                          (double)held->profiles[0]->dual->total_ns, &errors);
    if (result < 0 && err.code)
        result = err.code == -ENODATA
                     ? mm_refuse(MM_EXIT_NO, "no prediction: %s", err.text)
                     : mm_complain(&err);
    if (result < 0)
        result = print(
            &(struct mm_forecast_report){input, forecaster, found, &question,
                                         held->count ? &errors : NULL,
                                         held->count ? held->experiments[0]->name : NULL},
            library, json);
    mm_forecast_free(found);
    mm_question_done(&question);
    mm_forecaster_free(forecaster);
    mm_library_free(library);
    return result;
}

int mm_forecast_verb(char *const *paths, int count, const struct mm_option *metric,
                     const struct mm_option *any_machine,
                     const struct mm_question_options *options, const char *against,
                     int json)
{
    struct mm_input input = {0}, held = {0};
    char *const held_path[] = {(char *)against};
    int result = mm_input_open_models(&input, paths, count, metric, any_machine, 0);

    if (result < 0 && against)
        result = mm_input_open(&held, held_path, 1, metric);
    if (result < 0)
        result = forecast(&input, options, &held, json);
    mm_input_done(&held);
    mm_input_done(&input);
    return result;
}
