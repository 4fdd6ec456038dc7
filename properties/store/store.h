/* SPDX-License-Identifier: BSD-3-Clause */
/* store.h: the SQLite file of a store (docs/reference/property-files.md). */
#ifndef PROPERTIES_STORE_STORE_H
#define PROPERTIES_STORE_STORE_H

#include "ports/cca_error.h"

struct sqlite3;

struct mm_store {
    struct sqlite3 *db;
    char *path;     /* path of the file; NULL: the store is in memory */
    int unfinished; /* 1: the file still has its temporary name */
};

/* Make an empty store with all tables and views, in memory if `path` is NULL. A file is
 * written under a temporary name, and renamed by mm_store_finish. Returns 0 with *store;
 * -EEXIST, -EIO, -ENOMEM with `err`. */
int mm_store_new(struct mm_store **store, const char *path, struct cca_error *err);
int mm_store_finish(struct mm_store *store, struct cca_error *err);
/* Open a store for reading. Returns 0 with *store; -ENOENT; -EBADMSG: not a store,
 * damaged, or another version ("file: found, expected"). */
int mm_store_open(struct mm_store **store, const char *path, struct cca_error *err);
/* Close a store; an unfinished file is removed. */
void mm_store_free(struct mm_store *store);
/* Whether `path` is an SQLite file, by its first bytes. */
int mm_store_is(const char *path);

#endif
