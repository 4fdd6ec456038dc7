/* SPDX-License-Identifier: BSD-3-Clause */
/* ledger.h: what was predicted, and what then happened: a file of lines.
 *
 *     {"line": "statement/1", "at_ns": ..., "verb": "predict", "value": 8.1e8, ...}
 *     {"line": "outcome/1", "at_ns": ..., "value": 8.3e8, ...}
 *
 * A line is one JSON object, appended by one write while the file is locked (flock), so
 * several processes may write at a time. A process that is killed leaves at most a line
 * that is cut: it is counted and skipped. docs/guide/compare.md has all members.
 *
 * A *statement* is a predicted total with its interval. An *outcome* is a finished run
 * with the value that it had. Lines only state facts: which outcome belongs to which
 * statement is found when they are read (match.h). */
#ifndef MASTERMIND_LEDGER_LEDGER_H
#define MASTERMIND_LEDGER_LEDGER_H

#include <jansson.h>

#include "mastermind/reader/run.h"
#include "mastermind/repository/machine.h"
#include "ports/cca_error.h"

#define MM_LEDGER_FILE "ledger.jsonl" /* of a repository, in its directory */

/* An experiment. The identity stays when its directory is moved or copied. */
struct mm_ledger_run {
    const char *name, *id;
};

/* A further number: "calls of flux.flux.compute", "bytes of ghosts.exchange.fill",
 * "compute", "transfer", "waiting". Words before " of " are the kind. */
struct mm_ledger_quantity {
    const char *name;
    double value, low, high; /* low, high NaN: no interval, or an outcome */
};

enum mm_ledger_kind { MM_LEDGER_STATEMENT, MM_LEDGER_OUTCOME };

/* A line. All is borrowed; of a ledger that was read, until mm_ledger_done. */
struct mm_ledger_entry {
    enum mm_ledger_kind kind;
    int64_t at_ns;       /* CLOCK_REALTIME: when it was stated; when the run began */
    const char *verb;    /* "predict", "choose"; NULL of an outcome */
    const char *program; /* mm_ledger_program */
    const char *script;  /* or NULL */
    struct mm_run run;   /* asked; of an outcome those it ran with */
    const char **names;  /* [name_count] variables and parameters that are names of runs,
                            as files have: they are not compared */
    size_t name_count;
    struct mm_machine machine;
    const char *metric, *unit; /* "TIME"; "ns" or "count", of all values here */
    const char *total;         /* "all ranks" or "longest rank" */
    double value;              /* >= 0 */
    /* Of a statement: */
    double low, high;           /* NaN: no interval, see why */
    double level;               /* .90, .95 */
    double factor;              /* the interval was recalibrated by it; 1: was not */
    double beyond;              /* >= 1; how far outside of the sizes measured */
    const char *why;            /* why there is no interval, or NULL */
    struct mm_ledger_run *runs; /* what it is from; of an outcome the run itself, one */
    size_t run_count;
    struct mm_ledger_quantity *quantities;
    size_t quantity_count;
    json_t *json; /* of an entry that was read */
};

struct mm_ledger {
    struct mm_ledger_entry *entries;
    size_t count;
    size_t cut;      /* lines that are cut, and skipped */
    size_t cut_line; /* the first of them, from 1 */
};

/* Read a ledger; a file that is not there has no lines. mm_ledger_done in any case.
 *
 * Returns 0; -EBADMSG "file:line: found ..., expected ..."; -EIO, -EACCES and other
 * negative errnos of files; -ENOMEM. jansson may leave a member out where memory is out:
 * a program that reads watches its allocations, as mastermind/cmd/memory.c does. Several
 * processes and threads may read at a time. */
int mm_ledger_read(struct mm_ledger *ledger, const char *path, struct cca_error *err);
void mm_ledger_done(struct mm_ledger *ledger);

/* Append entries in their order; an outcome that the file has already, of the same run,
 * metric and total, is skipped. The file is made if it is absent. Where a write fails the
 * file is as long as before it.
 *
 *   added  out  number of entries written; may be NULL
 *
 * Returns as mm_ledger_read. */
int mm_ledger_append(const char *path, const struct mm_ledger_entry *entries,
                     size_t count, size_t *added, struct cca_error *err);

/* The line of an entry, without newline: new. NULL: out of memory. entry.c */
char *mm_ledger_line(const struct mm_ledger_entry *entry);
/* Read a line. `entry` owns `json`, also on failure; mm_ledger_entry_done frees both. 0,
 * -EBADMSG with "found ..., expected ...", -ENOMEM. entry.c */
int mm_ledger_entry_read(struct mm_ledger_entry *entry, json_t *json,
                         struct cca_error *err);
/* Free what mm_ledger_entry_read has made. */
void mm_ledger_entry_done(struct mm_ledger_entry *entry);

#endif
