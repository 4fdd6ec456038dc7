/* SPDX-License-Identifier: BSD-3-Clause */
/* choose_verb.h: `mastermind choose`. */
#ifndef MASTERMIND_CMD_CHOOSE_CHOOSE_VERB_H
#define MASTERMIND_CMD_CHOOSE_CHOOSE_VERB_H

#include "mastermind/analysis/composite/choose.h"
#include "mastermind/cmd/choose/run.h"
#include "mastermind/cmd/cmd.h"

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
};

/* A choice for a run as it was measured, and what it is printed with. */
struct mm_choose_view {
    const struct mm_input *input;
    const struct mm_library *library;
    const struct mm_choice *choice;
    const struct mm_choose_asked *asked;
    const struct mm_choice_query *query; /* NULL: no list */
    const char *script;                  /* that was written, or NULL */
    const struct mm_choose_run *run;     /* that was made, or NULL */
};

/* Choose for the first experiment of the input. Returns an exit code. measured.c */
int mm_choose_measured(const struct mm_input *input, const struct mm_choose_asked *asked);
/* Print it; each returns an exit code. measured_text.c, measured_json.c */
int mm_choose_print(const struct mm_choose_view *view);
int mm_choose_print_quiet(const struct mm_choose_view *view);
int mm_choose_print_json(const struct mm_choose_view *view);

#endif
