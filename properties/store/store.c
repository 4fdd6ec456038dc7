/* SPDX-License-Identifier: BSD-3-Clause */
/* store.c: make and open the SQLite file of a store. */
#include "properties/store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "properties/store/schema.h"

/* SQLite's application id and the schema's version, as in schema.sql */
enum { APPLICATION = 0x4d4d5053, VERSION = 1 };

static const char magic[16] = "SQLite format 3";

/* The temporary name of a file that is incomplete. */
static char *part_path(const char *path)
{
    size_t size = strlen(path) + sizeof "./.part";
    char *part = malloc(size);

    if (part) /* SQLite would take "file:..." for a URI */
        snprintf(part, size, "%s%s.part", strncmp(path, "file:", 5) ? "" : "./", path);
    return part;
}

static int refuse(const struct mm_store *store, struct cca_error *err)
{
    int code = sqlite3_errcode(store->db);

    if (code == SQLITE_NOMEM)
        return -ENOMEM;
    return cca_error_set(
        err, code == SQLITE_CORRUPT || code == SQLITE_NOTADB ? -EBADMSG : -EIO, "%s: %s",
        store->path ? store->path : "store", sqlite3_errmsg(store->db));
}

static int run(struct mm_store *store, const char *sql, struct cca_error *err)
{
    return sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK
               ? 0
               : refuse(store, err);
}

/* Harden a connection: quoted names that are no columns must not become strings, and
 * triggers or views of a hostile file must not call unsafe functions. */
