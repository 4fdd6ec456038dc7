/* SPDX-License-Identifier: BSD-3-Clause */
/* evaluate.c: evaluate a property over a store. */
#include "properties/evaluate/evaluate.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "properties/evaluate/answers.h"
#include "properties/evaluate/parts.h"
#include "properties/store/store.h"

static const double usual_seconds = 10;

struct evaluation {
    struct mm_store *store;
    const struct mm_property *property;
    const struct mm_property_question *question;
    struct mm_property_answers *answers;
    struct mm_select statement;
    /* key of the last reason: consecutive answers often have the same reason */
    int64_t reason_experiment, reason_nulls;
    const char *reason;
    struct cca_error *err;
};

/* --- One row ------------------------------------------------------------ */

/* Read a number in the result row; NULL is read as NaN. Returns 0 if the value is a
 * text. */
static int number_of(sqlite3_stmt *row, int column, double *value)
{
    int type = sqlite3_column_type(row, column);

    *value = type == SQLITE_NULL ? NAN : sqlite3_column_double(row, column);
    return type != SQLITE_TEXT && type != SQLITE_BLOB;
}

static int set_reason(struct evaluation *e, struct mm_property_answer *a, int64_t nulls)
{
    char text[300];

    if (!e->reason || e->reason_experiment != a->experiment || e->reason_nulls != nulls) {
        mm_asked_reason(e->store, e->property, &e->statement.severity, a->experiment,
                        nulls, text, sizeof text);
        e->reason = mm_answers_string(e->answers, text);
        e->reason_experiment = a->experiment;
        e->reason_nulls = nulls;
    }
    a->reason = e->reason;
    return a->reason ? 0 : cca_no_memory(e->err);
}

static int refuse_text(const struct evaluation *e, const struct mm_property_text *text)
{
    return cca_error_set(e->err, -EBADMSG,
                         "%s:%d: found '%.80s', whose value is a text, expected "
                         "a number",
                         e->property->path, text->line, text->text);
}

/* Judge the row of a Metaproperty: if no member holds, there is no severity; if members
 * were not evaluated, nothing is known, unless a member that holds decides. Sets
 * `answer->holds`. */
static void judge_members(const struct evaluation *e, int64_t nulls, double holds,
                          struct mm_property_answer *answer)
{
    int states = e->property->holds.text != NULL, lacks = nulls >> MM_NULL_MEMBER & 1;

    if (lacks && !(states && holds > 0 && isfinite(answer->severity)))
        answer->holds = -1;
    else if (isfinite(answer->severity))
        answer->holds = states ? holds > 0 : answer->severity > 0;
    else /* no member of the Metaproperty holds */
        answer->holds = e->property->over_holding ? 0 : -1;
    if (answer->holds == 0 && !isfinite(answer->severity))
        answer->severity = 0;
}

/* Judge a group of rows: if a value is missing there is no answer, unless the property
 * itself replaces missing values. */
static void judge(const struct evaluation *e, int64_t nulls, double holds,
                  struct mm_property_answer *answer)
{
    const struct mm_select *s = &e->statement;

    if (e->property->object == MM_FOR_PROPERTIES)
        judge_members(e, nulls, holds, answer);
    else if (!isfinite(answer->severity) ||
             (nulls && s->grouped && !s->severity.guards) ||
             (e->property->holds.text && isnan(holds)))
        answer->holds = -1;
    else
        answer->holds = e->property->holds.text ? holds != 0 : answer->severity > 0;
}

static int take_row(struct evaluation *e)
{
    sqlite3_stmt *row = e->statement.compiled;
    struct mm_property_answer a = {.low = NAN, .high = NAN, .confidence = NAN};
    const char *detail = (const char *)sqlite3_column_text(row, MM_RESULT_DETAIL);
    int64_t nulls = sqlite3_column_int64(row, MM_RESULT_NULLS);
    double holds;
    int result;

    a.experiment = sqlite3_column_int64(row, MM_RESULT_EXPERIMENT);
    a.region = sqlite3_column_int64(row, MM_RESULT_REGION);
    a.unit = sqlite3_column_int64(row, MM_RESULT_UNIT);
    if (!number_of(row, MM_RESULT_SEVERITY, &a.severity))
        return refuse_text(e, &e->property->severity);
    if (!number_of(row, MM_RESULT_HOLDS, &holds))
        return refuse_text(e, &e->property->holds);
    if (!number_of(row, MM_RESULT_CONFIDENCE, &a.confidence))
        return refuse_text(e, &e->property->confidence);
    a.detail = mm_answers_string(e->answers, detail);
    judge(e, nulls, holds, &a);
    if (a.holds < 0) {
        a.severity = NAN;
        result = set_reason(e, &a, nulls);
        if (result)
            return result;
    }
    return mm_answers_add(e->answers, &a);
}

