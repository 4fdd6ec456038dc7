/* SPDX-License-Identifier: BSD-3-Clause */
/* put.h: write rows into the tables of a store. */
#ifndef PROPERTIES_LOAD_PUT_H
#define PROPERTIES_LOAD_PUT_H

#include <sqlite3.h>
#include <stdint.h>

#include "properties/store/store.h"

/* Prepare a statement. New (sqlite3_finalize frees it), or NULL with `err`. */
sqlite3_stmt *mm_put_prepare(struct mm_store *store, const char *sql,
                             struct cca_error *err);
/* Bind values and run a statement without result rows. `format` has a letter for each
 * parameter: i int64_t; I int64_t, a reference, 0 becomes NULL; r double, NULL if not
 * finite; t const char *, NULL becomes NULL. 0; -EIO, -ENOMEM with `err`. */
int mm_put(struct mm_store *store, sqlite3_stmt *statement, struct cca_error *err,
           const char *format, ...);
/* Like mm_put, but prepares the statement for one use; if it returns a row, the first
 * column is stored in *id, which is otherwise unchanged. `id` may be NULL. */
int mm_put_once(struct mm_store *store, int64_t *id, struct cca_error *err,
                const char *sql, const char *format, ...);
/* Set `err` from the store's last error. Returns its code. */
int mm_put_refuse(struct mm_store *store, struct cca_error *err);

#endif
