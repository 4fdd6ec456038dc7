/* SPDX-License-Identifier: BSD-3-Clause */
/* lint.c: check a property without data. */
#include <errno.h>
#include <string.h>

#include "common/expr/words.h"
#include "properties/evaluate/parts.h"
#include "properties/evaluate/evaluate.h"
#include "properties/store/store.h"

/* Nested loops of the query plan so far, in the current part of the statement. */
struct loops {
    int parent, count;
};

/* Whether a step of the plan scans a whole table inside another loop. Steps are
 * recognised by SCAN and the table's alias in our statements (scope.c, select.c). */
static int is_slow(const char *step, const struct loops *loops)
{
    return loops->count && strncmp(step, "SCAN ", 5) == 0 &&
           cca_is_word("s x b c k m q h", step + 5, strlen(step + 5));
}

static int is_loop(const char *step)
{
    return strncmp(step, "SCAN ", 5) == 0 || strncmp(step, "SEARCH ", 7) == 0;
}

static int check_plan(struct mm_store *store, const struct mm_property *property,
                      const struct mm_select *statement, struct cca_error *err)
{
    sqlite3_stmt *s = NULL;
    char *sql = sqlite3_mprintf("EXPLAIN QUERY PLAN %s", statement->sql);
    struct loops loops = {0};
    int result = 0;

    if (!sql)
        return cca_no_memory(err);
    if (sqlite3_prepare_v2(store->db, sql, -1, &s, NULL) != SQLITE_OK)
        result = cca_error_set(err, -EBADMSG, "%s:%d: %s", property->path,
                               property->severity.line, sqlite3_errmsg(store->db));
    while (!result && sqlite3_step(s) == SQLITE_ROW) {
        const char *step = (const char *)sqlite3_column_text(s, 3);
        int parent = sqlite3_column_int(s, 1);

        if (!step || !is_loop(step))
            continue;
        if (parent != loops.parent)
            loops = (struct loops){.parent = parent};
        if (is_slow(step, &loops))
            result = cca_error_set(err, -EBADMSG,
                                   "%s:%d: found a plan with '%.60s' in an inner "
                                   "loop, expected a search by an index",
                                   property->path, property->severity.line, step);
        loops.count++;
    }
    sqlite3_finalize(s);
    sqlite3_free(sql);
    return result;
}

int mm_property_lint(struct mm_store *store, const struct mm_property *property,
                     const struct mm_property *const *library, size_t library_count,
                     struct cca_error *err)
{
    const struct mm_property_question nothing = {.library = library,
                                                 .library_count = library_count};
    struct mm_select statement = {0};
    struct mm_guard guard;
    int result = 0;

    if (property->code)
        return property->code->lint(property->code, store, property, err);
    if (mm_functions_add(store->db))
        return cca_error_set(err, -EIO, "store: %s", sqlite3_errmsg(store->db));
    result = mm_asked_set(store, &nothing, err);
    if (!result && property->object == MM_FOR_PROPERTIES)
        result = mm_members_check(property, library, library_count, err);
    if (!result)
        result = mm_members_none(store, err);
    if (result)
        return result;
    mm_guard_set(store->db, &guard, 10);
    result = mm_select_make(&statement, store, property, NULL, err);
    mm_guard_lift(store->db);
    if (!result)
        result = check_plan(store, property, &statement, err);
    mm_select_done(&statement);
    return result;
}
