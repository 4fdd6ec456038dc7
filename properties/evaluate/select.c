/* SPDX-License-Identifier: BSD-3-Clause */
/* select.c: build the SELECT statement of a property. */
#include "properties/evaluate/parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "properties/store/store.h"

struct text {
    char *buffer;
    size_t size;
    FILE *file;
};

/* --- Expressions -------------------------------------------------------- */

static int read_one(struct mm_select *s, struct mm_expression *e,
                    const struct mm_property *p, const struct mm_property_text *text,
                    struct cca_error *err)
{
    int result = text->text ? mm_expression_read(e, p, text, err) : 0;

    s->words |= e->words;
    return result;
}

static int refuse(const struct mm_property *p, const struct mm_property_text *text,
                  const char *expected, struct cca_error *err)
{
    return cca_error_set(err, -EBADMSG, "%s:%d: found '%.80s', expected %s", p->path,
                         text->line, text->text, expected);
}

/* Refuse an expression about groups of rows without aggregates, or about single rows with
 * aggregates. */
static int check_shape(const struct mm_select *s, const struct mm_expression *e,
                       const struct mm_property *p, const struct mm_property_text *text,
                       struct cca_error *err)
{
    if (!text->text)
        return 0;
    if (!s->grouped && e->aggregates)
        return refuse(p, text,
                      p->object == MM_FOR_EXPERIMENTS
                          ? "aggregates, as 'severity:' has none"
                          : "no aggregate: 'for: region' has those",
                      err);
    if (s->grouped && e->bare)
        return refuse(p, text, "an aggregate round each column, as max(exec_time)", err);
    return 0;
}

static int read_expressions(struct mm_select *s, const struct mm_property *p,
                            struct cca_error *err)
{
    int result = read_one(s, &s->severity, p, &p->severity, err);

    if (!result)
        result = read_one(s, &s->holds, p, &p->holds, err);
    if (!result)
        result = read_one(s, &s->confidence, p, &p->confidence, err);
    if (!result)
        result = read_one(s, &s->where, p, &p->where, err);
    s->grouped = p->object == MM_FOR_REGION || p->object == MM_FOR_PROPERTIES ||
                 (p->object == MM_FOR_EXPERIMENTS && s->severity.aggregates);
    if (!result && s->where.aggregates)
        result = refuse(p, &p->where, "no aggregate: 'where:' chooses rows", err);
    if (!result)
        result = check_shape(s, &s->severity, p, &p->severity, err);
    if (!result)
        result = check_shape(s, &s->holds, p, &p->holds, err);
    return result ? result : check_shape(s, &s->confidence, p, &p->confidence, err);
}

/* --- Tables ------------------------------------------------------------- */

/* Whether an expression uses this column of the object, or of the sequential run. */
static int is_used(const struct mm_select *s, enum mm_scope_word word, const char *column)
{
    const struct mm_expression *all[] = {&s->severity, &s->holds, &s->confidence,
                                         &s->where};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (int j = 0; j < all[i]->column_count; j++)
            if (all[i]->columns[j].word == word &&
                strcmp(all[i]->columns[j].column, column) == 0)
                return 1;
    return 0;
}

/* Write the columns of a run's region: the columns of the unit with the longest time
 * (SC2001, section 5, uses a maximum; SQLite takes bare columns from the row that has
 * the max), and sums over units. Unused columns are left out, because they would be
 * computed. */
static void put_slowest(FILE *out, const struct mm_select *s, enum mm_scope_word word,
                        const char *from)
{
    static const char *const sums[][2] = {
        {"total_time", "sum(x.exec_time)"},
        {"total_useful", "CASE WHEN count(x.useful_time) = count(*) THEN "
                         "sum(x.useful_time) END"},
        {"total_instructions", "CASE WHEN count(x.instructions) = count(*) THEN "
                               "sum(x.instructions) END"}};
    const struct mm_scope_table *self = mm_scope_find(MM_FOR_SUMMARY, MM_SCOPE_SELF);

    fputs("(SELECT x.experiment, x.region, count(*) AS units, max(x.exec_time) AS "
          "exec_time",
          out);
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        if (is_used(s, word, sums[i][0]))
            fprintf(out, ", %s AS %s", sums[i][1], sums[i][0]);
    for (const char *const *c = self->columns; *c; c++)
        if (strcmp(*c, "exec_time") != 0 && is_used(s, word, *c))
            fprintf(out, ", x.%s AS %s", *c, *c);
    fprintf(out, " FROM %s GROUP BY x.experiment, x.region)", from);
}