/* --- Runs without an answer --------------------------------------------- */

static int has_answer(const struct mm_property_answers *answers, size_t from,
                      int64_t experiment)
{
    for (size_t i = from; i < answers->count; i++)
        if (answers->all[i].experiment == experiment || !answers->all[i].experiment)
            return 1;
    return 0;
}

static int add_undecided(struct evaluation *e, int64_t experiment, const char *reason)
{
    struct mm_property_answer a = {.experiment = experiment,
                                   .holds = -1,
                                   .severity = NAN,
                                   .confidence = NAN,
                                   .low = NAN,
                                   .high = NAN,
                                   .reason = mm_answers_string(e->answers, reason)};

    return a.reason ? mm_answers_add(e->answers, &a) : cca_no_memory(e->err);
}

static int explain_empty(struct evaluation *e, size_t from)
{
    int result = 0;
    char text[300];

    for (size_t i = 0; i < e->question->experiment_count && !result; i++) {
        int64_t experiment = e->question->experiments[i];

        if (!has_answer(e->answers, from, experiment) &&
            mm_asked_emptiness(e->store, e->property, e->statement.words, experiment,
                               text, sizeof text))
            result = add_undecided(e, experiment, text);
    }
    return result;
}

/* --- All rows ----------------------------------------------------------- */

static int failed(struct evaluation *e, const struct mm_guard *guard)
{
    if (guard->expired)
        return cca_error_set(e->err, -ETIME, "%s: %s took longer than %.3g s",
                             e->property->path, e->property->name.text,
                             e->question->seconds > 0 ? e->question->seconds
                                                      : usual_seconds);
    if (sqlite3_errcode(e->store->db) == SQLITE_NOMEM)
        return cca_no_memory(e->err);
    return cca_error_set(e->err, -EBADMSG, "%s:%d: found '%.80s': %s", e->property->path,
                         e->property->severity.line, e->property->severity.text,
                         sqlite3_errmsg(e->store->db));
}

static int walk(struct evaluation *e, const struct mm_guard *guard)
{
    int step, result = 0;

    while ((step = sqlite3_step(e->statement.compiled)) == SQLITE_ROW && !result)
        result = take_row(e);
    return result ? result : step == SQLITE_DONE ? 0 : failed(e, guard);
}

static int evaluate_rows(struct evaluation *e)
{
    struct mm_guard guard;
    double seconds = e->question->seconds > 0 ? e->question->seconds : usual_seconds;
    size_t from = e->answers->count;
    int result;

    mm_guard_set(e->store->db, &guard, seconds);
    result = mm_select_make(&e->statement, e->store, e->property,
                            e->question->region_glob, e->err);
    if (!result && guard.expired)
        result = failed(e, &guard);
    if (!result && e->statement.words & 1u << MM_SCOPE_SEQ && !e->question->sequential) {
        mm_guard_lift(e->store->db);
        return add_undecided(e, 0, "no sequential run: --seq EXP");
    }
    /* reasons for missing values are looked up by further statements, so the guard of the
     * connection stays on */
    if (!result)
        result = walk(e, &guard);
    mm_guard_lift(e->store->db);
    return result ? result : explain_empty(e, from);
}

int mm_property_evaluate(struct mm_property_answers *answers, struct mm_store *store,
                         const struct mm_property *property,
                         const struct mm_property_question *question,
                         struct cca_error *err)
{
    struct evaluation e = {.store = store,
                           .property = property,
                           .question = question,
                           .answers = answers,
                           .err = err};
    int result;

    memset(answers, 0, sizeof *answers);
    if (property->code)
        return property->code->evaluate(property->code, answers, store, property,
                                        question, err);
    if (mm_functions_add(store->db))
        return cca_error_set(err, -EIO, "store: %s", sqlite3_errmsg(store->db));
    result = mm_asked_set(store, question, err);
    if (!result && property->object == MM_FOR_PROPERTIES)
        result = mm_members_set(store, property, question, err);
    if (!result)
        result = evaluate_rows(&e);
    mm_select_done(&e.statement);
    return result;
}
