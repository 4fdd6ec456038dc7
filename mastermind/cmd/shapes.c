/* SPDX-License-Identifier: BSD-3-Clause */
/* shapes.c: make JSON schemas of the verbs' documents from their descriptions in
 * documents.txt. */
#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "mastermind/cmd/fields.h"

struct reader {
    const char *at;
    const char *document; /* the document's paragraph in documents.txt */
    int metric;
};

static json_t *read_type(struct reader *reader);
static void read_members(struct reader *reader, json_t *schema);

static void skip_blanks(struct reader *reader)
{
    reader->at += strspn(reader->at, " \n");
}

/* Read up to one of the characters in `ends` into `word`. */
static void read_word(struct reader *reader, const char *ends, char word[64])
{
    size_t length = strcspn(reader->at, ends);

    assert(length < 64);
    snprintf(word, 64, "%.*s", (int)length, reader->at);
    reader->at += length;
}

static json_t *type_of(const char *name)
{
    return json_pack("{s:s}", "type", name);
}

/* Read "<name>" and return a reader at the type of the part with this name, of this
 * document or of all. */
static struct reader find_part(struct reader *reader)
{
    struct reader part = *reader;
    char name[64], head[72];

    reader->at++;
    read_word(reader, ">", name);
    reader->at++;
    snprintf(head, sizeof head, "<%s>=", name);
    part.at = strstr(reader->document, head);
    if (!part.at)
        part.at = strstr(mm_documents[0], head);
    assert(part.at);
    part.at += strlen(head);
    return part;
}

static json_t *read_choice(struct reader *reader)
{
    json_t *words = json_array();
    char word[64];

    do {
        reader->at++;
        skip_blanks(reader);
        read_word(reader, "|)", word);
        json_array_append_new(words, isdigit((unsigned char)*word)
                                         ? json_integer(*word - '0')
                                         : json_string(word));
    } while (*reader->at == '|');
    reader->at++;
    return json_pack("{s:o}", "enum", words);
}

static void add_member(json_t *schema, const char *name, int required, json_t *type)
{
    if (required)
        json_array_append_new(json_object_get(schema, "required"), json_string(name));
    json_object_set_new(json_object_get(schema, "properties"), name, type);
}

/* Read "+name$unit?:T". */
static void read_member(struct reader *reader, json_t *schema)
{
    char only = '\0', name[64], unit[64] = "", key[132];
    int required;
    json_t *type;

    if (*reader->at == '+' || *reader->at == '-')
        only = *reader->at++;
    read_word(reader, "$?:", name);
    if (*reader->at == '$') {
        reader->at++;
        read_word(reader, "?:", unit);
    }
    required = *reader->at != '?';
    reader->at += 1 + !required;
    type = read_type(reader);
    snprintf(key, sizeof key, "%s%s%s", name, *unit && !reader->metric ? "_" : "",
             reader->metric ? "" : unit);
    if (only == (reader->metric ? '-' : '+'))
        json_decref(type);
    else
        add_member(schema, key, required, type);
}

static void add_fields(const struct reader *reader, json_t *schema)
{
    for (const struct mm_field *field = mm_verb_report.columns; field->name; field++) {
        char key[64];
        int required = mm_field_key(field, !reader->metric, key);

        if (required >= 0)
            add_member(schema, key, required,
                       type_of(field->kind == MM_INTEGER ? "integer" : "number"));
    }
}

/* Read "<name>" among members: insert the members of that part. */
static void include_part(struct reader *reader, json_t *schema)
{
    struct reader part;

    if (strncmp(reader->at, "<report_fields>", 15) == 0) {
        reader->at += 15;
        add_fields(reader, schema);
        return;
    }
    part = find_part(reader);
    part.at++;
    read_members(&part, schema);
}

/* Read "/REGEX/:T". */
static void read_pattern(struct reader *reader, json_t *schema)
{
    char pattern[64];

    reader->at++;
    read_word(reader, "/", pattern);
    reader->at += 2;
    json_object_set_new(schema, "patternProperties",
                        json_pack("{s:o}", pattern, read_type(reader)));
}