static void put_runs(FILE *out, const struct mm_select *s)
{
    put_slowest(out, s, MM_SCOPE_SELF,
                "temp.asked AS a CROSS JOIN rs AS x ON x.experiment = a.experiment");
    fputs(" AS s CROSS JOIN temp.asked AS a ON a.experiment = s.experiment"
          " CROSS JOIN region AS r ON r.id = s.region",
          out);
}

/* Join the same region of the sequential run, found by kind and name: another build has
 * other numbers. */
static void put_sequential(FILE *out, const struct mm_select *s)
{
    fputs(" JOIN (SELECT y.*, z.kind, z.name FROM ", out);
    put_slowest(out, s, MM_SCOPE_SEQ,
                "temp.sequential AS a CROSS JOIN rs AS x ON x.experiment = a.experiment");
    fputs(" AS y CROSS JOIN region AS z ON z.id = y.region) AS q"
          " ON q.kind = r.kind AND q.name = r.name",
          out);
}

/* Write the SQL for the rows of the property's object, with experiment, region and unit.
 * SQLite drops a LEFT JOIN by key if no column of it is used. */
static void put_rows(FILE *out, const struct mm_select *s, const struct mm_property *p)
{
    static const char *const from[MM_FOR_COUNT] = {
        [MM_FOR_SUMMARY] =
            "temp.asked AS a CROSS JOIN rs AS s ON s.experiment = a.experiment"
            " LEFT JOIN region AS r ON r.id = s.region",
        [MM_FOR_REGION] =
            "temp.asked AS a CROSS JOIN rs AS s ON s.experiment = a.experiment"
            " LEFT JOIN region AS r ON r.id = s.region",
        [MM_FOR_MESSAGES] = "temp.asked AS a"
                            " CROSS JOIN message AS s ON s.experiment = a.experiment"
                            " LEFT JOIN region AS r ON r.id = s.recv_region",
        [MM_FOR_COLLECTIVES] =
            "temp.asked AS a"
            " CROSS JOIN collective AS s ON s.experiment = a.experiment"
            " LEFT JOIN region AS r ON r.id = s.region",
        [MM_FOR_PROPERTIES] = "mm_member AS s LEFT JOIN region AS r ON r.id = s.region"};

    if (p->object == MM_FOR_EXPERIMENTS)
        put_runs(out, s);
    else
        fputs(from[p->object], out);
}

static void put_joins(FILE *out, const struct mm_select *s, const struct mm_property *p)
{
    static const struct {
        enum mm_scope_word word;
        const char *join;
    } joins[] = {
        {MM_SCOPE_CACHE,
         " JOIN (SELECT h.*, i.bytes, i.penalty FROM summary_cache AS h"
         " LEFT JOIN unit AS j ON j.id = h.unit LEFT JOIN cache AS i ON i.node = j.node"
         " AND i.level = h.level) AS c"
         " ON c.experiment = s.experiment AND c.region = s.region AND c.unit = s.unit"},
        {MM_SCOPE_COUNTER, " JOIN summary_counter AS k ON k.experiment = s.experiment"
                           " AND k.region = s.region AND k.unit = s.unit"},
        {MM_SCOPE_MODEL, " JOIN model_excess AS m ON m.experiment = s.experiment"
                         " AND m.region = s.region AND m.unit = s.unit"},
        {MM_SCOPE_EXPERIMENT, " JOIN experiment AS e ON e.id = s.experiment"}};
    unsigned words = s->words;

    if (words & 1u << MM_SCOPE_SEQ)
        put_sequential(out, s);
    if (words & 1u << MM_SCOPE_BASIS) {
        int same = p->basis == MM_BASIS_UNIT &&
                   (p->object == MM_FOR_SUMMARY || p->object == MM_FOR_REGION);

        fprintf(out, " LEFT JOIN temp.base AS b ON b.unit = %s",
                same ? "s.unit" : "a.basis_unit");
    }
    if (words & (1u << MM_SCOPE_UNIT | 1u << MM_SCOPE_NODE))
        fputs(" JOIN unit AS u ON u.id = s.unit", out);
    if (words & 1u << MM_SCOPE_NODE)
        fputs(" JOIN node AS n ON n.id = u.node", out);
    for (size_t i = 0; i < sizeof joins / sizeof *joins; i++)
        if (words & 1u << joins[i].word)
            fputs(joins[i].join, out);
}

/* --- Columns of the result ---------------------------------------------- */

