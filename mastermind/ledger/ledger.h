/* SPDX-License-Identifier: BSD-3-Clause */
/* ledger.h: a file of predictions and of the measured runs that followed.
 *
 *     {"line": "statement/1", "at_ns": ..., "verb": "predict", "value": 8.1e8, ...}
 *     {"line": "outcome/1", "at_ns": ..., "value": 8.3e8, ...}
 *
 * A line is one JSON object, appended by one write while the file is locked (flock), so
 * several processes may write at a time. A killed process leaves at most one incomplete
 * line, which readers count and skip. docs/guide/compare.md has all members.
 *
 * A *statement* is a predicted total with its interval. An *outcome* is a finished run
 * with its measured value. Lines contain facts only; readers match outcomes to statements
 * (match.h). */
#ifndef MASTERMIND_LEDGER_LEDGER_H
#define MASTERMIND_LEDGER_LEDGER_H

#include <jansson.h>

#include "mastermind/reader/run.h"
#include "mastermind/repository/machine.h"
#include "ports/cca_error.h"

/* name of the ledger in the directory of a repository */
#define MM_LEDGER_FILE "ledger.jsonl"

/* An experiment. Its `id` does not change when its directory is moved or copied. */
struct mm_ledger_run {
    const char *name, *id;
};

/* An additional number: "calls of flux.flux.compute", "bytes of ghosts.exchange.fill",
 * "compute", "transfer", "waiting". The text before " of " is the quantity's kind. */
struct mm_ledger_quantity {
    const char *name;
    /* value and ends of its interval; the ends are NaN if it has none, as in outcomes */
    double value, low, high;
};

enum mm_ledger_kind { MM_LEDGER_STATEMENT, MM_LEDGER_OUTCOME };

/* An entry, one line of the ledger. All pointers are borrowed; in a ledger that was read,
 * they are valid until mm_ledger_done. */
struct mm_ledger_entry {
    enum mm_ledger_kind kind;
    int64_t at_ns;       /* CLOCK_REALTIME of the statement, or of the start of the run */
    const char *verb;    /* verb of the statement, "predict", "choose"; NULL for an
                            outcome */
    const char *program; /* identity of the program (mm_ledger_program) */
    const char *script;  /* name of the script, or NULL */
    /* parameters of the predicted run; in an outcome, of the measured run */
    struct mm_run run;
    /* [name_count] variables and parameters whose values are only names, such as files of
     * output; they are not compared */
    const char **names;
    size_t name_count;
    struct mm_machine machine;
    const char *metric, *unit; /* metric such as "TIME", and its unit "ns" or "count"
                                  for all values of the line */
    const char *total;         /* scope of the value, "all ranks" or "longest rank" */
    double value;              /* predicted or measured total, >= 0 */
    /* Of a statement: */
    double low, high; /* ends of the interval; NaN: no interval, see `why` */
    double level;     /* probability of the interval, such as .90 or .95 */
    double factor;    /* factor by which the interval was recalibrated; 1 if it was not */
    /* factor by which the predicted sizes exceed the measured ones, >= 1 */
    double beyond;
    const char *why; /* reason why there is no interval, or NULL */
    /* experiments on which the prediction is based; in an outcome only one, the measured
     * run itself */
    struct mm_ledger_run *runs;
    size_t run_count;
    struct mm_ledger_quantity *quantities;
    size_t quantity_count;
    json_t *json; /* JSON object of an entry that was read; owned */
};

struct mm_ledger {
    struct mm_ledger_entry *entries;
    size_t count;
    size_t cut;      /* number of incomplete lines, which were skipped */
    size_t cut_line; /* line number of the first incomplete line, counted from 1 */
};

/* Read a ledger; a missing file is an empty ledger. Call mm_ledger_done in any case.
 *
 * Returns 0; -EBADMSG "file:line: found ..., expected ..."; -EIO, -EACCES and other
 * negative errnos of files; -ENOMEM. When memory runs out, the library jansson may omit a
 * member without an error: a caller must watch for failed allocations, as
 * mastermind/cmd/memory.c does. Several processes and threads may read at a time. */
int mm_ledger_read(struct mm_ledger *ledger, const char *path, struct cca_error *err);
void mm_ledger_done(struct mm_ledger *ledger);

/* Append entries in order. An outcome is skipped if the file already has an outcome of
 * the same run, metric and total. The file is created if absent. A failed write leaves
 * the file's length unchanged.
 *
 *   added  out  number of entries written; may be NULL
 * Returns like mm_ledger_read. */
int mm_ledger_append(const char *path, const struct mm_ledger_entry *entries,
                     size_t count, size_t *added, struct cca_error *err);

/* Return an entry as a new line of text without a newline; NULL: out of memory.
 * (entry.c) */
char *mm_ledger_line(const struct mm_ledger_entry *entry);
/* Read an entry from the JSON object of a line. `entry` owns `json`, also on failure;
 * free both with mm_ledger_entry_done. Returns 0; -EBADMSG with "found ..., expected
 * ..."; or -ENOMEM. (entry.c) */
int mm_ledger_entry_read(struct mm_ledger_entry *entry, json_t *json,
                         struct cca_error *err);
/* Free an entry that mm_ledger_entry_read has filled. */
void mm_ledger_entry_done(struct mm_ledger_entry *entry);

#endif
