/* SPDX-License-Identifier: BSD-3-Clause */
/* sections.h: a sidecar of several ports or tables, each of which is given to the parser
 * of marks (perf/marks.h) by itself; and the lines that are not about values but about
 * code, which are taken out before. */
#ifndef PROXYGEN_SECTIONS_H
#define PROXYGEN_SECTIONS_H

#include <stddef.h>

#include "ports/cca_error.h"

/* "port TYPE" or "table NAME", and what follows it. */
struct pg_section {
    char *key;
    int line, column; /* of the key */
    size_t start, end;
};

/* A line about code. */
struct pg_note {
    size_t section; /* index; none: (size_t)-1 */
    char *method;   /* in whose part it stands, or NULL */
    char *word, *text;
    int line, column; /* of the text */
};

struct pg_sections {
    const char *file;
    char *text; /* without the notes */
    size_t length;
    char *header; /* of a line "header NAME", or NULL */
    int header_line;
    int stray_line; /* the first that stands before every section and is no header; 0:
                       none */
    struct pg_section *list;
    size_t count;
    struct pg_note *notes;
    size_t note_count;
};

/* Cut `text`. `head` is the word that begins a section, "port" or "table"; `words` are
 * those of notes, ended by NULL. 0, -EINVAL with `file:line:column: error: ...`, or
 * -ENOMEM. */
int pg_sections_cut(struct pg_sections *sections, const char *file, const char *text,
                    size_t length, const char *head, const char *const *words,
                    struct cca_error *err);
void pg_sections_done(struct pg_sections *sections);

/* Section `index` alone, at its lines and columns; its first line says "HEAD KEY". New;
 * NULL: out of memory. */
char *pg_section_text(const struct pg_sections *sections, size_t index, const char *head);

/* `file:line:column: error: ...` at a note. -EINVAL. */
int pg_note_fail(const struct pg_sections *sections, const struct pg_note *note,
                 struct cca_error *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
