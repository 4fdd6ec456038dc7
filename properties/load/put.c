/* SPDX-License-Identifier: BSD-3-Clause */
/* put.c: bind values and run statements. */
#include "properties/load/parts.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>

int mm_put_refuse(struct mm_store *store, struct cca_error *err)
{
    int code = sqlite3_errcode(store->db);

    if (code == SQLITE_NOMEM)
        return cca_no_memory(err);
    return cca_error_set(
        err, code == SQLITE_CORRUPT || code == SQLITE_NOTADB ? -EBADMSG : -EIO, "%s: %s",
        store->path ? store->path : "store", sqlite3_errmsg(store->db));
}

sqlite3_stmt *mm_put_prepare(struct mm_store *store, const char *sql,
                             struct cca_error *err)
{
    sqlite3_stmt *statement = NULL;

    if (sqlite3_prepare_v3(store->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement,
                           NULL) == SQLITE_OK)
        return statement;
    mm_put_refuse(store, err);
    return NULL;
}

static int bind_all(sqlite3_stmt *s, const char *format, va_list values)
{
    int result = SQLITE_OK;

    for (int i = 1; *format && result == SQLITE_OK; i++, format++) {
        if (*format == 't') {
            result =
                sqlite3_bind_text(s, i, va_arg(values, const char *), -1, SQLITE_STATIC);
        } else if (*format == 'r') {
            double value = va_arg(values, double);

            result = isfinite(value) ? sqlite3_bind_double(s, i, value)
                                     : sqlite3_bind_null(s, i);
        } else {
            int64_t value = va_arg(values, int64_t);

            result = *format == 'I' && !value ? sqlite3_bind_null(s, i)
                                              : sqlite3_bind_int64(s, i, value);
        }
    }
    return result;
}

int mm_put(struct mm_store *store, sqlite3_stmt *statement, struct cca_error *err,
           const char *format, ...)
{
    va_list values;
    int result;

    va_start(values, format);
    result = bind_all(statement, format, values);
    va_end(values);
    if (result == SQLITE_OK)
        result = sqlite3_step(statement);
    if (result == SQLITE_DONE)
        result = sqlite3_reset(statement);
    return result == SQLITE_OK ? 0 : mm_put_refuse(store, err);
}

int mm_put_once(struct mm_store *store, int64_t *id, struct cca_error *err,
                const char *sql, const char *format, ...)
{
    sqlite3_stmt *statement = mm_put_prepare(store, sql, err);
    va_list values;
    int result;

    if (!statement)
        return -EIO;
    va_start(values, format);
    result = bind_all(statement, format, values);
    va_end(values);
    if (result == SQLITE_OK)
        result = sqlite3_step(statement);
    if (result == SQLITE_ROW) {
        if (id)
            *id = sqlite3_column_int64(statement, 0);
        result = SQLITE_DONE;
    }
    result = result == SQLITE_DONE ? 0 : mm_put_refuse(store, err);
    sqlite3_finalize(statement);
    return result;
}
