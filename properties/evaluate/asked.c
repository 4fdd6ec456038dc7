/* SPDX-License-Identifier: BSD-3-Clause */
/* asked.c: tables with the runs of a question, and reasons for missing data. */
#include "properties/evaluate/parts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "properties/store/store.h"

static int refuse(struct mm_store *store, struct cca_error *err)
{
    return sqlite3_errcode(store->db) == SQLITE_NOMEM
               ? cca_no_memory(err)
               : cca_error_set(err, -EIO, "store: %s", sqlite3_errmsg(store->db));
}

static int run(struct mm_store *store, const char *sql, struct cca_error *err)
{
    return sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK
               ? 0
               : refuse(store, err);
}

/* Run a statement once, with up to two numbers bound to its parameters. Returns -1 on an
 * error, else the number of changed rows. */
static int run_with(struct mm_store *store, const char *sql, int64_t a, int64_t b)
{
    sqlite3_stmt *s = NULL;
    int result = -1;

    if (sqlite3_prepare_v2(store->db, sql, -1, &s, NULL) == SQLITE_OK) {
        sqlite3_bind_int64(s, 1, a);
        sqlite3_bind_int64(s, 2, b);
        if (sqlite3_step(s) == SQLITE_DONE)
            result = sqlite3_changes(store->db);
    }
    sqlite3_finalize(s);
    return result;
}

int mm_asked_set(struct mm_store *store, const struct mm_property_question *q,
                 struct cca_error *err)
{
    static const char tables[] =
        "CREATE TEMP TABLE IF NOT EXISTS asked (experiment INTEGER PRIMARY KEY, basis, "
        "basis_unit);"
        "CREATE TEMP TABLE IF NOT EXISTS sequential (experiment INTEGER PRIMARY KEY);"
        "DELETE FROM temp.asked; DELETE FROM temp.sequential;";
    /* The region is found by name: other builds have other numbers for it. */
    static const char add[] = "INSERT OR IGNORE INTO temp.asked (experiment, basis) "
                              "SELECT e.id, CASE WHEN ?2 = 0 THEN "
                              "e.root ELSE (SELECT o.id FROM region AS g JOIN region AS "
                              "o ON o.kind = g.kind AND "
                              "o.name = g.name AND o.version = e.version WHERE g.id = "
                              "?2) END FROM experiment AS e "
                              "WHERE e.id = ?1";
    static const char slowest[] = "UPDATE temp.asked SET basis_unit = (SELECT s.unit "
                                  "FROM summary AS s WHERE s.experiment "
                                  "= asked.experiment AND s.region = asked.basis ORDER "
                                  "BY s.exec_time DESC, s.unit LIMIT 1)";
    /* SQL of a small table with the basis of each run, from which each row of a question
     * gets its basis. */
    static const char bases[] =
        "DROP TABLE IF EXISTS temp.base;"
        "CREATE TEMP TABLE base AS SELECT x.* FROM temp.asked AS a CROSS JOIN rs AS x"
        " ON x.experiment = a.experiment AND x.region = a.basis;"
        "CREATE UNIQUE INDEX temp.base_unit ON base (unit);";
    int result = run(store, tables, err);

    for (size_t i = 0; i < q->experiment_count && !result; i++) {
        int added = run_with(store, add, q->experiments[i], q->basis);

        if (added < 0)
            result = refuse(store, err);
        else if (!added)
            result = cca_error_set(err, -EINVAL, "store: found no experiment %lld",
                                   (long long)q->experiments[i]);
    }
    if (!result && q->sequential &&
        run_with(store, "INSERT INTO temp.sequential VALUES (?1)", q->sequential, 0) != 1)
        result = refuse(store, err);
    if (!result)
        result = run(store, slowest, err);
    return result ? result : run(store, bases, err);
}

/* --- Missing data
 * ---------------------------------------------------------------------- */

/* The text that the table `missing` has for a column or table. Returns 1 with `text`; 0:
 * none. */
