/* SPDX-License-Identifier: BSD-3-Clause */
/* members.c: the answers of a Metaproperty's members as a table. */
#include "properties/evaluate/members.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "common/nearest.h"
#include "properties/evaluate/asked.h"
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

static void bind(sqlite3_stmt *s, int at, double value)
{
    if (isnan(value))
        sqlite3_bind_null(s, at);
    else
        sqlite3_bind_double(s, at, value);
}

static int insert(struct mm_store *store, const struct mm_property *property,
                  const struct mm_property_answers *answers, struct cca_error *err)
{
    sqlite3_stmt *s = NULL;
    int bad = sqlite3_prepare_v2(
        store->db, "INSERT INTO temp.member VALUES (?,?,?,?,?,?)", -1, &s, NULL);

    for (size_t i = 0; i < answers->count && !bad; i++) {
        const struct mm_property_answer *a = &answers->all[i];
        int known = a->holds > 0 || (a->holds == 0 && !property->over_holding);

        sqlite3_bind_int64(s, 1, a->experiment);
        sqlite3_bind_int64(s, 2, a->region);
        sqlite3_bind_int64(s, 3, a->unit);
        bind(s, 4, a->holds < 0 ? NAN : a->holds);
        bind(s, 5, known ? a->severity : NAN);
        bind(s, 6, known ? a->confidence : NAN);
        bad = sqlite3_step(s) != SQLITE_DONE;
        sqlite3_reset(s);
    }
    sqlite3_finalize(s);
    return bad ? cca_error_set(err, -EIO, "store: %s", sqlite3_errmsg(store->db)) : 0;
}

int mm_members_set(struct mm_store *store, const struct mm_property *property,
                   const struct mm_property_question *question, struct cca_error *err)
{
    struct mm_property_answers answers[64] = {{0}};
    size_t made = 0;
    int result =
        mm_members_check(property, question->library, question->library_count, err);

    /* All first: a member that is a Metaproperty fills the table itself. */
    for (; made < property->of_count && !result; made++)
        result = mm_property_evaluate(
            &answers[made], store,
            find(question->library, question->library_count, property->of[made]),
            question, err);
    if (!result)
        result = mm_asked_set(store, question, err);
    if (!result && sqlite3_exec(store->db, "BEGIN", NULL, NULL, NULL) != SQLITE_OK)
        result = cca_error_set(err, -EIO, "store: %s", sqlite3_errmsg(store->db));
    for (size_t i = 0; i < made && !result; i++)
        result = insert(store, property, &answers[i], err);
    sqlite3_exec(store->db, "COMMIT", NULL, NULL, NULL);
    for (size_t i = 0; i < made; i++)
        mm_property_answers_done(&answers[i]);
    return result;
}
