/* SPDX-License-Identifier: BSD-3-Clause */
/* members.c: the answers of a Metaproperty's members as a virtual table of SQLite, which
 * reads them in memory: a million rows need not be inserted. */
#include "properties/evaluate/parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#include "common/nearest.h"
#include "properties/store/store.h"

enum { MOST_DEPTH = 8 };

static const struct mm_property *find(const struct mm_property *const *library,
                                      size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(library[i]->name.text, name) == 0)
            return library[i];
    return NULL;
}

static int check(const struct mm_property *property,
                 const struct mm_property *const *library, size_t count, int depth,
                 const struct mm_property *top, struct cca_error *err)
{
    int result = 0;

    if (depth > MOST_DEPTH)
        return cca_error_set(err, -EBADMSG,
                             "%s:%d: found properties that are members of one "
                             "another, expected no circle, at most 8 deep",
                             top->path, top->of_line);
    for (size_t i = 0; i < property->of_count && !result; i++) {
        const struct mm_property *member = find(library, count, property->of[i]);
        struct cca_nearest nearest;

        if (member) {
            if (member->object == MM_FOR_PROPERTIES)
                result = check(member, library, count, depth + 1, top, err);
            continue;
        }
        cca_nearest_init(&nearest, property->of[i]);
        for (size_t j = 0; j < count; j++)
            cca_nearest_offer(&nearest, library[j]->name.text);
        result = cca_error_set(err, -EBADMSG, "%s:%d: found '%s', expected %s%s%s",
                               property->path, property->of_line, property->of[i],
                               nearest.best ? "'" : "the name of a property",
                               nearest.best ? nearest.best : "", nearest.best ? "'" : "");
    }
    return result;
}

int mm_members_check(const struct mm_property *property,
                     const struct mm_property *const *library, size_t library_count,
                     struct cca_error *err)
{
    return check(property, library, library_count, 1, property, err);
}

/* A row of the table mm_member: one answer of a member; NaN means NULL. */
struct member {
    int64_t experiment, region, unit;
    double holds, severity, confidence;
};

struct members {
    /* rows of the table mm_member, sorted by experiment and region */
    struct member *rows;
    size_t count;
};

/* --- Rows in order ------------------------------------------------------ */

static int compare(const struct member *a, const struct member *b)
{
    if (a->experiment != b->experiment)
        return a->experiment < b->experiment ? -1 : 1;
    if (a->region != b->region)
        return a->region < b->region ? -1 : 1;
    return (a->unit > b->unit) - (a->unit < b->unit);
}

static int by_place(const void *a, const void *b)
{
    return compare(a, b);
}

/* Sort rows by experiment and region. Answers for summaries are in that order already, so
 * usually there is nothing to do. */
static void sort(struct member *rows, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (compare(&rows[i - 1], &rows[i]) > 0) {
            qsort(rows, count, sizeof *rows, by_place);
            return;
        }
}

static void merge(struct member *into, const struct members *a, const struct members *b)
{
    size_t i = 0, j = 0;

    while (i < a->count || j < b->count)
        if (j == b->count || (i < a->count && compare(&a->rows[i], &b->rows[j]) <= 0))
            *into++ = a->rows[i++];
        else
            *into++ = b->rows[j++];
}

/* Add rows to the table mm_member, in any order. They are stolen. Returns 0 or
 * -ENOMEM. */
static int add_rows(struct members *members, struct member *rows, size_t count)
{
    struct members added = {rows, count}, all = {.count = members->count + count};

    sort(rows, count);
    if (!members->count) {
        free(members->rows);
        *members = added;
        return 0;
    }
    all.rows = malloc(all.count * sizeof *all.rows);
    if (all.rows)
        merge(all.rows, members, &added);
    free(rows);
    if (!all.rows)
        return -ENOMEM;
    free(members->rows);
    *members = all;
    return 0;
}

static void free_rows(struct members *members)
{
    free(members->rows);
    *members = (struct members){0};
}

/* --- The table ---------------------------------------------------------- */

struct table {
    sqlite3_vtab base; /* must be first */
    const struct members *members;
};

struct cursor {
    sqlite3_vtab_cursor base; /* must be first */
    size_t at;
};

static int connect_table(sqlite3 *db, void *members, int count, const char *const *words,
                         sqlite3_vtab **out, char **message)
{
    struct table *table = sqlite3_malloc(sizeof *table);
    int result = table ? sqlite3_declare_vtab(
                             db, "CREATE TABLE member (experiment INTEGER, region "
                                 "INTEGER, unit INTEGER, holds REAL, severity REAL, "
                                 "confidence REAL)")
                       : SQLITE_NOMEM;

    (void)count, (void)words, (void)message;
    if (result != SQLITE_OK) {
        sqlite3_free(table);
        return result;
    }
    *table = (struct table){.members = members};
    *out = &table->base;
    return SQLITE_OK;
}

static int disconnect_table(sqlite3_vtab *table)
{
    sqlite3_free(table);
    return SQLITE_OK;
}

