/* SPDX-License-Identifier: BSD-3-Clause */
/* forecast_verb.h: `mastermind predict` of runs that never happened. */
#ifndef MASTERMIND_CMD_PREDICT_FORECAST_VERB_H
#define MASTERMIND_CMD_PREDICT_FORECAST_VERB_H

#include "mastermind/forecast/composite/predict.h"
#include "mastermind/forecast/forecast.h"
#include "mastermind/cmd/ledger/keep.h"
#include "mastermind/cmd/predict/question.h"

/* A forecast and what it is printed with. */
struct mm_forecast_report {
    const struct mm_input *input;
    const struct mm_metric *metric; /* of the total */
    struct mm_forecaster *forecaster;
    const struct mm_forecast *forecast;
    const struct mm_question *question;
    const struct mm_forecast_errors *errors; /* NULL: not held against a run */
    const char *against;                     /* name of that run */
    const struct mm_notes *notes;            /* on the runs and their models */
    struct mm_keeper *keeper;                /* of the ledger */
};

/* Open the runs in `paths` and forecast. `options` as in cmd_predict; `against` (or NULL)
 * is the path of a run to hold the forecast against, `ledger` the option. Returns an exit
 * code. */
int mm_forecast_verb(char *const *paths, int count, const struct mm_option *metric,
                     const struct mm_option *any_machine,
                     const struct mm_question_options *options, const char *against,
                     const struct mm_option *ledger, int json);
void mm_forecast_print(const struct mm_forecast_report *report);
int mm_forecast_print_json(const struct mm_forecast_report *report);
/* Keep the forecast in the ledger, with its interval recalibrated, if there is one.
 * `verb` made it. forecast_statement.c */
void mm_forecast_keep(const struct mm_forecast_report *report, const char *verb,
                      struct mm_forecast *forecast);
/* Keep a prediction for a measured base with `count` other classes; keeper->low and high
 * are its interval, also without a ledger. predict_statement.c */
void mm_prediction_keep(struct mm_keeper *keeper, const struct mm_input *input,
                        const struct mm_prediction *prediction,
                        const struct mm_substitution *sets, size_t count);
/* Print a prediction for a measured base. Returns an exit code. predict_json.c */
int mm_prediction_print_json(const struct mm_input *input,
                             const struct mm_prediction *prediction,
                             const struct mm_library *library,
                             const struct mm_keeper *keeper);

#endif
