/* SPDX-License-Identifier: BSD-3-Clause */
/* parts.h: functions that the files of the evaluation share. */
#ifndef PROPERTIES_EVALUATE_PARTS_H
#define PROPERTIES_EVALUATE_PARTS_H

#include <sqlite3.h>

#include "properties/evaluate/evaluate.h"
#include "properties/evaluate/noise_run.h"
#include "properties/words/property.h"

struct mm_store;

/* --- scope.c ------------------------------------------------------------- */

/* The names that an expression of a property may use, and their tables.
 *
 * A name is `column` of the property's own object, or `table.column`, for example
 * basis.exec_time. The tables are joined only if an expression uses them. */

/* Qualifiers of columns in expressions: the words before the dot. */
enum mm_scope_word {
    MM_SCOPE_SELF, /* no qualifier: the object itself; for experiments its qualifier is
                    * `par` */
    MM_SCOPE_BASIS,
    MM_SCOPE_SEQ,
    MM_SCOPE_CACHE,
    MM_SCOPE_COUNTER,
    MM_SCOPE_MODEL,
    MM_SCOPE_REGION,
    MM_SCOPE_UNIT,
    MM_SCOPE_NODE,
    MM_SCOPE_EXPERIMENT,
    MM_SCOPE_WORDS
};

struct mm_scope_table {
    const char *word;           /* qualifier in an expression: the word before the dot */
    const char *alias;          /* name of the table in our statements */
    const char *const *columns; /* names of the table's columns; NULL ends the list */
    const char *table;          /* table whose missing rows the table `missing`
                                 * explains */
};

/* The table that a qualifier means for an object; NULL: none. */
const struct mm_scope_table *mm_scope_find(enum mm_property_for object,
                                           enum mm_scope_word word);

/* --- expression.c -------------------------------------------------------- */

/* Expressions of properties: tokens are checked, and the expression is
 * rewritten with the names of our statements before it reaches SQLite.
 *
 * The result is one scalar in parentheses. Only numbers, operators, known names, and
 * strings with doubled quotes get through; no other text of the file does. */

enum { MM_EXPRESSION_COLUMNS = 32 };

struct mm_expression {
    char *sql;      /* the expression in SQL, "(...)" */
    unsigned words; /* qualifiers used in the expression: bits of enum mm_scope_word */
    int aggregates; /* 1: the expression has aggregates over rows */
    int bare;       /* 1: the expression has columns of rows outside of aggregates */
    int guards;     /* 1: the expression replaces NULL by coalesce or ifnull */
    /* The columns that the expression uses: name in SQL, "s.exec_time", and in error
     * messages. */
    struct {
        char sql[48];
        const char *column;
        enum mm_scope_word word;
    } columns[MM_EXPRESSION_COLUMNS];
    int column_count;
};

/* Check and rewrite `text` of `property`. Returns 0; -EBADMSG with "file:line: found,
 * expected"; -ENOMEM. Call mm_expression_done in any case. */
int mm_expression_read(struct mm_expression *expression,
                       const struct mm_property *property,
                       const struct mm_property_text *text, struct cca_error *err);
void mm_expression_done(struct mm_expression *expression);

/* Whether expressions may call the function. */
int mm_expression_has_function(const char *name);

/* --- select.c ------------------------------------------------------------ */

/* The SELECT statement of a property, with its expressions embedded.
 *
 * Columns of the result: experiment, region, unit, detail, severity, holds, confidence,
 * and a number with a bit for each used column that was NULL. */

enum {
    MM_RESULT_EXPERIMENT,
    MM_RESULT_REGION,
    MM_RESULT_UNIT,
    MM_RESULT_DETAIL,
    MM_RESULT_SEVERITY,
    MM_RESULT_HOLDS,
    MM_RESULT_CONFIDENCE,
    MM_RESULT_NULLS,
    MM_RESULTS
};

/* Bit of MM_RESULT_NULLS: a member of a Metaproperty was not evaluated. */
enum { MM_NULL_MEMBER = 40 };

struct mm_select {
    struct mm_expression severity, holds, confidence, where;
    unsigned words; /* qualifiers in all expressions of the property: bits of enum
                       mm_scope_word */
    int grouped;    /* 1: GROUP BY is needed, since several rows make one answer */
    char *sql;
    sqlite3_stmt *compiled;
};

/* Build and prepare the statement on tables temp.asked and, for `for: properties`,
 * temp.member, which must exist. `region_glob`: may be NULL. Returns 0; -EBADMSG with
 * "file:line: found, expected"; -EIO, -ENOMEM. Call mm_select_done in any case. */
int mm_select_make(struct mm_select *statement, struct mm_store *store,
                   const struct mm_property *property, const char *region_glob,
                   struct cca_error *err);
void mm_select_done(struct mm_select *statement);

/* --- asked.c ------------------------------------------------------------- */

/* Tables of the connection with the runs of a question, and reasons for missing
 * data.
 *
 * temp.asked(experiment, basis, basis_unit): each parallel run, the region of its basis,
 * and the unit that spent most time in it. temp.sequential(experiment). temp.member:
 * answers of members (members.c). */

/* Make the tables with a question's runs and fill them. Returns 0; -EINVAL: the store
 * lacks a run; -EIO, -ENOMEM. */
int mm_asked_set(struct mm_store *store, const struct mm_property_question *question,
                 struct cca_error *err);

