/* SPDX-License-Identifier: BSD-3-Clause */
/* keep.h: append a prediction to a ledger as a statement, and recalibrate its interval by
 * the score of earlier statements.
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
    char *path;   /* path of the ledger; NULL: no ledger */
    int is_asked; /* true if the ledger is named by an option or MM_LEDGER, so that
                   * failing to write it is an error */
    int failed;   /* exit code of a failure, or -1 */
    struct mm_ledger ledger;
    struct mm_ledger_score score;
    struct mm_recalibration used; /* recalibration of the last interval */
    /* ends of the last interval, to be stored in the statement */
    double low, high;
    int kept; /* true if a statement was appended in this call of the
               * verb */
};

/* Find the ledger: the path in `option`, a file or the directory of a repository; else
 * MM_LEDGER (empty: no ledger); else the first repository among `paths`. Experiments in
 * `paths` and `further` (or NULL) that began after statements about them are appended as
 * outcomes. Returns -1 to go on, else an exit code after a message; call mm_keeper_done
 * either way. */
int mm_keeper_open(struct mm_keeper *keeper, const struct cca_given *option,
                   char *const *paths, int count, const char *further);
void mm_keeper_done(struct mm_keeper *keeper);
/* Recalibrate an interval around `value` by the score of earlier intervals of the level;
 * without a ledger it stays. keeper->low and keeper->high get copies of its ends, at
 * least 0. */
void mm_keeper_recalibrate(struct mm_keeper *keeper, double level, double value,
                           double *low, double *high);
/* Append the experiment at `path` as the outcome of the statement that was just
 * appended. */
void mm_keeper_take(struct mm_keeper *keeper, char *path);
/* Print the number of statements used for the interval, as the last line; print nothing
 * with `quiet`, or if no statement was appended. Returns `result`, or the exit code of a
 * failure to keep the statement if `result` is MM_EXIT_DONE. */
int mm_keeper_finish(struct mm_keeper *keeper, int result, int quiet);
/* Make a new object with the members file, factor and statements; NULL: no ledger. */
json_t *mm_keeper_json(const struct mm_keeper *keeper);

/* The file of a ledger: inside the directory of a repository, else `path` itself. The
 * result is new; NULL: out of memory. */
char *mm_ledger_path(const char *path);

/* --- Statements, statement.c -------------------------------------------------------- */

/* A statement (a prediction as an entry of the ledger) in the making. It owns copies
 * of its texts. */
struct mm_statement {
    struct mm_ledger_entry entry;
    char **texts;
    size_t text_count;
    int no_memory; /* true if memory was out: the statement is incomplete */
};

/* Begin a ledger entry about a run with the parameters and classes of the base, predicted
 * by `verb` from all experiments of `input`. mm_statement_done frees it. Returns -1 to go
 * on, else an exit code. */
int mm_statement_begin(struct mm_statement *statement, const char *verb,
                       const struct mm_input *input);
/* Set the value of a variable, parameter or class (&statement->entry.run...). */
void mm_statement_set(struct mm_statement *statement, struct mm_run_values *values,
                      const char *name, const char *text);
/* Mark a variable or parameter as a mere name of runs, which is not compared. */
void mm_statement_name(struct mm_statement *statement, const char *name);
/* Add a quantity "KIND of NAME", or "KIND" if `name` is NULL. A NaN is left out. */
void mm_statement_add(struct mm_statement *statement, const char *kind, const char *name,
                      double value, double low, double high);
/* Set the total and its interval, keeper->low to keeper->high, of a level. */
void mm_statement_total(struct mm_statement *statement, const struct mm_keeper *keeper,
                        double level, double value, const char *why);
/* Append the statement with the current time. A statement without a known total is not
 * appended. */
void mm_keeper_keep(struct mm_keeper *keeper, struct mm_statement *statement);
void mm_statement_done(struct mm_statement *statement);

/* --- Outcomes, outcome.c ------------------------------------------------------------ */

struct mm_outcomes {
    size_t added;       /* number of measured runs that were added to the ledger */
    size_t experiments; /* number of experiments read */
    size_t unfinished, unknown, without_metric;
};

/* Begin an entry that describes an experiment: program, run, machine, identity; its
 * lists are empty. Returns 0 or a negative errno with `err`; call mm_statement_done
 * either way. */
int mm_statement_of_run(struct mm_statement *statement,
                        const struct mm_experiment *experiment, struct cca_error *err);
/* Write the identity of an experiment to the caller's buffer. */
void mm_experiment_identity(const struct mm_experiment *experiment, char *text,
                            size_t size);
/* Set value and further quantities of an outcome, by its metric and total. Returns -1 to
 * go on, else an exit code after a message. See measure.c. */
int mm_outcome_measure(struct mm_statement *outcome, char *experiment);
/* Append the outcomes of experiments to `ledger`, the file at `path`, for statements that
 * were made before these runs began. Returns -1 to go on, else an exit code after a
 * message. */
int mm_outcomes_take(const char *path, const struct mm_ledger *ledger,
                     char *const *experiments, size_t count,
                     struct mm_outcomes *outcomes);

#endif
