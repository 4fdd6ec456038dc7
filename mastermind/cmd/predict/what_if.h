/* SPDX-License-Identifier: BSD-3-Clause */
/* what_if.h: `mastermind whatif`: changed costs of methods, and the whole run. */
#ifndef MASTERMIND_CMD_PREDICT_WHAT_IF_H
#define MASTERMIND_CMD_PREDICT_WHAT_IF_H

#include "mastermind/cmd/predict/forecast_verb.h"

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
    const char *assumed[4]; /* assumptions as texts, ending with NULL */
    const struct mm_notes *notes;
};

/* Read changes METHOD=VALUE, such as "flux.flux.compute=-30%" or "f=2us", of `methods`.
 * Returns -1 to go on, else an exit code after a message. what_if_changes.c */
int what_changes_read(struct mm_change *changes, const struct what_method **changed,
                      char *const *words, size_t count, const struct what_method *methods,
                      size_t method_count);
/* Print the report. what_if_print.c */
void what_print(const struct what_report *report);
int what_print_json(const struct what_report *report);

#endif
