/* SPDX-License-Identifier: BSD-3-Clause */
/* forecast_verb.h: `mastermind predict`: runs in, a forecast out. */
#ifndef MASTERMIND_CMD_PREDICT_FORECAST_VERB_H
#define MASTERMIND_CMD_PREDICT_FORECAST_VERB_H

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
    const struct mm_forecast_run *base;      /* the run that is changed; NULL: none */
    const struct mm_stretch *stretch;        /* of wall time; NULL: another metric */
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

#endif