static void guard(sqlite3 *db)
{
    /* a query reads the whole file: cache 64 MiB of it */
    sqlite3_exec(db, "PRAGMA cache_size = -65536", NULL, NULL, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DDL, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_exec(db, "PRAGMA cell_size_check = ON", NULL, NULL, NULL);
}

static int add_tables(struct mm_store *store, struct cca_error *err)
{
    size_t size = 1;
    char *sql, *at;
    int r;

    for (size_t i = 0; mm_store_schema[i]; i++)
        size += strlen(mm_store_schema[i]);
    sql = malloc(size);
    if (!sql)
        return -ENOMEM;
    *sql = 0;
    at = sql;
    for (size_t i = 0; mm_store_schema[i]; i++)
        at = stpcpy(at, mm_store_schema[i]);
    r = run(store, sql, err);
    free(sql);
    return r;
}

static int begin(struct mm_store **store, const char *path)
{
    *store = calloc(1, sizeof **store);
    if (!*store)
        return -ENOMEM;
    (*store)->path = path ? strdup(path) : NULL;
    return path && !(*store)->path ? -ENOMEM : 0;
}

int mm_store_new(struct mm_store **store, const char *path, struct cca_error *err)
{
    int r = begin(store, path);
    char *part = r || !path ? NULL : part_path(path);

    if (!r && path && !part)
        r = -ENOMEM;
    if (!r && path && access(path, F_OK) == 0)
        r = cca_error_set(err, -EEXIST, "%s: exists", path);
    if (!r && part && unlink(part) && errno != ENOENT)
        r = cca_error_set(err, -EIO, "%s: %s", part, strerror(errno));
    if (!r)
        (*store)->unfinished = path != NULL;
    if (!r &&
        sqlite3_open_v2(part ? part : ":memory:", &(*store)->db,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI,
                        NULL) != SQLITE_OK)
        r = cca_error_set(err, -EIO, "%s: %s", part ? part : "store",
                          (*store)->db ? sqlite3_errmsg((*store)->db) : "no memory");
    if (!r) {
        /* the file is made completely or not at all, so a journal is useless; after
         * guard() it could not be switched off */
        r = run(*store, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;", err);
        guard((*store)->db);
    }
    if (!r)
        r = add_tables(*store, err);
    free(part);
    if (r) {
        mm_store_free(*store);
        *store = NULL;
    }
    return r;
}

/* Close the file, sync it, reopen it for reading, then rename it: nothing can fail
 * afterwards. */
static int name_file(struct mm_store *store, const char *part, struct cca_error *err)
{
    int fd, r = 0;

    if (sqlite3_close(store->db) != SQLITE_OK)
        return cca_error_set(err, -EIO, "%s: a statement is still open", store->path);
    store->db = NULL;
    fd = open(part, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fsync(fd))
        r = cca_error_set(err, -EIO, "%s: %s", store->path, strerror(errno));
    if (fd >= 0)
        close(fd);
    if (!r &&
        sqlite3_open_v2(part, &store->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX,
                        NULL) != SQLITE_OK)
        r = store->db ? refuse(store, err) : cca_no_memory(err);
    if (!r && rename(part, store->path))
        r = cca_error_set(err, -EIO, "%s: %s", store->path, strerror(errno));
    return r;
}

int mm_store_finish(struct mm_store *store, struct cca_error *err)
{
    char *part;
    int r = run(store, "ANALYZE;", err);

    if (r || !store->unfinished)
        return r;
    part = part_path(store->path);
    if (!part)
        return -ENOMEM;
    r = name_file(store, part, err);
    free(part);
    if (r)
        return r;
    store->unfinished = 0;
    guard(store->db);
    return 0;
}

/* The number of a PRAGMA, -1: none. */
static int64_t pragma_number(struct mm_store *store, const char *sql)
{
    sqlite3_stmt *s = NULL;
    int64_t value = -1;

    if (sqlite3_prepare_v2(store->db, sql, -1, &s, NULL) == SQLITE_OK &&
        sqlite3_step(s) == SQLITE_ROW)
        value = sqlite3_column_int64(s, 0);
    sqlite3_finalize(s);
    return value;
}

/* Remove comments and repeated blanks. */
static void strip(char *sql)
{
    char *to = sql;

    for (const char *at = sql; *at;) {
        if (at[0] == '-' && at[1] == '-')
            at += strcspn(at, "\n");
        else if (strchr(" \n\t", *at) && to > sql && to[-1] == ' ')
            at++;
        else
            *to++ = strchr(" \n\t", *at++) ? ' ' : at[-1];
    }
    *to = '\0';
}

/* A new string with the definitions of the schema's tables and views, a line each. */
static char *schema_of(struct mm_store *store)
{
    sqlite3_stmt *s = NULL;
    char *text = NULL;

    if (sqlite3_prepare_v2(
            store->db,
            "SELECT group_concat(type || ' ' || name || ' ' || sql, char(10))"
            " FROM (SELECT * FROM sqlite_schema WHERE type = 'table' OR"
            " type = 'view' ORDER BY name)"
            " WHERE name NOT LIKE 'sqlite_%'",
            -1, &s, NULL) == SQLITE_OK &&
        sqlite3_step(s) == SQLITE_ROW && sqlite3_column_text(s, 0))
        text = strdup((const char *)sqlite3_column_text(s, 0));
    if (text)
        strip(text);
    sqlite3_finalize(s);
    return text;
}

/* Compare the schema: a view instead of a table may take forever, and another column may
 * have any type. */
static int check_schema(struct mm_store *store, struct cca_error *err)
{
    struct mm_store *pristine = NULL;
    char *found = NULL, *expected = NULL;
    int result = mm_store_new(&pristine, NULL, err);

    if (!result) {
        found = schema_of(store);
        expected = schema_of(pristine);
        if (!expected)
            result = cca_no_memory(err);
        else if (!found || strcmp(found, expected) != 0)
            result =
                cca_error_set(err, -EBADMSG,
                              "%s: found other tables than those of a store, expected a "
                              "store that `mastermind export sqlite` made",
                              store->path);
    }
    free(found);
    free(expected);
    mm_store_free(pristine);
    return result;
}

/* Check all pages, so that damage is reported here, once; takes some tenths of a second
 * for 100 MB. */
static int check_pages(struct mm_store *store, struct cca_error *err)
{
    sqlite3_stmt *s = NULL;
    const char *found = NULL, *line;
    int result = 0;

    if (sqlite3_prepare_v2(store->db, "PRAGMA quick_check(1)", -1, &s, NULL) ==
            SQLITE_OK &&
        sqlite3_step(s) == SQLITE_ROW)
        found = (const char *)sqlite3_column_text(s, 0);
    line = found ? strchr(found, '\n') : NULL; /* after a title line */
    if (!found)
        result = refuse(store, err);
    else if (strcmp(found, "ok") != 0)
        result =
            cca_error_set(err, -EBADMSG, "%s: found damage, expected a store: %.100s",
                          store->path, line ? line + 1 : found);
    sqlite3_finalize(s);
    return result;
}

static int check(struct mm_store *store, struct cca_error *err)
{
    int64_t application = pragma_number(store, "PRAGMA application_id"),
            version = pragma_number(store, "PRAGMA user_version");
    int result;

    if (sqlite3_errcode(store->db) != SQLITE_OK &&
        sqlite3_errcode(store->db) != SQLITE_DONE &&
        sqlite3_errcode(store->db) != SQLITE_ROW)
        return refuse(store, err);
    if (application != APPLICATION)
        return cca_error_set(err, -EBADMSG,
                             "%s: found another SQLite file, expected a store of "
                             "`mastermind export sqlite`",
                             store->path);
    if (version != VERSION)
        return cca_error_set(err, -EBADMSG,
                             "%s: found a store of version %lld, expected %d",
                             store->path, (long long)version, VERSION);
    result = check_schema(store, err);
    return result ? result : check_pages(store, err);
}

int mm_store_open(struct mm_store **store, const char *path, struct cca_error *err)
{
    int r = begin(store, path);

    if (!r && access(path, R_OK))
        r = cca_error_set(err, errno == ENOENT ? -ENOENT : -EIO, "%s: %s", path,
                          strerror(errno));
    if (!r &&
        sqlite3_open_v2(path, &(*store)->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX,
                        NULL) != SQLITE_OK)
        r = cca_error_set(err, -EIO, "%s: %s", path,
                          (*store)->db ? sqlite3_errmsg((*store)->db) : "no memory");
    if (!r) {
        guard((*store)->db);
        r = check(*store, err);
    }
    if (r) {
        mm_store_free(*store);
        *store = NULL;
    }
    return r;
}

void mm_store_free(struct mm_store *store)
{
    char *part;

    if (!store)
        return;
    sqlite3_close(store->db);
    if (store->unfinished && (part = part_path(store->path))) {
        unlink(part);
        free(part);
    }
    free(store->path);
    free(store);
}

int mm_store_is(const char *path)
{
    char found[sizeof magic];
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), is;

    if (fd < 0)
        return 0;
    /* only regular files are opened: a pipe, for example, could block the reader */
    is = fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
         read(fd, found, sizeof found) == (ssize_t)sizeof found &&
         memcmp(found, magic, sizeof magic) == 0;
    close(fd);
    return is;
}