/* The only query plan: read all rows in order, which is also the order of GROUP BY. */
static int plan(sqlite3_vtab *base, sqlite3_index_info *info)
{
    double count = (double)((struct table *)base)->members->count;
    int ordered = info->nOrderBy <= 2;

    for (int i = 0; i < info->nOrderBy && ordered; i++)
        ordered = info->aOrderBy[i].iColumn == i && !info->aOrderBy[i].desc;
    info->orderByConsumed = info->nOrderBy && ordered;
    info->estimatedCost = count + 1;
    info->estimatedRows = (sqlite3_int64)count + 1;
    return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **out)
{
    struct cursor *cursor = sqlite3_malloc(sizeof *cursor);

    (void)table;
    if (!cursor)
        return SQLITE_NOMEM;
    *cursor = (struct cursor){0};
    *out = &cursor->base;
    return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *cursor)
{
    sqlite3_free(cursor);
    return SQLITE_OK;
}

static int rewind_cursor(sqlite3_vtab_cursor *cursor, int number, const char *text,
                         int count, sqlite3_value **values)
{
    (void)number, (void)text, (void)count, (void)values;
    ((struct cursor *)cursor)->at = 0;
    return SQLITE_OK;
}

static int step_cursor(sqlite3_vtab_cursor *cursor)
{
    ((struct cursor *)cursor)->at++;
    return SQLITE_OK;
}

static int is_at_end(sqlite3_vtab_cursor *cursor)
{
    return ((struct cursor *)cursor)->at >=
           ((struct table *)cursor->pVtab)->members->count;
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int number)
{
    const struct members *members = ((struct table *)base->pVtab)->members;
    const struct member *row = &members->rows[((struct cursor *)base)->at];
    const int64_t ids[] = {row->experiment, row->region, row->unit};
    const double values[] = {row->holds, row->severity, row->confidence};

    if (number < 3)
        sqlite3_result_int64(context, ids[number]);
    else if (!isnan(values[number - 3]))
        sqlite3_result_double(context, values[number - 3]);
    return SQLITE_OK;
}

static int number_of_row(sqlite3_vtab_cursor *cursor, sqlite3_int64 *number)
{
    *number = (sqlite3_int64)((struct cursor *)cursor)->at;
    return SQLITE_OK;
}

/* Without xCreate the table exists by its name, and cannot be created again. */
static const sqlite3_module module = {.xConnect = connect_table,
                                      .xBestIndex = plan,
                                      .xDisconnect = disconnect_table,
                                      .xOpen = open_cursor,
                                      .xClose = close_cursor,
                                      .xFilter = rewind_cursor,
                                      .xNext = step_cursor,
                                      .xEof = is_at_end,
                                      .xColumn = column,
                                      .xRowid = number_of_row};

static void free_members(void *members)
{
    free_rows(members);
    free(members);
}

/* Make `members` the content of table mm_member of this connection. The rows are stolen.
 * The previous table is dropped, so no statement may be reading it. Returns 0 or an
 * SQLite error. */
static int set_table(sqlite3 *db, struct members *members)
{
    struct members *kept = malloc(sizeof *kept);
    int result;

    if (!kept)
        return SQLITE_NOMEM;
    *kept = *members;
    *members = (struct members){0};
    /* this function calls free_members after a failure, too */
    result = sqlite3_create_module_v2(db, "mm_member", &module, kept, free_members);
    /* the first use declares the table's columns, which the guard would refuse later */
    return result != SQLITE_OK
               ? result
               : sqlite3_exec(db, "SELECT 1 FROM mm_member LIMIT 0", NULL, NULL, NULL);
}

int mm_members_none(struct mm_store *store, struct cca_error *err)
{
    struct members none = {0};

    return set_table(store->db, &none) == SQLITE_OK
               ? 0
               : cca_error_set(err, -EIO, "store: %s", sqlite3_errmsg(store->db));
}

/* --- Answers ------------------------------------------------------------ */

/* Add the answers of one member as rows. */
static int add_answers(struct members *members, const struct mm_property *property,
                       const struct mm_property_answers *answers)
{
    struct member *rows = malloc((answers->count + 1) * sizeof *rows);

    if (!rows)
        return -ENOMEM;
    for (size_t i = 0; i < answers->count; i++) {
        const struct mm_property_answer *a = &answers->all[i];
        int known = a->holds > 0 || (a->holds == 0 && !property->over_holding);

        rows[i] = (struct member){.experiment = a->experiment,
                                  .region = a->region,
                                  .unit = a->unit,
                                  .holds = a->holds < 0 ? NAN : a->holds,
                                  .severity = known ? a->severity : NAN,
                                  .confidence = known ? a->confidence : NAN};
    }
    return add_rows(members, rows, answers->count);
}

int mm_members_set(struct mm_store *store, const struct mm_property *property,
                   const struct mm_property_question *question, struct cca_error *err)
{
    struct members members = {0};
    int result =
        mm_members_check(property, question->library, question->library_count, err);

    /* evaluate all members before the table is filled: a member that is a Metaproperty
     * fills the same table */
    for (size_t i = 0; i < property->of_count && !result; i++) {
        struct mm_property_answers answers;

        result = mm_property_evaluate(
            &answers, store,
            find(question->library, question->library_count, property->of[i]), question,
            err);
        if (!result && add_answers(&members, property, &answers))
            result = cca_no_memory(err);
        mm_property_answers_done(&answers);
    }
    if (!result)
        result = mm_asked_set(store, question, err);
    if (!result && set_table(store->db, &members) != SQLITE_OK)
        result = cca_error_set(err, -EIO, "store: %s", sqlite3_errmsg(store->db));
    free_rows(&members);
    return result;
}
