/* SPDX-License-Identifier: BSD-3-Clause */
/* forecast_verb.h: `mastermind predict`: read runs and print a forecast. */
#ifndef MASTERMIND_CMD_PREDICT_FORECAST_VERB_H
#define MASTERMIND_CMD_PREDICT_FORECAST_VERB_H

#include "mastermind/forecast/forecast.h"
#include "mastermind/cmd/ledger/keep.h"
#include "mastermind/cmd/predict/question.h"
#include "mastermind/cmd/predict/run_input.h"

/* A forecast and the data to print it. */
struct mm_forecast_report {
    const struct mm_input *input;
    const struct mm_metric *metric; /* metric of the total */
    struct mm_forecaster *forecaster;
    const struct mm_forecast *forecast;
    const struct mm_question *question;
    const struct mm_forecast_errors *errors; /* errors against a measured run (--against);
                                              * NULL: none */
    const char *against;                     /* name of the measured run */
    const struct mm_forecast_run *base;      /* run with other classes or parameters to
                                              * predict; NULL: none */
    const struct mm_stretch *stretch;        /* factor from own time to wall time;
                                              * NULL: another metric */
    const struct mm_notes *notes;            /* notes on the runs and their models */
    struct mm_keeper *keeper;                /* access to the ledger of predictions and
                                              * their outcomes */
};

/* Open the runs in `paths` and print a forecast. `options` are the options of
 * cmd_predict about the run to predict; `against` (or NULL) is the path of a measured run
 * to compare with; `ledger` is the option. Returns an exit code. */
int mm_forecast_verb(char *const *paths, int count, const struct mm_run_options *runs,
                     const struct mm_question_options *options, const char *against,
                     const struct cca_given *ledger, int json);
/* The models of the runs, with notes on missing data. New, or NULL with `err`. */
struct mm_library *mm_forecast_library(const struct mm_run_input *runs,
                                       struct cca_error *err);
void mm_forecast_print(const struct mm_forecast_report *report);
int mm_forecast_print_json(const struct mm_forecast_report *report);
/* Append the forecast of verb `verb` to the ledger, if there is one, after recalibrating
 * its interval. forecast_statement.c */
void mm_forecast_keep(const struct mm_forecast_report *report, const char *verb,
                      struct mm_forecast *forecast);

/* Make an object with the times of compute, transfer and waiting of a forecast. */
json_t *mm_forecast_times_json(const struct mm_forecast *f,
                               const struct mm_metric *metric);

#endif
