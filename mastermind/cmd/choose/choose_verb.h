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

/* What was asked, as the options have it. */
struct mm_choose_asked {
    struct mm_requirement requirements[MM_OPTION_VALUES];
    size_t requirement_count;
    const char *slot; /* NULL: all */
    struct mm_choice_query query;
    int has_query; /* a front, or within */
    char front[128];
    const char *write;    /* the script to write, or NULL */
    int force;            /* it may exist */
    int run;              /* run the choice */
    const char *output;   /* experiment of the run, or NULL */
    const char *launcher; /* or NULL */
    char *const *words;   /* [word_count] further words for ccafe */
    int word_count;
    int quiet, json;
    struct mm_question_options question;
    const struct mm_option *metric, *any_machine;
    struct mm_keeper *keeper; /* of the ledger */
};

/* A choice, and what it is printed with. */
struct mm_open_view {
    const struct mm_run_input *runs;
    const struct mm_metric *metric; /* of totals */
    const struct mm_library *library;
    struct mm_forecaster *forecaster;
    const struct mm_question *question;
    const struct mm_open_choice *choice;
    const struct mm_choose_asked *asked;
    const char *script;              /* that was written, or NULL */
    char *command;                   /* that makes the same run, or NULL */
    const struct mm_choose_run *run; /* that was made, or NULL */
};

/* Choose for the run that the options ask for, from the runs in `paths`. Returns an exit
 * code. choose.c */
int mm_choose_open(char *const *paths, int count, const struct mm_choose_asked *asked);
/* Recalibrate all intervals of totals by the ledger, and keep the choice in it; nothing
 * where there is none. statement.c */
void mm_open_keep(const struct mm_open_view *view, struct mm_open_choice *choice);
/* The value of an axis in the run chosen; NULL: none. */
const char *mm_open_text(const struct mm_open_view *view,
                         const struct mm_open_assembly *item, size_t axis);
/* What the base took. */
double mm_open_measured_ns(const struct mm_open_view *view);
/* Print it; each returns an exit code. choose_text.c, choose_json.c */
int mm_open_print(const struct mm_open_view *view);
int mm_open_print_quiet(const struct mm_open_view *view);
int mm_open_print_json(const struct mm_open_view *view);
/* "HLLCFlux", or "flux=HLLCFlux, states=States", in the caller's buffer. */
const char *mm_open_classes(const struct mm_open_choice *choice, const size_t *at,
                            char *text, size_t size);
/* A number beyond those of an axis on the way to the value asked for, as text in the
 * caller's buffer: the run that would decide; or the value asked for. */
const char *mm_open_next(const struct mm_open_view *view, size_t axis, char *text,
                         size_t size);

#endif