/* Read members up to the closing brace. */
static void read_members(struct reader *reader, json_t *schema)
{
    for (skip_blanks(reader); *reader->at != '}'; skip_blanks(reader)) {
        if (*reader->at == '<') {
            include_part(reader, schema);
        } else if (strncmp(reader->at, "...", 3) == 0) {
            reader->at += 3;
            json_object_del(schema, "additionalProperties");
        } else if (*reader->at == '*') {
            reader->at += 2;
            json_object_set_new(schema, "additionalProperties", read_type(reader));
        } else if (*reader->at == '/') {
            read_pattern(reader, schema);
        } else {
            read_member(reader, schema);
        }
    }
    reader->at++;
}

static json_t *read_object(struct reader *reader)
{
    json_t *schema = json_pack("{s:s, s:[], s:{}, s:b}", "type", "object", "required",
                               "properties", "additionalProperties", 0);

    reader->at++;
    read_members(reader, schema);
    return schema;
}

static json_t *read_type(struct reader *reader)
{
    struct reader part;
    json_t *items;

    switch (*reader->at) {
    case '{':
        return read_object(reader);
    case '(':
        return read_choice(reader);
    case '<':
        part = find_part(reader);
        return read_type(&part);
    case '[':
        reader->at++;
        items = read_type(reader);
        reader->at++;
        return json_pack("{s:s, s:o}", "type", "array", "items", items);
    }
    switch (*reader->at++) {
    case 's':
        return type_of("string");
    case 'b':
        return type_of("boolean");
    case 'i':
        return type_of("integer");
    case 'n':
        return type_of("number");
    default:
        assert(reader->at[-1] == 'x');
        return json_object();
    }
}

/* Make a new schema of the document `name`, from its paragraph. */
static json_t *read_document(const char *paragraph, const char *name, int metric)
{
    const char *title = strchr(paragraph, '\n') + 1, *shape = strstr(title, "\n  ");
    struct reader reader = {shape, paragraph, metric};
    json_t *schema = json_object(), *type;
    char text[1400];

    snprintf(text, sizeof text, "%.*s%s", (int)(shape - title), title,
             metric ? "; of another metric, --metric NAME, in `unit`" : "");
    for (char *at = text; *at; at++)
        *at = *at == '\n' ? ' ' : *at;
    mm_json_put(schema, "$schema",
                json_string("https://json-schema.org/draft/2020-12/schema"));
    mm_json_put(schema, "title", json_string(text));
    /* The parts of this document come first. */
    for (skip_blanks(&reader); *reader.at == '<'; skip_blanks(&reader)) {
        reader.at = strchr(reader.at, '=') + 1;
        json_decref(read_type(&reader));
    }
    type = read_type(&reader);
    snprintf(text, sizeof text, "mastermind/%s/1", name);
    if (strcmp(name, "records") != 0) /* a document of records is a file of lines */
        add_member(type, "schema", 1, json_pack("{s:s}", "const", text));
    json_object_update_new(schema, type);
    return schema;
}

int mm_help_schema(const char *wanted)
{
    for (size_t i = 1; mm_documents[i]; i++) {
        int has_metric = strchr(mm_documents[i], '$') != NULL;

        for (int metric = 0; metric <= has_metric; metric++) {
            char name[64];

            snprintf(name, sizeof name, "%.*s%s", (int)strcspn(mm_documents[i], "\n"),
                     mm_documents[i], metric ? "-metric" : "");
            if (!wanted)
                puts(name);
            else if (strcmp(name, wanted) == 0)
                return mm_json_print(read_document(mm_documents[i], name, metric));
        }
    }
    return wanted ? mm_refuse(MM_EXIT_MISUSE,
                              "no document '%s'; mastermind help --schema lists them",
                              mm_safe(wanted))
                  : mm_finish_output(MM_EXIT_DONE);
}

json_t *mm_document_columns(const char *name, const char *list)
{
    json_t *schema = NULL, *columns;

    for (size_t i = 1; mm_documents[i] && !schema; i++)
        if (strcspn(mm_documents[i], "\n") == strlen(name) &&
            strncmp(mm_documents[i], name, strlen(name)) == 0)
            schema = read_document(mm_documents[i], name, 0);
    columns = json_object_get(json_object_get(schema, "properties"), list);
    columns = json_object_get(json_object_get(columns, "items"), "properties");
    json_incref(columns);
    json_decref(schema);
    return columns;
}
