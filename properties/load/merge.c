/* SPDX-License-Identifier: BSD-3-Clause */
/* merge.c: copy all rows of a store into another one, with new ids. */
#include "properties/load/parts.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "properties/load/sums/sums.h"

/* Tables with ids, each after the tables it refers to, and the columns that identify
 * equal rows. */
static const struct {
    const char *table, *keys[4];
} named[] = {
    {"application", {"name"}},
    {"version", {"application", "build"}},
    {"source_file", {"version", "path"}},
    {"region", {"version", "kind", "name"}},
    {"machine", {"name"}},
    {"node", {"machine", "host"}},
    {"experiment", {"path"}},
    {"unit", {"experiment", "rank", "thread"}},
};

/* Tables without ids. */
static const char *const plain[] = {
    "cache",   "network",    "summary",      "summary_cache", "summary_counter", "batch",
    "message", "collective", "model_excess", "missing",       "property_result",
};

/* The table that a column refers to, or NULL. */
static const char *table_of(const char *column)
{
    static const char *const same[] = {"application", "version", "source_file",
                                       "machine",     "node",    "experiment",
                                       "region",      "unit",    NULL};

    for (const char *const *s = same; *s; s++)
        if (strcmp(column, *s) == 0)
            return *s;
    return strcmp(column, "root") == 0 || strcmp(column, "send_region") == 0 ||
                   strcmp(column, "recv_region") == 0
               ? "region"
               : NULL;
}

static void add_mapped(struct mm_text *sql, const char *column)
{
    const char *table = table_of(column);

    if (table)
        mm_text_add(sql, "(SELECT new FROM temp.of_%s WHERE old = t.%s)", table, column);
    else
        mm_text_add(sql, "t.%s", column);
}

/* Write the columns of a table, separated by commas: `names` gets their names, `values`
 * their values with ids mapped to ours. The columns id and parent are left out. */
static int add_columns(struct mm_store *store, const char *table, struct mm_text *names,
                       struct mm_text *values, struct cca_error *err)
{
    sqlite3_stmt *s =
        mm_put_prepare(store, "SELECT name FROM pragma_table_info(?, 'main')", err);
    int step;

    if (!s)
        return -EIO;
    sqlite3_bind_text(s, 1, table, -1, SQLITE_STATIC);
    while ((step = sqlite3_step(s)) == SQLITE_ROW) {
        const char *column = (const char *)sqlite3_column_text(s, 0);

        if (!column || strcmp(column, "id") == 0 || strcmp(column, "parent") == 0)
            continue;
        mm_text_add(names, "%s%s", names->length ? ", " : "", column);
        mm_text_add(values, "%s", values->length ? ", " : "");
        add_mapped(values, column);
    }
    sqlite3_finalize(s);
    if (names->failed || values->failed)
        return cca_no_memory(err);
    return step == SQLITE_DONE ? 0 : mm_put_refuse(store, err);
}

static int run(struct mm_store *store, struct mm_text *sql, struct cca_error *err)
{
    int result =
        sql->failed ? cca_no_memory(err) : mm_put_once(store, NULL, err, sql->text, "");

    free(sql->text);
    *sql = (struct mm_text){0};
    return result;
}

static int copy_rows(struct mm_store *store, const char *table, const char *conflict,
                     struct cca_error *err)
{
    struct mm_text names = {0}, values = {0}, sql = {0};
    int result = add_columns(store, table, &names, &values, err);

    if (!result) {
        mm_text_add(&sql,
                    "INSERT INTO main.%s (%s) SELECT %s FROM old.%s AS t WHERE true%s",
                    table, names.text, values.text, table, conflict);
        result = run(store, &sql, err);
    }
    free(names.text);
    free(values.text);
    return result;
}

/* Map the other store's row ids to ours. */
static int map_ids(struct mm_store *store, const char *table, const char *const *keys,
                   struct cca_error *err)
{
    struct mm_text sql = {0};
    int result;

