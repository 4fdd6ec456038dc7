/* SPDX-License-Identifier: BSD-3-Clause */
/* what_if.h: `mastermind whatif`: changed costs of methods, and the whole run. */
#ifndef MASTERMIND_CMD_PREDICT_WHAT_IF_H
#define MASTERMIND_CMD_PREDICT_WHAT_IF_H

#include "mastermind/cmd/predict/forecast_verb.h"

#define WHAT_LEAST_FACTOR .05 /* least factor of a cost that runs can show */
#define WHAT_LESS .9 /* factor of a cost in the table of all methods: 10 % less */

/* A method that can cost another amount. */
struct what_method {
    struct mm_change change; /* its calls and cost; factor 1 */
    const struct mm_method_info *info;
    int is_elsewhere; /* true if the busiest rank does not call it: then `change` has the
                         cost on the rank with the largest */
};

/* A method of the table, with the gain of a lower cost. */
struct what_row {
    const struct what_method *method;
    struct mm_what_if less, none; /* the run if it costs 10 % less, or nothing */
};

/* A change of the length of a run, as a part of it, by pairs of runs; low and high hold
 * the median with 90 %, NaN: too few. */
struct what_trial {
    double change, low, high;
    size_t rounds; /* 0: no such runs */
};

struct what_report {
    const struct mm_run_input *runs;
    const struct mm_metric *metric;
    const struct mm_forecaster *forecaster;
    const struct mm_forecast *forecast;
    const struct mm_question *question;
    const struct mm_stretch *stretch;
    const struct mm_phases *phases; /* NULL: one rank, or where ranks wait is unknown */
    const struct mm_change *changes;
    const struct what_method **changed_methods; /* [change_count] method of each change */
    size_t change_count;
    struct mm_what_if changed; /* with changes */
    struct what_row *rows;     /* [row_count] without changes, descending by gain */
    size_t row_count, limit;
    char **swaps; /* [change_count] INSTANCE=CLASS of each change to another class; NULL:
                     not all changes are */
    struct what_trial by_delays, by_swap;
    const char *assumed[4]; /* assumptions as texts, ending with NULL */
    const struct mm_notes *notes;
};

/* The methods that can change. */
struct what_methods {
    const struct what_method *items;
    size_t count;
    /* Function that sets `*factor` to the cost of the method with another class, as a
     * factor of its cost; NaN: the class is not known. Returns -1 to go on. */
    int (*class_factor)(void *context, const struct what_method *method,
                        const char *class_name, double *factor);
    void *context;
};

/* Read changes METHOD=VALUE, such as "flux.flux.compute=-30%", "f=2us" or "f=HLLCFlux".
 * Returns -1 to go on, else an exit code after a message. what_if_changes.c */
int what_changes_read(struct mm_change *changes, const struct what_method **changed,
                      char *const *words, size_t count,
                      const struct what_methods *methods);
/* List "INSTANCE=CLASS" for each change if all are to other classes, each of another
 * instance. Returns 0 or -ENOMEM. */
int what_swaps_list(char ***swaps, const struct what_method *const *changed,
                    char *const *words, size_t count);
void what_swaps_free(char **swaps, size_t count);

/* --- what_if_run.c */

struct what_run_options {
    char *const *words; /* [word_count] command of the run; 0: the base run has it */
    size_t word_count;
    size_t rounds; /* number of runs of each kind */
    int beside;    /* true if the kinds of a round run at the same time on one core */
    const struct cca_given *metric;
};

/* Make the runs of the report's changes, and judge them. Returns -1 to go on, else an
 * exit code after a message. */
int what_run(struct what_report *report, const struct what_run_options *options);

/* Print the report. what_if_print.c */
void what_print(const struct what_report *report);
int what_print_json(const struct what_report *report);

#endif
