/* SPDX-License-Identifier: BSD-3-Clause */
/* rows.c: read rows of a store by the names of a table and its columns. */
#include "properties/evaluate/rows.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#include "common/nearest.h"
#include "properties/evaluate/parts.h"
#include "properties/store/store.h"

enum { NAME = 72, MOST_COLUMNS = 64 };

struct mm_rows {
    sqlite3_stmt *statement;
    int columns, is_there;
};

static int failed(const struct mm_store *store, struct cca_error *err)
{
    return sqlite3_errcode(store->db) == SQLITE_NOMEM
               ? cca_no_memory(err)
               : cca_error_set(err, -EIO, "%s: %s", store->path ? store->path : "store",
                               sqlite3_errmsg(store->db));
}

/* --- Names
 * ------------------------------------------------------------------------------- */

/* Search `name` in the first column of the rows of `sql`, and store the nearest name in
 * the caller's buffer. Returns 1: found, 0: not found, negative: failed. */
static int find_name(struct mm_store *store, const char *sql, const char *of,
                     const char *name, char nearest[NAME], struct cca_error *err)
{
    struct cca_nearest search;
    sqlite3_stmt *s = NULL;
    size_t least = SIZE_MAX;
    int step = SQLITE_ERROR, found = 0;

    *nearest = '\0';
    if (sqlite3_prepare_v2(store->db, sql, -1, &s, NULL) == SQLITE_OK) {
        sqlite3_bind_text(s, 1, of, -1, SQLITE_STATIC);
        while (!found && (step = sqlite3_step(s)) == SQLITE_ROW) {
            const char *known = (const char *)sqlite3_column_text(s, 0);

            cca_nearest_init(&search, name);
            search.distance = least;
            cca_nearest_offer(&search, known);
            if (search.best) {
                least = search.distance;
                snprintf(nearest, NAME, "%s", known);
            }
            found = known && strcmp(known, name) == 0;
        }
    }
    sqlite3_finalize(s);
    return found ? 1 : step == SQLITE_DONE ? 0 : failed(store, err);
}

/* Check that a table and a column of it exist. Returns -EINVAL if not. */
static int check_name(struct mm_store *store, const char *table, const char *column,
                      struct cca_error *err)
{
    static const char tables[] = "SELECT name FROM main.sqlite_schema WHERE type IN "
                                 "('table', 'view') AND name NOT LIKE 'sqlite_%'",
                      columns[] = "SELECT name FROM pragma_table_info(?1)";
    char nearest[NAME], hint[NAME + 32];
    int found = find_name(store, column ? columns : tables, table,
                          column ? column : table, nearest, err);

    if (found)
        return found < 0 ? found : 0;
    cca_nearest_hint(*nearest ? nearest : NULL, hint, sizeof hint);
    return column ? cca_error_set(err, -EINVAL, "table %s: found no column '%.60s'%s",
                                  table, column, hint)
                  : cca_error_set(err, -EINVAL, "found no table '%.60s'%s", table, hint);
}

static int has_column(struct mm_store *store, const char *table, const char *column)
{
    return check_name(store, table, column, NULL) == 0;
}

/* The next name of a list. Returns its length, 0: no more, -1: an invalid byte. */
static int next_name(const char **at, char name[NAME])
{
    size_t length = 0;

    *at += strspn(*at, " ,");
    while (isalnum((unsigned char)(*at)[length]) || (*at)[length] == '_')
        length++;
    if (length >= NAME || ((*at)[length] && !strchr(" ,", (*at)[length])))
        return -1;
    snprintf(name, NAME, "%.*s", (int)length, *at);
    *at += length;
    return (int)length;
}

/* --- Rows
 * -------------------------------------------------------------------------------- */

/* Write SELECT and the columns. */
static int put_columns(sqlite3_str *sql, struct mm_store *store, const char *table,
                       const char *columns, int *count, struct cca_error *err)
{
    char name[NAME];
    int length, result = 0;

    *count = 0;
    while (!result && (length = next_name(&columns, name)) > 0) {
        result = check_name(store, table, name, err);
        sqlite3_str_appendf(sql, "%s\"%w\"", *count ? ", " : "SELECT ", name);
        if (++*count > MOST_COLUMNS)
            result = cca_error_set(err, -EINVAL, "table %s: found more than %d columns",
                                   table, MOST_COLUMNS);
    }
    if (!result && (length < 0 || !*count))
        result = cca_error_set(err, -EINVAL,
                               "table %s: found '%.60s', expected names of columns",
                               table, columns);
    return result;
}

static void put_order(sqlite3_str *sql, struct mm_store *store, const char *table)
{
    static const char *const keys[] = {"experiment", "region", "unit", "id"};
    const char *before = " ORDER BY ";

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (has_column(store, table, keys[i])) {
            sqlite3_str_appendf(sql, "%s%s", before, keys[i]);
            before = ", ";
        }
}

static char *statement_of(struct mm_store *store, const char *table, const char *columns,
                          const int64_t *experiments, size_t count, int *column_count,
                          struct cca_error *err)
{
    sqlite3_str *sql = sqlite3_str_new(store->db);
    int result = put_columns(sql, store, table, columns, column_count, err);

    sqlite3_str_appendf(sql, " FROM main.\"%w\"", table);
    if (!result && has_column(store, table, "experiment")) {
        sqlite3_str_appendall(sql, " WHERE experiment IN (");
        for (size_t i = 0; i < count; i++)
            sqlite3_str_appendf(sql, "%s%lld", i ? "," : "", (long long)experiments[i]);
        sqlite3_str_appendall(sql, ")");
    }
    if (!result)
        put_order(sql, store, table);
    if (result) {
        sqlite3_free(sqlite3_str_finish(sql));
        return NULL;
    }
    return sqlite3_str_finish(sql);
}