static int missing(struct mm_store *store, int64_t experiment, const char *what,
                   char *text, size_t size)
{
    sqlite3_stmt *s = NULL;
    int found = 0;

    if (sqlite3_prepare_v2(
            store->db, "SELECT reason FROM missing WHERE experiment = ?1 AND what = ?2",
            -1, &s, NULL) == SQLITE_OK) {
        sqlite3_bind_int64(s, 1, experiment);
        sqlite3_bind_text(s, 2, what, -1, SQLITE_STATIC);
        if (sqlite3_step(s) == SQLITE_ROW) {
            snprintf(text, size, "%s", (const char *)sqlite3_column_text(s, 0));
            found = 1;
        }
    }
    sqlite3_finalize(s);
    return found;
}

/* Columns of the view rs that are computed, each followed by the columns of which it is
 * computed. */
static const char *const parts[][4] = {
    {"comm_time", "recv_time", "send_time", "coll_time"},
    {"sync_time", "mpi_sync_time", "omp_sync_time", NULL},
    {"ctl_par", "mpi_ctl_time", "omp_ctl_time", NULL},
    {"useful_time", "mpi_time", "exec_time", NULL},
    {"identified", "recv_time", "mpi_time", NULL}};

void mm_asked_missing(struct mm_store *store, int64_t experiment, const char *column,
                      char *text, size_t size)
{
    int found = missing(store, experiment, column, text, size);

    for (size_t i = 0; i < sizeof parts / sizeof *parts && !found; i++)
        for (int j = 1;
             j < 4 && strcmp(parts[i][0], column) == 0 && parts[i][j] && !found; j++)
            found = missing(store, experiment, parts[i][j], text, size);
    if (!found)
        snprintf(text, size, "was not measured");
}

int mm_asked_reason(struct mm_store *store, const struct mm_property *property,
                    const struct mm_expression *severity, int64_t experiment,
                    int64_t nulls, char *text, size_t size)
{
    char why[200];

    if (property->object == MM_FOR_PROPERTIES) {
        snprintf(text, size,
                 nulls >> MM_NULL_MEMBER & 1 ? "%s: not evaluated everywhere"
                                             : "%s: no severity is known",
                 property->of[0]);
        return 0;
    }
    for (int i = 0; i < severity->column_count; i++)
        if (nulls >> i & 1) {
            const char *column = severity->columns[i].column;

            mm_asked_missing(store, experiment, column, why, sizeof why);
            snprintf(text, size, "%s: %s", column, why);
            return 0;
        }
    snprintf(text, size, "division by zero, or another number that is not finite");
    return 0;
}

static int has_rows(struct mm_store *store, const char *table, int64_t experiment)
{
    char sql[120];
    sqlite3_stmt *s = NULL;
    int has;

    snprintf(sql, sizeof sql, "SELECT 1 FROM %s WHERE experiment = ?1 LIMIT 1", table);
    if (sqlite3_prepare_v2(store->db, sql, -1, &s, NULL) != SQLITE_OK)
        return 0;
    sqlite3_bind_int64(s, 1, experiment);
    has = sqlite3_step(s) == SQLITE_ROW;
    sqlite3_finalize(s);
    return has;
}

int mm_asked_emptiness(struct mm_store *store, const struct mm_property *property,
                       unsigned words, int64_t experiment, char *text, size_t size)
{
    static const enum mm_scope_word tables[] = {MM_SCOPE_SELF, MM_SCOPE_CACHE,
                                                MM_SCOPE_COUNTER, MM_SCOPE_MODEL};

    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        const struct mm_scope_table *t = mm_scope_find(property->object, tables[i]);

        if (!t || (tables[i] != MM_SCOPE_SELF && !(words & 1u << tables[i])) ||
            has_rows(store, t->table, experiment))
            continue;
        if (!missing(store, experiment, t->table, text, size))
            snprintf(text, size, "no rows in the table %s", t->table);
        return 1;
    }
    return 0;
}
