/* SPDX-License-Identifier: BSD-3-Clause */
/* table_sidecar.c: apply sidecars of tables. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/proxygen/perf/lines.h"
#include "tools/proxygen/perf/marks.h"
#include "tools/proxygen/library/table.h"

/* --- Lines about code ----------------------------------------------------- */

static const char *const note_words[] = {"version", "since", "wrap", NULL};

/* Return the table's method that a note (a sidecar line about code) belongs to; NULL with
 * an error. */
static struct pg_table_method *method_of(const struct pg_sections *sections,
                                         const struct pg_note *note,
                                         struct pg_table *table, struct cca_error *err)
{
    const struct pg_method *method =
        note->method
            ? pg_port_find_method(table->port, note->method, strlen(note->method))
            : NULL;

    if (method)
        return &table->methods[method - table->port->methods];
    /* the parser of marks reports an unknown method */
    pg_note_fail(sections, note, err, "'%s' comes after 'function' and a name",
                 note->word);
    return NULL;
}

static int version_note(const struct pg_sections *sections, const struct pg_note *note,
                        struct pg_table *table, struct cca_error *err)
{
    if (note->method)
        return pg_note_fail(sections, note, err,
                            "'version' must come before the functions");
    if (table->version)
        return pg_note_fail(sections, note, err, "a second version of '%.80s'",
                            table->port->name);
    for (size_t i = 0; i < table->number_count; i++)
        if (strcmp(table->numbers[i], note->text) == 0) {
            table->version = strdup(note->text);
            return table->version ? 0 : cca_no_memory(err);
        }
    return pg_note_fail(sections, note, err,
                        "'%.60s' is no member of '%.80s' that is an integer", note->text,
                        table->port->name);
}

static int since_note(const struct pg_sections *sections, const struct pg_note *note,
                      struct pg_table *table, struct cca_error *err)
{
    struct pg_table_method *method = method_of(sections, note, table, err);
    char *end;

    if (!method)
        return -EINVAL;
    errno = 0;
    method->since = strtol(note->text, &end, 10);
    if (errno || *end || end == note->text || method->since < 1)
        return pg_note_fail(sections, note, err,
                            "found '%.40s', expected a version from 1 on", note->text);
    if (!table->version)
        return pg_note_fail(sections, note, err,
                            "'since' needs a line 'version MEMBER' behind "
                            "'table %.80s'",
                            table->port->name);
    return 0;
}

static int wrap_note(const struct pg_sections *sections, const struct pg_note *note,
                     struct pg_table *table, struct cca_error *err)
{
    struct pg_table_method *method = method_of(sections, note, table, err);
    char known[200] = "";

    if (!method)
        return -EINVAL;
    for (size_t i = 0; i < method->carried_count; i++) {
        size_t length = strlen(known);

        if (strcmp(method->carried[i].path, note->text) == 0) {
            method->carried[i].chosen = 1;
            return 0;
        }
        snprintf(known + length, sizeof known - length, "%s'%.80s'", length ? ", " : "",
                 method->carried[i].path);
    }
    return pg_note_fail(sections, note, err,
                        "'%.60s' is no place where '%.60s' leaves one of the tables%s%s",
                        note->text, note->method, *known ? "; known: " : "", known);
}

static int take_note(const struct pg_sections *sections, const struct pg_note *note,
                     struct pg_tables *tables, struct cca_error *err)
{
    for (size_t i = 0; note->section < sections->count && i < tables->count; i++) {
        struct pg_table *table = &tables->list[i];

        if (strcmp(sections->list[note->section].key, table->port->name) != 0)
            continue;
        if (strcmp(note->word, "version") == 0)
            return version_note(sections, note, table, err);
        if (strcmp(note->word, "since") == 0)
            return since_note(sections, note, table, err);
        return wrap_note(sections, note, table, err);
    }
    return pg_note_fail(sections, note, err, "'%s' comes after 'table NAME'", note->word);
}

/* --- Sections ------------------------------------------------------------- */