    mm_text_add(&sql, "CREATE TEMP TABLE of_%s (old INTEGER PRIMARY KEY, new INTEGER)",
                table);
    result = run(store, &sql, err);
    if (result)
        return result;
    mm_text_add(&sql,
                "INSERT INTO temp.of_%s SELECT t.id, n.id FROM old.%s AS t JOIN"
                " main.%s AS n ON ",
                table, table, table);
    for (int i = 0; i < 4 && keys[i]; i++) {
        mm_text_add(&sql, "%sn.%s = ", i ? " AND " : "", keys[i]);
        add_mapped(&sql, keys[i]);
    }
    return run(store, &sql, err);
}

static int drop_maps(struct mm_store *store, struct cca_error *err)
{
    int result = 0;

    for (size_t i = 0; i < sizeof named / sizeof *named && !result; i++) {
        struct mm_text sql = {0};

        mm_text_add(&sql, "DROP TABLE temp.of_%s", named[i].table);
        result = run(store, &sql, err);
    }
    return result;
}

static int copy_all(struct mm_store *store, struct cca_error *err)
{
    int result = 0;

    for (size_t i = 0; i < sizeof named / sizeof *named && !result; i++) {
        int unique = strcmp(named[i].table, "experiment") == 0; /* a run must not be added
                                                                 * twice */

        result = copy_rows(store, named[i].table, unique ? "" : " ON CONFLICT DO NOTHING",
                           err);
        if (!result)
            result = map_ids(store, named[i].table, named[i].keys, err);
    }
    if (!result)
        result = mm_put_once(
            store, NULL, err,
            "UPDATE main.region SET parent = (SELECT p.new FROM temp.of_region AS m JOIN"
            " old.region AS t ON t.id = m.old JOIN temp.of_region AS p ON p.old = "
            "t.parent"
            " WHERE m.new = region.id) WHERE parent IS NULL AND id IN (SELECT new FROM"
            " temp.of_region)",
            "");
    for (size_t i = 0; i < sizeof plain / sizeof *plain && !result; i++) {
        int shared = strcmp(plain[i], "cache") == 0 || strcmp(plain[i], "network") == 0;

        result = copy_rows(store, plain[i], shared ? " ON CONFLICT DO NOTHING" : "", err);
    }
    return result ? result : drop_maps(store, err);
}

/* A new string: a path as a URI that opens the file read-only. */
static char *uri_of(const char *path)
{
    struct mm_text uri = {0};

    mm_text_add(&uri, "file:");
    for (const unsigned char *at = (const unsigned char *)path; *at; at++)
        if (isalnum(*at) || strchr("/._-~", *at))
            mm_text_add(&uri, "%c", *at);
        else
            mm_text_add(&uri, "%%%02X", *at);
    mm_text_add(&uri, "?mode=ro");
    return uri.failed ? NULL : uri.text;
}

/* Set the error. SQLite's message is about the store being made; the path names the one
 * being read. */
static int tell(const char *path, int result, const struct cca_error *own,
                struct cca_error *err)
{
    const char *text = strstr(own->text, ": ");

    return cca_error_set(err, result == -ENOMEM ? -ENOMEM : -EBADMSG, "%s: %s", path,
                         text ? text + 2 : own->text);
}

int mm_store_merge(struct mm_store *store, const char *path, struct cca_error *err)
{
    struct mm_store *other = NULL;
    struct cca_error own = {0};
    int64_t shared = 0;
    char *uri;
    int result = mm_store_open(&other, path, err);

    mm_store_free(other);
    if (result)
        return result;
    uri = uri_of(path);
    result = uri ? mm_put_once(store, NULL, &own, "ATTACH ? AS old", "t", uri) : -ENOMEM;
    free(uri);
    if (!result)
        result = mm_put_once(store, &shared, &own,
                             "SELECT count(*) FROM old.experiment AS o JOIN"
                             " main.experiment AS n ON n.path = o.path",
                             "");
    if (!result && shared) {
        mm_put_once(store, NULL, NULL, "DETACH old", "");
        return cca_error_set(err, -EEXIST, "%s: has a run that is in the store already",
                             path);
    }
    if (!result)
        result = mm_put_once(store, NULL, &own, "BEGIN", "");
    if (!result)
        result = copy_all(store, &own);
    if (!result)
        result = mm_put_once(store, NULL, &own, "COMMIT", "");
    if (!result)
        result = mm_put_once(store, NULL, &own, "DETACH old", "");
    return result ? tell(path, result, &own, err) : 0;
}