static void put_keys(FILE *out, const struct mm_select *s, const struct mm_property *p)
{
    int set = (p->object == MM_FOR_EXPERIMENTS && s->grouped) ||
              (p->object == MM_FOR_PROPERTIES && p->by == MM_BY_SET);

    fputs(set ? "NULL, min(s.region), NULL, " : "s.experiment, ", out);
    switch (p->object) {
    case MM_FOR_SUMMARY:
        fputs("s.region, s.unit, ", out);
        break;
    case MM_FOR_MESSAGES:
        fputs(
            "s.recv_region, (SELECT t.id FROM unit AS t WHERE t.experiment = s.experiment"
            " AND t.rank = s.dst AND t.thread = 0), ",
            out);
        break;
    default:
        fputs(set ? "" : "s.region, NULL, ", out);
    }
    if (p->object == MM_FOR_MESSAGES)
        fputs("'rank ' || s.dst || ' < ' || s.src || ', ' || s.recv_site || ' < ' || "
              "s.send_site",
              out);
    else if (p->object == MM_FOR_COLLECTIVES)
        fputs("s.function || ' ' || s.site || coalesce(', rank ' || s.last_rank || ' "
              "last', "
              "'')",
              out);
    else if (p->object == MM_FOR_SUMMARY && s->words & 1u << MM_SCOPE_CACHE)
        fputs("'L' || c.level", out);
    else
        fputs("NULL", out);
}

/* Write a number with a bit for each column of `severity` that was NULL. */
static void put_nulls(FILE *out, const struct mm_select *s, const struct mm_property *p)
{
    const struct mm_expression *e = &s->severity;

    fputs(", 0", out);
    if (p->object == MM_FOR_PROPERTIES)
        fprintf(out, " + ((count(s.holds) < count(*)) << %d)", MM_NULL_MEMBER);
    for (int i = 0; i < e->column_count; i++)
        fprintf(out,
                s->grouped ? " + ((count(%s) < count(*)) << %d)"
                           : " + ((%s IS NULL) << %d)",
                e->columns[i].sql, i);
}

static void put_expression(FILE *out, const struct mm_expression *e)
{
    fprintf(out, ", %s", e->sql ? e->sql : "NULL");
}

static void put_group(FILE *out, const struct mm_select *s, const struct mm_property *p)
{
    if (!s->grouped)
        return;
    if (p->object == MM_FOR_REGION ||
        (p->object == MM_FOR_PROPERTIES && p->by == MM_BY_REGION))
        fputs(" GROUP BY s.experiment, s.region", out);
    else
        fputs(" GROUP BY r.kind, r.name", out);
}

static char *build(const struct mm_select *s, const struct mm_property *p, int globbed)
{
    struct text t = {0};

    t.file = open_memstream(&t.buffer, &t.size);
    if (!t.file)
        return NULL;
    fputs("SELECT ", t.file);
    put_keys(t.file, s, p);
    put_expression(t.file, &s->severity);
    put_expression(t.file, &s->holds);
    put_expression(t.file, &s->confidence);
    put_nulls(t.file, s, p);
    fputs(" FROM ", t.file);
    put_rows(t.file, s, p);
    put_joins(t.file, s, p);
    fputs(" WHERE 1", t.file);
    if (globbed)
        fputs(" AND r.name GLOB ?1", t.file);
    if (s->where.sql)
        fprintf(t.file, " AND %s", s->where.sql);
    put_group(t.file, s, p);
    return fclose(t.file) ? NULL : t.buffer;
}

int mm_select_make(struct mm_select *statement, struct mm_store *store,
                   const struct mm_property *property, const char *region_glob,
                   struct cca_error *err)
{
    int result;

    memset(statement, 0, sizeof *statement);
    result = read_expressions(statement, property, err);
    if (result)
        return result;
    statement->sql = build(statement, property, region_glob != NULL);
    if (!statement->sql)
        return cca_no_memory(err);
    if (sqlite3_prepare_v2(store->db, statement->sql, -1, &statement->compiled, NULL) !=
        SQLITE_OK)
        return sqlite3_errcode(store->db) == SQLITE_NOMEM
                   ? cca_no_memory(err)
                   : cca_error_set(err, -EBADMSG, "%s:%d: found '%.80s': %s",
                                   property->path, property->severity.line,
                                   property->severity.text, sqlite3_errmsg(store->db));
    if (region_glob)
        sqlite3_bind_text(statement->compiled, 1, region_glob, -1, SQLITE_STATIC);
    return 0;
}

void mm_select_done(struct mm_select *statement)
{
    sqlite3_finalize(statement->compiled);
    mm_expression_done(&statement->severity);
    mm_expression_done(&statement->holds);
    mm_expression_done(&statement->confidence);
    mm_expression_done(&statement->where);
    free(statement->sql);
    memset(statement, 0, sizeof *statement);
}