static struct pg_table *table_named(const struct pg_tables *tables, const char *name)
{
    for (size_t i = 0; i < tables->count; i++)
        if (strcmp(tables->list[i].port->name, name) == 0)
            return &tables->list[i];
    return NULL;
}

static int take_section(const struct pg_sections *sections, size_t index,
                        struct pg_tables *tables, struct cca_error *err)
{
    const struct pg_section *section = &sections->list[index];
    struct pg_table *table = table_named(tables, section->key);
    struct pg_source source = {
        .file = sections->file, .line = 1, .column = 1, .lines = 1};
    struct pg_note at = {.line = section->line, .column = section->column};
    char *text;
    int status;

    for (size_t i = 0; i < index; i++)
        if (strcmp(sections->list[i].key, section->key) == 0)
            return pg_note_fail(sections, &at, err, "table '%.80s' occurs twice",
                                section->key);
    if (!table)
        return pg_note_fail(sections, &at, err, "'%.80s' is no table of --table",
                            section->key);
    text = pg_section_text(sections, index, "header");
    if (!text)
        return cca_no_memory(err);
    source.text = text;
    source.length = strlen(text);
    status = pg_marks_sidecar(table->port, &source, err);
    free(text);
    return status;
}

/* Parse all sections. If a section recalls a value which a later section remembers as a
 * floating number, all sections are parsed again. */
static int take_sections(const struct pg_sections *sections, struct pg_tables *tables,
                         struct cca_error *err)
{
    const struct pg_source source = {.file = sections->file};
    const struct pg_lexer nowhere = {.source = &source, .err = err};
    const struct pg_port *keeper = tables->list[0].port;
    size_t floating;
    int status = 0;

    do {
        floating = pg_floating_memories(keeper);
        for (size_t i = 0; i < sections->count && status == 0; i++)
            status = take_section(sections, i, tables, err);
    } while (status == 0 && pg_floating_memories(keeper) != floating);
    return status == 0 ? pg_memories_check(&nowhere, keeper) : status;
}

/* Copy the first versions of the members to the methods, because the generated code
 * checks the version before it calls a member to get a number. */
static int copy_versions(struct pg_tables *tables, struct cca_error *err)
{
    for (size_t i = 0; i < tables->count; i++) {
        struct pg_table *table = &tables->list[i];

        if (table->version && !(table->port->version = strdup(table->version)))
            return cca_no_memory(err);
        for (size_t j = 0; j < table->port->method_count; j++)
            table->port->methods[j].since = table->methods[j].since;
    }
    return 0;
}

int pg_tables_sidecar(struct pg_tables *tables, const char *file, const char *text,
                      size_t length, struct cca_error *err)
{
    struct pg_sections sections;
    struct pg_note at = {.line = 1, .column = 1};
    int status;

    if (memchr(text, 0, length))
        return cca_error_set(err, -EINVAL, "%.150s:1:1: error: a sidecar is text", file);
    status = pg_sections_cut(&sections, file, text, length, "table", note_words, err);
    if (status == 0 && sections.header && sections.stray_line) {
        at.line = sections.stray_line;
        status = pg_note_fail(&sections, &at, err,
                              "a line before the first 'table NAME'; expected "
                              "'header %.80s' there alone",
                              tables->header);
    }
    if (status == 0 &&
        (!sections.header || strcmp(sections.header, tables->header) != 0)) {
        at.line = sections.header ? sections.header_line : 1;
        status =
            pg_note_fail(&sections, &at, err, "found %s%.80s, expected 'header %.80s'",
                         sections.header ? "header " : "no header",
                         sections.header ? sections.header : "", tables->header);
    }
    if (status == 0 && sections.count == 0)
        status = pg_note_fail(&sections, &at, err, "no 'table NAME' in the sidecar");
    if (status == 0)
        status = take_sections(&sections, tables, err);
    for (size_t i = 0; i < sections.note_count && status == 0; i++)
        status = take_note(&sections, &sections.notes[i], tables, err);
    if (status == 0)
        status = copy_versions(tables, err);
    pg_sections_done(&sections);
    return status;
}