int mm_rows_open(struct mm_rows **rows, struct mm_store *store, const char *table,
                 const char *columns, const int64_t *experiments, size_t count,
                 struct cca_error *err)
{
    struct cca_error own = {0};
    int result = check_name(store, table, NULL, &own);
    struct mm_rows *r = result ? NULL : calloc(1, sizeof *r);
    char *sql =
        r ? statement_of(store, table, columns, experiments, count, &r->columns, &own)
          : NULL;

    *rows = NULL;
    if (!result && !sql)
        result = own.code ? own.code : cca_no_memory(&own);
    if (!result &&
        sqlite3_prepare_v2(store->db, sql, -1, &r->statement, NULL) != SQLITE_OK)
        result = failed(store, &own);
    sqlite3_free(sql);
    if (result) {
        mm_rows_close(r);
        return cca_error_set(err, result, "%s", own.text);
    }
    *rows = r;
    return 0;
}

int mm_rows_next(struct mm_rows *rows)
{
    int step = sqlite3_step(rows->statement);

    rows->is_there = step == SQLITE_ROW;
    return rows->is_there ? 1 : step == SQLITE_DONE ? 0 : -EIO;
}

static int type_of(const struct mm_rows *rows, int column)
{
    return rows->is_there && column >= 0 && column < rows->columns
               ? sqlite3_column_type(rows->statement, column)
               : SQLITE_NULL;
}

static int is_number(const struct mm_rows *rows, int column)
{
    int type = type_of(rows, column);

    return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}

double mm_rows_number(const struct mm_rows *rows, int column)
{
    return is_number(rows, column) ? sqlite3_column_double(rows->statement, column) : NAN;
}

int64_t mm_rows_id(const struct mm_rows *rows, int column)
{
    return is_number(rows, column) ? sqlite3_column_int64(rows->statement, column) : 0;
}

const char *mm_rows_text(struct mm_rows *rows, int column)
{
    return type_of(rows, column) == SQLITE_NULL
               ? NULL
               : (const char *)sqlite3_column_text(rows->statement, column);
}

void mm_rows_close(struct mm_rows *rows)
{
    if (rows)
        sqlite3_finalize(rows->statement);
    free(rows);
}

void mm_rows_stay_in_memory(struct mm_store *store)
{
    sqlite3_exec(store->db, "PRAGMA temp_store = MEMORY", NULL, NULL, NULL);
}

/* --- Existence of data
 * ------------------------------------------------------------------- */

/* Whether a statement about an experiment and a name has a row. */
static int has_row(struct mm_store *store, const char *sql, int64_t experiment,
                   const char *name, struct cca_error *err)
{
    sqlite3_stmt *s = NULL;
    int step = SQLITE_ERROR;

    if (sqlite3_prepare_v2(store->db, sql, -1, &s, NULL) == SQLITE_OK) {
        sqlite3_bind_int64(s, 1, experiment);
        if (name)
            sqlite3_bind_text(s, 2, name, -1, SQLITE_STATIC);
        step = sqlite3_step(s);
    }
    sqlite3_finalize(s);
    return step == SQLITE_ROW ? 1 : step == SQLITE_DONE ? 0 : failed(store, err);
}

static int has_counter(struct mm_store *store, int64_t experiment, const char *name,
                       struct cca_error *err)
{
    return has_row(store,
                   "SELECT 1 FROM summary_counter WHERE experiment = ?1 AND name = ?2"
                   " LIMIT 1",
                   experiment, name, err);
}

/* Whether a column of rs has a value that is not NULL, or a table has rows. */
static int has_named(struct mm_store *store, int64_t experiment, const char *what,
                     struct cca_error *err)
{
    struct cca_error of_column = {0}, of_table = {0};
    int is_column = check_name(store, "rs", what, &of_column) == 0;
    int result = is_column ? 0 : check_name(store, what, NULL, &of_table);
    char *sql;

    if (result) /* report the nearest name */
        return cca_error_set(err, result, "%s",
                             strchr(of_column.text, '?') ? of_column.text
                                                         : of_table.text);
    sql =
        is_column ? sqlite3_mprintf("SELECT 1 FROM rs WHERE experiment = ?1 AND "
                                    "\"%w\" IS NOT NULL LIMIT 1",
                                    what)
        : has_column(store, what, "experiment")
            ? sqlite3_mprintf("SELECT 1 FROM \"%w\" WHERE experiment = ?1 LIMIT 1", what)
            : sqlite3_mprintf("SELECT 1 FROM \"%w\" LIMIT 1", what);
    result = sql ? has_row(store, sql, experiment, NULL, err) : cca_no_memory(err);
    sqlite3_free(sql);
    return result;
}

int mm_rows_has(struct mm_store *store, int64_t experiment, const char *what, char *text,
                size_t size, struct cca_error *err)
{
    const char *counter = strncmp(what, "counter.", 8) == 0 ? what + 8 : NULL;
    int result = counter ? has_counter(store, experiment, counter, err)
                         : has_named(store, experiment, what, err);
    char why[200];

    if (result)
        return result;
    mm_asked_missing(store, experiment, counter ? counter : what, why, sizeof why);
    snprintf(text, size, "%s: %s", counter ? counter : what, why);
    return 0;
}
