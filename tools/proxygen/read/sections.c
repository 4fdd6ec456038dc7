/* SPDX-License-Identifier: BSD-3-Clause */
/* sections.c: split a sidecar of several ports or tables into one section for each. */
#include "common/array.h"
#include "tools/proxygen/read/sections.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Lines ---------------------------------------------------------------- */

/* A line without its comment and surrounding blanks. */
struct line {
    size_t start, end;        /* position of the line in the sidecar's text */
    size_t word, word_length; /* its first word */
    size_t rest, rest_length; /* position and length of the text after the first word */
};

static int is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static struct line line_at(const char *text, size_t length, size_t start)
{
    const char *newline = memchr(text + start, '\n', length - start);
    struct line line = {.start = start,
                        .end = newline ? (size_t)(newline - text) : length};
    const char *comment = memchr(text + start, '#', line.end - start);
    size_t end = comment ? (size_t)(comment - text) : line.end;

    while (end > start && is_blank(text[end - 1]))
        end--;
    for (line.word = start; line.word < end && is_blank(text[line.word]);)
        line.word++;
    while (line.word + line.word_length < end &&
           !is_blank(text[line.word + line.word_length]))
        line.word_length++;
    for (line.rest = line.word + line.word_length;
         line.rest < end && is_blank(text[line.rest]);)
        line.rest++;
    line.rest_length = end - line.rest;
    return line;
}

static int word_is(const char *text, const struct line *line, const char *word)
{
    return line->word_length == strlen(word) &&
           memcmp(text + line->word, word, line->word_length) == 0;
}

/* --- Splitting ------------------------------------------------------------ */

static int add_section(struct pg_sections *sections, const struct line *line, int number)
{
    struct pg_section *section =
        cca_array_add(&sections->list, &sections->count, sizeof *sections->list);

    if (!section)
        return -ENOMEM;
    if (sections->count > 1)
        section[-1].end = line->start;
    section->key = strndup(sections->text + line->rest, line->rest_length);
    section->line = number;
    section->column = (int)(line->rest - line->start) + 1;
    section->start = line->start;
    section->end = sections->length;
    return section->key ? 0 : -ENOMEM;
}

/* Store the line as a note, and replace it by blanks in the text. */
static int add_note(struct pg_sections *sections, const struct line *line, int number,
                    const char *method, size_t method_length)
{
    struct pg_note *note =
        cca_array_add(&sections->notes, &sections->note_count, sizeof *sections->notes);

    if (!note)
        return -ENOMEM;
    note->section = sections->count - 1;
    note->line = number;
    note->column = (int)(line->rest - line->start) + 1;
    note->word = strndup(sections->text + line->word, line->word_length);
    note->text = strndup(sections->text + line->rest, line->rest_length);
    if (method)
        note->method = strndup(method, method_length);
    memset(sections->text + line->word, ' ', line->rest + line->rest_length - line->word);
    return note->word && note->text && (note->method || !method) ? 0 : -ENOMEM;
}

static int cut_sections(struct pg_sections *sections, const char *head,
                        const char *const *words)
{
    size_t method = 0, method_length = 0;
    int number = 1, status = 0, stray;

    for (size_t at = 0; at < sections->length && status == 0; number++) {
        struct line line = line_at(sections->text, sections->length, at);

        if (word_is(sections->text, &line, head)) {
            status = add_section(sections, &line, number);
            method_length = 0;
        } else if (word_is(sections->text, &line, "method") ||
                   word_is(sections->text, &line, "function")) {
            method = line.rest;
            method_length = line.rest_length;
        } else if (word_is(sections->text, &line, "header") && !sections->header &&
                   strcmp(head, "table") == 0) {
            sections->header = strndup(sections->text + line.rest, line.rest_length);
            sections->header_line = number;
            status = sections->header ? 0 : -ENOMEM;
        }
        stray = !sections->count && line.word_length && number != sections->header_line;
        for (size_t i = 0; words[i] && status == 0; i++)
            if (word_is(sections->text, &line, words[i])) {
                status = add_note(sections, &line, number,
                                  method_length ? sections->text + method : NULL,
                                  method_length);
                stray = 0; /* a note is not reported here as a stray line: the reader of
                              notes checks its place */
            }
        if (stray && !sections->stray_line)
            sections->stray_line = number;
        at = line.end + 1;
    }
    return status;
}

int pg_sections_cut(struct pg_sections *sections, const char *file, const char *text,
                    size_t length, const char *head, const char *const *words,
                    struct cca_error *err)
{
    memset(sections, 0, sizeof *sections);
    sections->file = file;
    sections->length = length;
    sections->text = malloc(length + 1);
    if (!sections->text)
        return cca_no_memory(err);
    memcpy(sections->text, text, length);
    sections->text[length] = 0;
    return cut_sections(sections, head, words) < 0 ? cca_no_memory(err) : 0;
}

void pg_sections_done(struct pg_sections *sections)
{
    for (size_t i = 0; i < sections->count; i++)
        free(sections->list[i].key);
    for (size_t i = 0; i < sections->note_count; i++) {
        free(sections->notes[i].method);
        free(sections->notes[i].word);
        free(sections->notes[i].text);
    }
    free(sections->list);
    free(sections->notes);
    free(sections->header);
    free(sections->text);
    memset(sections, 0, sizeof *sections);
}

char *pg_section_text(const struct pg_sections *sections, size_t index, const char *head)
{
    const struct pg_section *section = &sections->list[index];
    struct line line = line_at(sections->text, sections->length, section->start);
    size_t lines = (size_t)section->line - 1;
    char *text = NULL;

    if (asprintf(&text, "%*s%s %s%.*s", (int)lines, "", head, section->key,
                 (int)(section->end - line.end), sections->text + line.end) < 0)
        return NULL;
    return memset(text, '\n', lines);
}

int pg_note_fail(const struct pg_sections *sections, const struct pg_note *note,
                 struct cca_error *err, const char *format, ...)
{
    char text[300];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < 0x20 || (unsigned char)*c >= 0x7f)
            *c = '?';
    return cca_error_set(err, -EINVAL, "%.150s:%d:%d: error: %s", sections->file,
                         note->line, note->column, text);
}
