/* SPDX-License-Identifier: BSD-3-Clause */
/* results.c: write answers into a copy of their store. */
#include "properties/evaluate/results.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

#include "properties/store/store.h"

static int failed(sqlite3 *db, const char *path, struct cca_error *err)
{
    return sqlite3_errcode(db) == SQLITE_NOMEM
               ? cca_no_memory(err)
               : cca_error_set(err, -EIO, "%s: %s", path, sqlite3_errmsg(db));
}

static void bind_number(sqlite3_stmt *s, int at, double value)
{
    if (isnan(value))
        sqlite3_bind_null(s, at);
    else
        sqlite3_bind_double(s, at, value);
}

static void bind_id(sqlite3_stmt *s, int at, int64_t id)
{
    if (id)
        sqlite3_bind_int64(s, at, id);
    else
        sqlite3_bind_null(s, at);
}

static int put(sqlite3_stmt *s, const char *property, const struct mm_property_answer *a)
{
    sqlite3_reset(s);
    sqlite3_bind_text(s, 1, property, -1, SQLITE_STATIC);
    bind_id(s, 2, a->experiment);
    bind_id(s, 3, a->region);
    bind_id(s, 4, a->unit);
    sqlite3_bind_text(s, 5, a->detail, -1, SQLITE_STATIC);
    bind_number(s, 6, a->holds < 0 ? NAN : a->holds);
    bind_number(s, 7, a->severity);
    bind_number(s, 8, a->confidence);
    bind_number(s, 9, a->low);
    bind_number(s, 10, a->high);
    sqlite3_bind_text(s, 11, a->reason, -1, SQLITE_STATIC);
    return sqlite3_step(s) == SQLITE_DONE;
}

static int insert(sqlite3 *db, const char *path, const struct mm_result_set *sets,
                  size_t count, struct cca_error *err)
{
    sqlite3_stmt *s = NULL;
    int good = sqlite3_exec(db, "BEGIN; DELETE FROM property_result", NULL, NULL, NULL) ==
                   SQLITE_OK &&
               sqlite3_prepare_v2(db,
                                  "INSERT INTO property_result (property, experiment, "
                                  "region, unit, detail, holds, severity, confidence, "
                                  "low, high, reason) VALUES (?,?,?,?,?,?,?,?,?,?,?)",
                                  -1, &s, NULL) == SQLITE_OK;

    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < sets[i].answers->count && good; k++)
            good = put(s, sets[i].property, &sets[i].answers->all[k]);
    good = good && sqlite3_reset(s) == SQLITE_OK &&
           sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK;
    if (!good)
        failed(db, path, err);
    sqlite3_finalize(s);
    return good ? 0 : err->code;
}

static int copy(struct mm_store *store, const char *part, struct cca_error *err)
{
    sqlite3_stmt *s = NULL;
    int good =
        sqlite3_prepare_v2(store->db, "VACUUM main INTO ?1", -1, &s, NULL) == SQLITE_OK;

    if (good) {
        sqlite3_bind_text(s, 1, part, -1, SQLITE_STATIC);
        good = sqlite3_step(s) == SQLITE_DONE;
    }
    if (!good)
        failed(store->db, part, err);
    sqlite3_finalize(s);
    return good ? 0 : err->code;
}

/* Sync the file to disk, then rename it. */
static int name_file(const char *part, const char *path, struct cca_error *err)
{
    int fd = open(part, O_RDONLY | O_CLOEXEC), result = 0;

    if (fd < 0 || fsync(fd) || rename(part, path))
        result = cca_error_set(err, -EIO, "%s: %s", path, strerror(errno));
    if (fd >= 0)
        close(fd);
    return result;
}

int mm_results_write(struct mm_store *store, const char *path,
                     const struct mm_result_set *sets, size_t count,
                     struct cca_error *err)
{
    struct cca_error own = {0};
    sqlite3 *db = NULL;
    char *part;
    int result;

    if (access(path, F_OK) == 0)
        return cca_error_set(err, -EEXIST, "%s: exists", path);
    if (asprintf(&part, "%s.part", path) < 0)
        return cca_no_memory(err);
    if (unlink(part) && errno != ENOENT)
        result = cca_error_set(&own, -EIO, "%s: %s", part, strerror(errno));
    else
        result = copy(store, part, &own);
    if (!result && sqlite3_open_v2(part, &db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK)
        result = failed(db, part, &own);
    if (!result)
        sqlite3_exec(db, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF", NULL,
                     NULL, NULL);
    if (!result)
        result = insert(db, part, sets, count, &own);
    sqlite3_close(db);
    if (!result)
        result = name_file(part, path, &own);
    if (result) {
        unlink(part);
        cca_error_set(err, result, "%s", own.text);
    }
    free(part);
    return result;
}