/* Write the reason why a value could not be computed into the caller's buffer: the first
 * column of `severity` with a bit in `nulls`, and the text of table `missing` for it and
 * this run; without such a column, that a number was not finite. Returns 0 or -EIO,
 * -ENOMEM. */
int mm_asked_reason(struct mm_store *store, const struct mm_property *property,
                    const struct mm_expression *severity, int64_t experiment,
                    int64_t nulls, char *text, size_t size);
/* The reason why a run has no data in a column of rs, or in a table: "was not measured"
 * if the store has no reason. */
void mm_asked_missing(struct mm_store *store, int64_t experiment, const char *column,
                      char *text, size_t size);
/* Find out why the tables that the property needs have no rows for a run without an
 * answer. Returns 1 with the reason; 0: they have rows, so no row passed `where:` or the
 * region filter. */
int mm_asked_emptiness(struct mm_store *store, const struct mm_property *property,
                       unsigned words, int64_t experiment, char *text, size_t size);

/* --- functions.c --------------------------------------------------------- */

/* Add sd (of a sample, n - 1), median, quantile(x, q) (linear between order statistics,
 * type 7 of Hyndman and Fan, The American Statistician 50, 1996), any and all (of truth
 * values), and sqrt, ln, exp, pow. Aggregates skip NULL. Returns 0 or an SQLite error. */
int mm_functions_add(sqlite3 *db);

/* Guard of a connection while a property's statement is prepared and runs: it allows only
 * SELECT, the functions of expression.c, and the tables of a store, until a time
 * limit. */
struct mm_guard {
    double until; /* time limit, seconds of CLOCK_MONOTONIC */
    int expired;
};
void mm_guard_set(sqlite3 *db, struct mm_guard *guard, double seconds);
void mm_guard_lift(sqlite3 *db);

/* --- members.c ----------------------------------------------------------- */

/* A table with the answers of a Metaproperty's members.
 *
 * Source: Metaproperty, Figure 6 of Fahringer and Seragiotto: add() evaluates a member
 * for each set of arguments, and statistics are over members that hold. Here `over: all`
 * is the default; `over: holding` is their definition. */

/* Evaluate the members named by `of:` and fill table mm_member of this connection with
 * their answers. Under `over: holding`, severity and confidence are NULL for a member
 * that does not hold; for a member that was not evaluated, holds is NULL, too. Returns 0;
 * -EBADMSG: no such property, or a cycle; or an error of mm_property_evaluate. */
int mm_members_set(struct mm_store *store, const struct mm_property *property,
                   const struct mm_property_question *question, struct cca_error *err);
/* Make mm_member an empty table. Returns 0; -EIO. */
int mm_members_none(struct mm_store *store, struct cca_error *err);
/* Check that all members exist, without a cycle. Returns 0 or -EBADMSG. */
int mm_members_check(const struct mm_property *property,
                     const struct mm_property *const *library, size_t library_count,
                     struct cca_error *err);

/* --- noise_store.c ------------------------------------------------------- */

/* Numbers k of special replicates; 1 to MM_REPLICATES - 1 are composed of batches. In the
 * store, replicate k of experiment or unit i has the id i * MM_NOISE_KINDS + k. */
enum {
    /* messages and collectives at the lower ends of their intervals */
    MM_NOISE_LOW = MM_REPLICATES,
    MM_NOISE_HIGH,
    MM_NOISE_POOLED, /* the mean run, stored under the first run of its configuration */
    MM_NOISE_KINDS = 128
};

/* Add the rows that all replicates share: regions, nodes. Returns 0; -EIO, -ENOMEM. */
int mm_noise_store_begin(struct mm_store *to, struct mm_store *from,
                         struct cca_error *err);
/* Add experiment, units and summaries of replicate `k` of a run, computed by
 * mm_noise_run_vary; regions without blocks only if they are a basis. */
int mm_noise_store_add(struct mm_store *to, struct mm_store *from,
                       struct mm_noise_run *run, size_t k, struct cca_error *err);
/* Add replicate MM_NOISE_LOW or MM_NOISE_HIGH: the unchanged run with messages and
 * collectives at that end of their intervals. */
int mm_noise_store_end(struct mm_store *to, struct mm_store *from,
                       const struct mm_noise_run *run, int k, struct cca_error *err);
/* Add the mean over `count` runs of one configuration. Units are matched by rank and
 * thread; only regions that all of the runs have are added. */
int mm_noise_store_pool(struct mm_store *to, struct mm_store *from,
                        const struct mm_world_run *const *runs, size_t count,
                        struct cca_error *err);

/* --- noise_inside -------------------------------------------------------- */

/* State of the replicates of a question's runs, shared by the files
 * noise*.c. */

struct mm_noise {
    struct mm_store *from, *store;
    struct mm_world world;
    struct mm_noise_run *runs; /* the runs of the question, and its sequential run */
    size_t run_count;
    int ends; /* 1: there are messages or collectives, so MM_NOISE_LOW and MM_NOISE_HIGH
               * are needed */
    double *rows; /* severities of the latest answers in all replicates */
};

/* Index of the first run of the question with the configuration of run `at`. */
size_t mm_noise_first(const struct mm_noise *noise, size_t at);
int mm_noise_has_repeats(const struct mm_noise *noise);

#endif
