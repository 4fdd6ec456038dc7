/* SPDX-License-Identifier: BSD-3-Clause */
/* sections.h: split a sidecar of several ports or tables into sections for the parser of
 * marks (perf/marks.h). Before, lines that are about code rather than values ("notes")
 * are taken out. */
#ifndef PROXYGEN_SECTIONS_H
#define PROXYGEN_SECTIONS_H

#include <stddef.h>

#include "ports/cca_error.h"

/* A section of a sidecar: a line "port TYPE" or "table NAME", and the lines after it. */
struct pg_section {
    char *key;
    int line, column; /* position of the section's key, the TYPE or NAME */
    size_t start, end;
};

/* A note: a line of the sidecar that is about code rather than values. */
struct pg_note {
    size_t section; /* index of the note's section; (size_t)-1: none */
    char *method;   /* method in whose lines the note is, or NULL */
    char *word, *text;
    int line, column; /* position of the note's text in the sidecar */
};

struct pg_sections {
    const char *file;
    char *text; /* text of the sidecar without the notes */
    size_t length;
    char *header; /* NAME of a line "header NAME", or NULL */
    int header_line;
    int stray_line; /* number of the first line that precedes all sections and is neither
                       a note nor the line "header NAME"; 0: none */
    struct pg_section *list;
    size_t count;
    struct pg_note *notes;
    size_t note_count;
};

/* Split `text` into sections. `head` is the word that begins a section, "port" or
 * "table"; `words` has the first words of notes and ends with NULL. Returns 0, -EINVAL
 * with `file:line:column: error: ...`, or -ENOMEM. */
int pg_sections_cut(struct pg_sections *sections, const char *file, const char *text,
                    size_t length, const char *head, const char *const *words,
                    struct cca_error *err);
void pg_sections_done(struct pg_sections *sections);

/* Return a new text with the section `index` alone, whose lines and columns are
 * unchanged; its first line is "HEAD KEY". NULL: out of memory. */
char *pg_section_text(const struct pg_sections *sections, size_t index, const char *head);

/* Report `file:line:column: error: ...` at the position of a note. Returns -EINVAL. */
int pg_note_fail(const struct pg_sections *sections, const struct pg_note *note,
                 struct cca_error *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
