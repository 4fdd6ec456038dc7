/* SPDX-License-Identifier: BSD-3-Clause */
/* choose_verb.h: `mastermind choose`. */
#ifndef MASTERMIND_CMD_CHOOSE_CHOOSE_VERB_H
#define MASTERMIND_CMD_CHOOSE_CHOOSE_VERB_H

#include "mastermind/choice/choice.h"
#include "mastermind/cmd/choose/run.h"
#include "mastermind/cmd/cmd.h"
#include "mastermind/cmd/ledger/keep.h"
#include "mastermind/cmd/predict/question.h"
#include "mastermind/cmd/predict/run_input.h"

/* The options of the verb. */
struct mm_choose_asked {
    struct mm_requirement requirements[MM_OPTION_VALUES];
    size_t requirement_count;
    const char *slot; /* instance to choose a class for; NULL: all slots */
    struct mm_choice_query query;
    int has_query; /* 1: --front or --within is given */
    char front[128];
    const char *write;    /* path of the script to write, or NULL */
    int force;            /* 1: overwrite an existing script */
    int run;              /* 1: run the chosen assembly */
    const char *output;   /* path of the experiment of the chosen run, or NULL */
    const char *launcher; /* launcher that starts the chosen run, or NULL */
    char *const *words;   /* [word_count] further arguments of ccafe */
    int word_count;
    int quiet, json;
    struct mm_question_options question;
    const struct cca_given *metric, *any_machine;
    struct mm_keeper *keeper; /* access to the ledger of predictions and their outcomes */
};

/* A choice and the data to print it. */
struct mm_open_view {
    const struct mm_run_input *runs;
    const struct mm_metric *metric; /* metric of the totals */
    const struct mm_library *library;
    struct mm_forecaster *forecaster;
    const struct mm_question *question;
    const struct mm_open_choice *choice;
    const struct mm_choose_asked *asked;
    const char *script;              /* path of the script written, or NULL */
    char *command;                   /* command line of the chosen run, or NULL */
    const struct mm_choose_run *run; /* result of the run, or NULL: not run */
};

/* Choose for the run that the options ask for, from the runs in `paths`. Returns an exit
 * code. choose.c */
int mm_choose_open(char *const *paths, int count, const struct mm_choose_asked *asked);
/* Recalibrate the intervals of all totals by the ledger, and append the choice to it.
 * Does nothing without a ledger. statement.c */
void mm_open_keep(const struct mm_open_view *view, struct mm_open_choice *choice);
/* The value of an axis in the chosen run; NULL: none. */
const char *mm_open_text(const struct mm_open_view *view,
                         const struct mm_open_assembly *item, size_t axis);
/* Measured time of the base, ns. */
double mm_open_measured_ns(const struct mm_open_view *view);
/* Print the choice; each returns an exit code. choose_text.c, choose_json.c */
int mm_open_print(const struct mm_open_view *view);
int mm_open_print_quiet(const struct mm_open_view *view);
int mm_open_print_json(const struct mm_open_view *view);
/* Write "HLLCFlux", or "flux=HLLCFlux, states=States", to the caller's buffer. */
const char *mm_open_classes(const struct mm_open_choice *choice, const size_t *at,
                            char *text, size_t size);

#endif
