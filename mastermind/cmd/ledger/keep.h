/* SPDX-License-Identifier: BSD-3-Clause */
/* keep.h: a verb that predicts keeps its statement in a ledger and takes what the score
 * of earlier ones says of its interval.
 *
 *     mm_keeper_open(&keeper, &options[LEDGER], paths, count, NULL);
 *     mm_keeper_recalibrate(&keeper, .90, total, &low, &high);
 *     mm_statement_begin(&statement, "predict", &input);  ... its numbers ...
 *     mm_keeper_keep(&keeper, &statement);
 *     ... print ...
 *     result = mm_keeper_finish(&keeper, result, json);
 *
 * Without a ledger none of these does anything. */
#ifndef MASTERMIND_CMD_LEDGER_KEEP_H
#define MASTERMIND_CMD_LEDGER_KEEP_H

#include "mastermind/cmd/cmd.h"
#include "mastermind/ledger/score.h"

struct mm_keeper {
    char *path;   /* of the ledger; NULL: there is none */
    int is_asked; /* by an option or MM_LEDGER: that it cannot be written is an error */
    int failed;   /* exit code of what went wrong, or -1 */
    struct mm_ledger ledger;
    struct mm_ledger_score score;
    struct mm_recalibration used; /* of the last interval */
    double low, high;             /* the last interval, as it is to be stated */
    int kept;                     /* a statement was appended */
};

/* Find the ledger: that of `option`, a file or a repository's directory; else of
 * MM_LEDGER, empty: none; else of the first repository among `paths`. Experiments in
 * `paths` and `further` (or NULL) that began after statements about them become outcomes.
 * Returns -1 to go on, else an exit code after a message; mm_keeper_done either way. */
int mm_keeper_open(struct mm_keeper *keeper, const struct mm_option *option,
                   char *const *paths, int count, const char *further);
void mm_keeper_done(struct mm_keeper *keeper);
/* Set the ends of an interval about `value` by the score of earlier ones of the level;
 * without a ledger they stay. keeper->low and high get them, too, at least 0. */
void mm_keeper_recalibrate(struct mm_keeper *keeper, double level, double value,
                           double *low, double *high);
/* Take the experiment at `path` as an outcome of a statement that was just kept. */
void mm_keeper_take(struct mm_keeper *keeper, char *path);
/* Print from how many statements the interval is, the last line; nothing with `quiet`, or
 * where no statement was kept. Returns `result`, or what went wrong where that is done.
 */
int mm_keeper_finish(struct mm_keeper *keeper, int result, int quiet);
/* New object: file, factor, statements; NULL: no ledger. */
json_t *mm_keeper_json(const struct mm_keeper *keeper);

/* The file of a ledger: in the directory of a repository, else `path` itself. New; NULL:
 * out of memory. */
char *mm_ledger_path(const char *path);

/* --- Statements, statement.c ---------------------------------------------------------
 */

/* A statement under way. It owns copies of its texts. */
struct mm_statement {
    struct mm_ledger_entry entry;
    char **texts;
    size_t text_count;
    int no_memory; /* something is missing */
};

/* Begin a statement about a run with the parameters and classes of the base, from all
 * experiments of the input. mm_statement_done frees it. -1 to go on, else an exit code.
 */
int mm_statement_begin(struct mm_statement *statement, const char *verb,
                       const struct mm_input *input);
/* Set the value of a variable, parameter or class (&statement->entry.run...). */
void mm_statement_set(struct mm_statement *statement, struct mm_run_values *values,
                      const char *name, const char *text);
/* State that a variable or parameter is a name of runs, not to be compared. */
void mm_statement_name(struct mm_statement *statement, const char *name);
/* Add a quantity, "KIND of NAME" or "KIND" with `name` NULL. NaN: not stated. */
void mm_statement_add(struct mm_statement *statement, const char *kind, const char *name,
                      double value, double low, double high);
/* Set the total and its interval, keeper->low to high, of a level. */
void mm_statement_total(struct mm_statement *statement, const struct mm_keeper *keeper,
                        double level, double value, const char *why);
/* Append it, stated now. A total that is not known is none. */
void mm_keeper_keep(struct mm_keeper *keeper, struct mm_statement *statement);
void mm_statement_done(struct mm_statement *statement);

/* --- Outcomes, outcome.c -------------------------------------------------------------
 */

struct mm_outcomes {
    size_t added;       /* new in the ledger */
    size_t experiments; /* read */
    size_t unfinished, unknown, without_metric;
};

/* Begin an entry as the experiment is: program, run, machine, identity; its lists are
 * empty. 0 or a negative errno with `err`; mm_statement_done either way. */
int mm_statement_of_run(struct mm_statement *statement,
                        const struct mm_experiment *experiment, struct cca_error *err);
/* The identity of an experiment, which owns nothing. */
void mm_experiment_identity(const struct mm_experiment *experiment, char *text,
                            size_t size);
/* Set value and quantities of an outcome by its metric and total. -1 to go on, else an
 * exit code after a message. measure.c */
int mm_outcome_measure(struct mm_statement *outcome, char *experiment);
/* Append the outcomes of experiments for statements of `ledger`, the file at `path`, that
 * were made before them. -1 to go on, else an exit code after a message. */
int mm_outcomes_take(const char *path, const struct mm_ledger *ledger,
                     char *const *experiments, size_t count,
                     struct mm_outcomes *outcomes);

#endif
